/**
 * What a terminal obeys or does not show, and JSON and YAML may hold as it is: the controls above ASCII, marks of
 * direction and other format characters, line separators, halves of pairs, and what is not assigned.
 */
const INVISIBLE = /[\u007f-\u009f\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}]/u;
const EVERY_INVISIBLE = new RegExp(INVISIBLE, 'gu');

/** Whether a text holds something that must be written as an escape, controls of ASCII but line feeds included. */
export function hasInvisible(text: string): boolean {
  return /[^\n\P{Cc}]/u.test(text) || INVISIBLE.test(text);
}

/** Finished JSON with escapes for what cannot be seen: only texts can hold it, by UTF-16 units (RFC 8259 §7). */
export function escapeInJson(json: string): string {
  return json.replaceAll(EVERY_INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at), 4)}`).join(''),
  );
}

/** The same for YAML, where texts with such a character are in double quotes: by code point (YAML 1.2 §5.7). */
export function escapeInYaml(yaml: string): string {
  return yaml.replaceAll(EVERY_INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
  });
}

function hex(number: number, digits: number): string {
  return number.toString(16).padStart(digits, '0');
}

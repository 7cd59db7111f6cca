import { codePointOf } from '../../../base/text/unseen.ts';
import type { SyntaxFault } from '../../../model/document/yaml-syntax.ts';
import type { YamlDialect } from '../../../model/document/yaml-tree.ts';

/**
 * YAML as Kong reads it: with lyaml, which takes scalars without quotes as YAML 1.1 has them (lyaml/implicit.lua), so
 * that `010` is eight and `no` is false.
 */
export const kongYaml: YamlDialect = {
  plainValue,
  findKeyFault: (key) =>
    key === '<<' ? 'Kong merges what this key holds although it is in quotes; remove the quotes' : null,
};

/** Ends a line for Kong (YAML 1.1 §5.4), where YAML 1.2 has one more character of a comment or a text. */
const OLD_BREAK = /[\u0085\u2028\u2029]/;

/** Where the first character is that ends a line for Kong alone; null for none. */
export function findOldBreak(text: string): SyntaxFault | null {
  const offset = text.search(OLD_BREAK);
  if (offset === -1) return null;
  const code = codePointOf(text.charAt(offset));
  const escape = code.replace('U+', String.raw`\u`);
  const message = `here is ${code}, which ends a line for Kong but not in YAML 1.2; remove it, or write it in double quotes as "${escape}"`;
  return { offset, message };
}

const CONSTANTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ...inAnyCase(['null'], null),
  ...inAnyCase(['true', 'yes', 'on'], true),
  ...inAnyCase(['false', 'no', 'off'], false),
  ...inAnyCase(['.inf', '+.inf'], Infinity),
  ...inAnyCase(['-.inf'], -Infinity),
  ...['.nan', '.NaN', '.NAN'].map((text) => [text, NaN] as const),
  ['', null],
  ['~', null],
]);

/** `yes`, `Yes` and `YES`; no other mixture. */
function inAnyCase<T>(words: readonly string[], value: T): readonly (readonly [string, T])[] {
  return words.flatMap((word) => [
    [word, value],
    [word.replace(/[a-z]/, (first) => first.toUpperCase()), value],
    [word.toUpperCase(), value],
  ]);
}

const OCTAL = /^[+-]?0_*([0-7][0-7_]*)$/;
const DECIMAL = /^[+-]?_*([0-9][0-9_]*)$/;
const FLOAT = /^[+-]?((?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]+)?)$/i;
const HEXADECIMAL = /^[+-]?(0x_*[0-9a-f][0-9a-f_]*)$/i;
/** Lua takes it for a number. */
const HEXADECIMAL_FLOAT = /^[+-]?0x[0-9a-f]*(?:\.[0-9a-f]*)?(?:p[+-]?[0-9]+)?$/i;
const BINARY = /^[+-]?0b_*([01][01_]+)$/;
/** Hours, minutes and seconds, of which the last can have a fraction. */
const SEXAGESIMAL = /^[+-]?([0-9]+:[0-5]?[0-9][:0-9]*)(\.[0-9]+)?$/;

/** NaN, which no place takes for a number or a text, is what Kong fails on, or what only Lua has. */
function plainValue(text: string): unknown {
  if (CONSTANTS.has(text)) return CONSTANTS.get(text);
  const size = sizeOf(text);
  return size === null ? text : text.startsWith('-') ? -size : size;
}

/** Without its sign; null for a text. Octal before decimal, which takes the same digits. */
function sizeOf(text: string): number | null {
  const octal = OCTAL.exec(text)?.[1];
  if (octal !== undefined) return octal.endsWith('_') ? NaN : Number(`0o${withoutMarks(octal)}`);
  const decimal = DECIMAL.exec(text)?.[1];
  if (decimal !== undefined) return Number(withoutMarks(decimal));
  const bare = withoutMarks(text);
  const float = /[.e]/i.test(text) ? FLOAT.exec(bare)?.[1] : undefined;
  if (float !== undefined) return Number(float);
  const hexadecimal = HEXADECIMAL.exec(text)?.[1];
  if (hexadecimal !== undefined) return Number(withoutMarks(hexadecimal));
  if (/[.e]/i.test(text) && HEXADECIMAL_FLOAT.test(bare)) return NaN;
  const binary = BINARY.exec(text)?.[1];
  if (binary !== undefined) return binary.endsWith('_') ? NaN : Number(`0b${withoutMarks(binary)}`);
  const [, whole, fraction = '.0'] = SEXAGESIMAL.exec(text) ?? [];
  if (whole === undefined) return null;
  const parts = whole.split(':').filter((part) => part !== '');
  return parts.reduce((size, part) => size * 60 + Number(part), 0) + Number(fraction);
}

function withoutMarks(digits: string): string {
  return digits.replaceAll('_', '');
}

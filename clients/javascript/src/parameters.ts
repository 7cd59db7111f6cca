import { bytesOfBinary, textOf } from './bytes.ts';
import { PosternProblem } from './problem.ts';

/** How many parameters the gateway takes, those that are added counted. */
export const MAX_PARAMETERS = 100;

/** A parameter in two spellings, each with one character for a byte. */
export interface Parameter {
  readonly raw: { readonly name: string; readonly value: string };
  readonly decoded: { readonly name: string; readonly value: string };
}

const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;

/**
 * Reads a query or a form, given with one character for a byte. Empty segments are no parameters; a name without `=`
 * has an empty value. Refuses with `MALFORMED_PARAMETERS` bad percent-encoding, and what is not UTF-8 when decoded.
 */
export function parseParameters(text: string): readonly Parameter[] {
  return text.split('&').flatMap((segment) => {
    if (segment === '') return [];
    const equals = segment.indexOf('=');
    const raw =
      equals === -1
        ? { name: segment, value: '' }
        : { name: segment.slice(0, equals), value: segment.slice(equals + 1) };
    return [{ raw, decoded: { name: formDecode(raw.name), value: formDecode(raw.value) } }];
  });
}

/** Whether a query has a parameter of this name, decoded. What cannot be decoded has no name. */
export function hasParameter(query: string, name: string): boolean {
  return query.split('&').some((segment) => {
    const [raw = ''] = segment.split('=', 1);
    try {
      return segment !== '' && textOf(bytesOfBinary(formDecode(raw))) === name;
    } catch {
      return false;
    }
  });
}

/**
 * What is signed: `name=value` of each, sorted by the bytes of the name, equal names in their order, joined by `&`;
 * with one character for a byte.
 */
export function signedText(parameters: readonly Parameter[], spelling: 'raw' | 'decoded'): string {
  return parameters
    .map((parameter) => parameter[spelling])
    .sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0))
    .map(({ name, value }) => `${name}=${value}`)
    .join('&');
}

/** Whether the decoded text of a parameter could be read as that of others. */
export function isAmbiguous({ decoded: { name, value } }: Parameter): boolean {
  const ampersand = value.indexOf('&');
  return /[&=]/.test(name) || (ampersand !== -1 && value.includes('=', ampersand));
}

function formDecode(text: string): string {
  if (BAD_ESCAPE.test(text)) {
    throw new PosternProblem('MALFORMED_PARAMETERS', 'a "%" in the parameters is not followed by two hex digits');
  }
  const decoded = text
    .replaceAll('+', ' ')
    .replace(ESCAPE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  if (textOf(bytesOfBinary(decoded)) === null) {
    throw new PosternProblem('MALFORMED_PARAMETERS', 'the parameters are not UTF-8 when they are decoded');
  }
  return decoded;
}

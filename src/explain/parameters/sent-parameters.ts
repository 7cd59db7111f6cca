import { formDecodeInto } from '../../signing/form-decoding.ts';

/** A parameter as it was sent, one character a byte: decoded, and as it stands on the wire. */
export interface SentParameter {
  readonly name: string;
  readonly value: string;
  readonly rawName: string;
  readonly rawValue: string;
}

/** Splits a query or form as leniently as can be: what cannot be decoded stays as it is. */
export function splitParameters(text: string): readonly SentParameter[] {
  return text.split('&').flatMap((segment) => {
    if (segment === '') return [];
    const equals = segment.indexOf('=');
    const rawName = equals === -1 ? segment : segment.slice(0, equals);
    const rawValue = equals === -1 ? '' : segment.slice(equals + 1);
    return [{ name: decode(rawName), value: decode(rawValue), rawName, rawValue }];
  });
}

/** A parameter that is not encoded. */
export function plainParameter(name: string, value: string): SentParameter {
  return { name, value, rawName: name, rawValue: value };
}

function decode(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  const out = Buffer.alloc(bytes.length);
  const end = formDecodeInto(out, 0, bytes, 0, bytes.length);
  return end === -1 ? text : out.toString('latin1', 0, end);
}

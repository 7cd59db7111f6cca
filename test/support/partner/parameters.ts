import { createHash } from 'node:crypto';
import { type PlainRequest } from '../http/http-client.ts';
import { type Fields } from '../http/http-message.ts';
import { acme } from './signature-document.ts';

/** The `sign` of a string to sign, which is written down where it is used: no code of the product. Text is UTF-8. */
export function signOf(text: string | Buffer, secret: string = acme.secret): string {
  return createHash('sha512').update(text).update(secret, 'utf8').digest('hex');
}

/**
 * Parameters as on the wire, with `sign` after them. `text` is the string to sign; that of `wire` when it is nothing
 * but the same parameters, sorted by name and without anything encoded.
 */
export function withSign(wire: string, text: string = sorted(wire), secret?: string): string {
  return `${wire}&sign=${signOf(text, secret)}`;
}

/** Plain parameters (ASCII, none repeated, nothing encoded) in the order in which they are signed. */
function sorted(wire: string): string {
  const nameOf = (parameter: string): string => parameter.split('=')[0] ?? '';
  return wire
    .split('&')
    .sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1))
    .join('&');
}

/** What a JSON wrapper holds beside its `data`; everything has a default. */
export interface WrapperParts {
  readonly appKey?: string;
  readonly secret?: string;
  /** Seconds, as JSON text: digits or a string in quotes. */
  readonly apiTimestamp?: string;
  /** `data` as JSON text, when `JSON.stringify` does not write it as wanted. */
  readonly dataText?: string;
}

/** The JSON wrapper of a text, signed. */
export function wrapperOf(data: string, parts: WrapperParts = {}): Buffer {
  const { appKey = acme.appKey, secret = acme.secret, apiTimestamp, dataText = JSON.stringify(data) } = parts;
  const stamp = apiTimestamp?.replaceAll('"', '');
  const text = `${stamp === undefined ? '' : `apiTimestamp=${stamp}&`}appKey=${appKey}&data=${data}`;
  const rest = apiTimestamp === undefined ? '' : `,"apiTimestamp":${apiTimestamp}`;
  return Buffer.from(`{"data":${dataText},"appKey":"${appKey}","sign":"${signOf(text, secret)}"${rest}}`);
}

export const FORM_TYPE = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
export const JSON_TYPE = ['Content-Type', 'application/json'] as const;

/** A request with a form. Text is one character a byte. */
export function formRequest(target: string, body: string | Buffer, headers: Fields = [FORM_TYPE]): PlainRequest {
  return { method: 'POST', target, headers, body };
}

/** A request with a JSON body. Text is one character a byte. */
export function jsonRequest(target: string, body: string | Buffer, headers: Fields = [JSON_TYPE]): PlainRequest {
  return { method: 'POST', target, headers, body };
}

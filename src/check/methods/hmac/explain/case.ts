import { createHmac } from 'node:crypto';
import { REQUEST_LINE } from '../signed-headers.ts';
import type { HmacOptions } from '../../../../model/endpoint.ts';
import { type ClientRequest, headerOf } from '../../../signing/client-request.ts';
import type { WithSecret } from '../../explanation/signing-mistakes.ts';

/** A request to an hmac endpoint, as the mistakes look at it. */
export interface HmacCase {
  readonly request: ClientRequest;
  readonly options: HmacOptions;
  readonly authorization: SentAuthorization;
  /** The listed names as they were meant. */
  readonly names: readonly string[];
  /** The first value of a header by its lower-case name; null when there is none. */
  readonly header: (name: string) => string | null;
}

/** Prepares a request for looking at its mistakes. */
export function hmacCase(request: ClientRequest, options: HmacOptions): HmacCase {
  const header = (name: string): string | null => headerOf(request, name);
  const authorization = readSentAuthorization(header('authorization') ?? '');
  const names = namesOfList(authorization.headers ?? 'date request-line');
  return { request, options, authorization, names, header };
}

/** How many values a header has. */
export function countHeader(request: ClientRequest, wanted: string): number {
  return request.headers.filter(([name]) => name.toLowerCase() === wanted).length;
}

/** What an `Authorization` header says, read as leniently as can be; null for what it does not say. */
interface SentAuthorization {
  readonly scheme: string;
  readonly appKey: string | null;
  readonly algorithm: string | null;
  readonly headers: string | null;
  readonly signature: string | null;
  /** The parameter names as they were written, in order. */
  readonly written: readonly string[];
}

const MAX_READ_CHARACTERS = 16_384;
const APP_KEY_NAMES = ['appkey', 'keyid', 'username', 'key', 'app_key', 'app-key', 'credential'];

/** Reads scheme and parameters whatever their quotes, case and separators. */
function readSentAuthorization(value: string): SentAuthorization {
  const text = value.slice(0, MAX_READ_CHARACTERS);
  const scheme = /^[^\s=,]*/.exec(text)?.[0] ?? '';
  const isScheme = text[scheme.length] !== '=';
  const found = new Map<string, string>();
  const written: string[] = [];
  const rest = isScheme ? text.slice(scheme.length) : text;
  for (const [, name = '', double, single, bare] of rest.matchAll(
    /(?<![\w-])([A-Za-z][\w-]*)[ \t]*[=:][ \t]*(?:"([^"]*)"|'([^']*)'|([^\s,;]*))/g,
  )) {
    written.push(name);
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), double ?? single ?? bare ?? '');
  }
  return {
    scheme: isScheme ? scheme : '',
    appKey: APP_KEY_NAMES.map((name) => found.get(name)).find((candidate) => candidate !== undefined) ?? null,
    algorithm: found.get('algorithm') ?? null,
    headers: found.get('headers') ?? found.get('signedheaders') ?? null,
    signature: found.get('signature') ?? null,
    written,
  };
}

/** The listed names as they were meant: lower case, `request-line` for what other schemes call it. */
function namesOfList(list: string): readonly string[] {
  const names = list.split(/[\s,;]+/).filter((name) => name !== '');
  return names.map((name) => {
    const lower = name.toLowerCase();
    return isRequestLineName(lower) ? REQUEST_LINE : lower;
  });
}

/** The names under which other schemes list the request line. */
export function isRequestLineName(lower: string): boolean {
  return ['(request-target)', '@request-target', 'request-target', '@request-line', 'request_line', ':path'].includes(
    lower,
  );
}

/** Makes a signature of a text with a key. */
export type MacFunction = (text: Buffer, key: Buffer) => Buffer;

/** How an hmac signature is made, in parts of which each can go wrong alone. Text is one character a byte. */
export interface HmacRecipe extends WithSecret {
  /** The signed names in order, in lower case, `request-line` among them. */
  readonly names: readonly string[];
  /** The values of headers, by lower-case name. A listed name without a value gives no line. */
  readonly values: ReadonlyMap<string, string>;
  readonly method: string;
  readonly target: string;
  /** `''` leaves the version out. */
  readonly version: string;
  /** What stands before the request line, rightly nothing. */
  readonly requestLineLabel: string;
  readonly spellName: (name: string) => string;
  /** Between name and value. */
  readonly colon: string;
  readonly lineBreak: string;
  readonly ending: string;
  /** What the text is made into before it is signed, rightly itself. */
  readonly encodeText: (text: Buffer) => Buffer;
  readonly mac: MacFunction;
}

/** What is signed by a recipe, before `encodeText`. */
export function hmacTextOf(recipe: HmacRecipe): Buffer {
  const lines: string[] = [];
  for (const name of recipe.names) {
    if (name === REQUEST_LINE) {
      const parts = [recipe.method, recipe.target, recipe.version].filter((part) => part !== '');
      lines.push(recipe.requestLineLabel + parts.join(' '));
      continue;
    }
    const value = recipe.values.get(name);
    if (value !== undefined) lines.push(`${recipe.spellName(name)}${recipe.colon}${value}`);
  }
  return Buffer.from(lines.join(recipe.lineBreak) + recipe.ending, 'latin1');
}

/** The HMAC with a hash, as a recipe's `mac`. */
export function hmacWith(hash: string): MacFunction {
  return (text, key) => createHmac(hash, key).update(text).digest();
}

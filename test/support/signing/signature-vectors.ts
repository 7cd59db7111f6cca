import { readFileSync } from 'node:fs';

import { Secret } from '../../../src/model/secret.ts';
import { type CheckOptions, defaultOptions, emptyMessage, type SignedMessage } from './signed-message.ts';

/** The files of test/vectors, which generate.py describes. Optional fields stand only in extended.json. */
export interface VectorFile {
  readonly clock: { readonly hmac_epoch: number; readonly param_epoch: number };
  readonly secrets?: readonly string[];
  readonly hmac: {
    readonly appKey: string;
    readonly appSecret: string;
    readonly date: string;
    readonly host: string;
    readonly cases: readonly HmacVector[];
  };
  readonly parameter: {
    readonly appKey: string;
    readonly appSecret: string;
    readonly cases: readonly ParameterVector[];
  };
}

interface Vector {
  readonly id: string;
  readonly expect?: string;
  readonly options?: Partial<CheckOptions>;
  readonly now?: number;
}

export interface HmacVector extends Vector {
  readonly headers: string;
  readonly line: string;
  readonly signature: string;
  readonly algorithm?: string;
  readonly values?: Readonly<Record<string, readonly string[]>>;
  readonly date?: string;
  readonly host?: string;
  readonly protocol?: string;
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly bodyRepeat?: { readonly text: string; readonly times: number };
  readonly digest?: string | readonly string[];
}

export interface ParameterVector extends Vector {
  readonly string?: string;
  readonly sign: string | null;
  readonly form?: 'url' | 'form' | 'json';
  readonly wire?: string;
  readonly query?: string;
  readonly body?: string;
  readonly contentType?: string | null;
  readonly contentEncoding?: string;
  readonly dataBase64?: string;
}

const FORM_TYPES = { url: null, form: 'application/x-www-form-urlencoded', json: 'application/json' };

export function readVectors(name: 'published' | 'extended'): VectorFile {
  const text = readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as VectorFile;
}

/** The secrets of a file's App Keys, the current one first. */
export function secretsOf(file: VectorFile, appSecret: string): Secret[] {
  return (file.secrets ?? [appSecret]).map((secret) => Secret.fromText(secret));
}

export function optionsOf(vector: Vector): CheckOptions {
  return { ...defaultOptions, ...vector.options };
}

/** The request that an hmac vector describes. */
export function hmacMessage(file: VectorFile, vector: HmacVector): SignedMessage {
  const [method = '', path = ''] = vector.line.split(' ');
  const { headers, signature, algorithm = 'hmac-sha256', values = {}, digest = [] } = vector;
  const date = vector.date ?? file.hmac.date;
  const digests = typeof digest === 'string' ? [digest] : digest;
  return {
    ...emptyMessage,
    method,
    path,
    authority: vector.host ?? file.hmac.host,
    protocol: vector.protocol ?? 'HTTP/1.1',
    headers: [
      ...(values['date'] === undefined ? [['Date', date] as const] : []),
      ...digests.map((value) => ['Digest', value] as const),
      ...Object.entries(values).flatMap(([name, list]) => list.map((value) => [name, value] as const)),
      [
        'Authorization',
        `hmac appkey="${file.hmac.appKey}", algorithm="${algorithm}", headers="${headers}", signature="${signature}"`,
      ],
    ],
    body: bodyOf(vector),
  };
}

/** The request that a parameter vector of extended.json describes. */
export function parameterMessage(vector: ParameterVector): SignedMessage {
  const { form = 'url', wire = '', query, body = '', contentEncoding } = vector;
  const contentType = vector.contentType === undefined ? FORM_TYPES[form] : vector.contentType;
  const target = form === 'url' ? wire : query;
  return {
    ...emptyMessage,
    method: form === 'url' ? 'GET' : 'POST',
    path: target === undefined ? '/orders' : `/orders?${target}`,
    headers: [
      ...(contentType === null ? [] : [['Content-Type', contentType] as const]),
      ...(contentEncoding === undefined ? [] : [['Content-Encoding', contentEncoding] as const]),
    ],
    body: form === 'url' ? Buffer.from(body, 'utf8') : Buffer.from(wire, 'latin1'),
  };
}

function bodyOf({ body = '', bodyBase64, bodyRepeat }: HmacVector): Buffer {
  if (bodyBase64 !== undefined) return Buffer.from(bodyBase64, 'base64');
  return bodyRepeat === undefined
    ? Buffer.from(body, 'utf8')
    : Buffer.from(bodyRepeat.text.repeat(bodyRepeat.times), 'utf8');
}

import { createHash, createHmac } from 'node:crypto';

import { type CheckOptions, type Outcome, type SignedMessage } from './signed-message.ts';

/**
 * The signature methods once more, straight from the specification (spec §3.2, §3.3) and with no regard for speed:
 * strings, regular expressions, JSON.parse. It shares no code with what it is compared to.
 */

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";

type Keys = ReadonlyMap<string, readonly string[]>;

const sha = (algorithm: string, ...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash(algorithm)).digest();

function valuesOf(message: SignedMessage, name: string): string[] {
  return message.headers.filter(([header]) => header.toLowerCase() === name).map(([, value]) => value);
}

function hasBadTarget(message: SignedMessage): boolean {
  const { method, path, hasRawHeaders } = message;
  return !new RegExp(`^${TOKEN}$`).test(method) || !/^[!-~]+$/.test(path) || (!hasRawHeaders && path.includes('!'));
}

function naiveDate(text: string): number | null {
  const match =
    /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) GMT$/.exec(
      text,
    );
  if (match === null) return null;
  const [, , day = '', name = '', year = '', hour = '', minute = '', second = ''] = match;
  const month = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'].indexOf(name) + 1;
  const iso = `${year}-${String(month).padStart(2, '0')}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = new Date(iso);
  // A day that does not exist comes out as another one, or not at all.
  return Number.isNaN(time.getTime()) || time.toISOString() !== iso ? null : time.getTime() / 1000;
}

const isCanonicalBase64 = (text: string): boolean =>
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/.test(text);

const isUnsignable = (name: string): boolean =>
  /^(authorization|connection|keep-alive|te|transfer-encoding|x-request-id|x-forwarded-.*|x-envoy-.*)$/.test(name) ||
  /^(x-consumer-.*|x-credential-.*|x-authenticated-.*|x-anonymous-consumer)$/.test(name.replaceAll('_', '-'));

export function naiveHmac(message: SignedMessage, options: CheckOptions, keys: Keys, nowSeconds: number): Outcome {
  return { outcome: naiveHmacOutcome(message, options, keys, nowSeconds), data: null };
}

function naiveHmacOutcome(message: SignedMessage, options: CheckOptions, keys: Keys, nowSeconds: number): string {
  const { method, path, body } = message;
  if (body.length > 10 * 1024 * 1024) return 'BODY_TOO_LARGE';
  if (hasBadTarget(message)) return 'MALFORMED_REQUEST';
  const [authorization, second] = valuesOf(message, 'authorization');
  if (authorization === undefined) return 'CREDENTIALS_MISSING';
  if (second !== undefined) return 'CREDENTIALS_MALFORMED';
  const scheme = new RegExp(`^${TOKEN}`).exec(authorization);
  if (scheme !== null && scheme[0].toLowerCase() !== 'hmac') return 'CREDENTIALS_MISSING';

  const element = '[a-z]+="[^"\\\\\\x00-\\x08\\x0a-\\x1f\\x7f]*"';
  if (!new RegExp(`^[Hh][Mm][Aa][Cc] ${element}(?:[ \\t]*,[ \\t]*${element})*$`).test(authorization))
    return 'CREDENTIALS_MALFORMED';
  const elements = [...authorization.matchAll(/([a-z]+)="([^"]*)"/g)].map(
    (match) => [match[1] ?? '', match[2] ?? ''] as const,
  );
  if (
    elements
      .map(([name]) => name)
      .sort()
      .join() !== 'algorithm,appkey,headers,signature'
  )
    return 'CREDENTIALS_MALFORMED';
  const {
    appkey = '',
    algorithm = '',
    headers = '',
    signature = '',
  } = Object.fromEntries(elements) as Record<string, string>;
  if (appkey === '' || !isCanonicalBase64(signature)) return 'CREDENTIALS_MALFORMED';

  const names = headers.split(' ');
  // Without Authorization, with request-line, and host may be the authority.
  if (names.length > message.headers.length + 1) return 'CREDENTIALS_MALFORMED';
  if (!names.every((name) => new RegExp(`^${TOKEN}$`).test(name) && name === name.toLowerCase()))
    return 'CREDENTIALS_MALFORMED';
  if (names.some((name, index) => names.indexOf(name) !== index || isUnsignable(name))) return 'CREDENTIALS_MALFORMED';
  if (!names.includes('date') || !names.includes('request-line')) return 'CREDENTIALS_MALFORMED';

  const signed = new Map(
    names
      .filter((name) => name !== 'request-line')
      .map((name) => [
        name,
        name === 'host' ? [message.authority].filter((host) => host !== '') : valuesOf(message, name),
      ]),
  );
  for (const values of signed.values()) {
    if (values.some((value) => /[\0\r\n]/.test(value))) return 'MALFORMED_REQUEST';
    if (!message.hasRawHeaders && values.some((value) => value.includes('!'))) return 'MALFORMED_REQUEST';
  }
  if ([...signed.values()].some((values) => values.length === 0)) return 'CREDENTIALS_MALFORMED';
  if (!options.algorithms.some((allowed) => allowed === algorithm)) return 'CREDENTIALS_MALFORMED';
  const dates = valuesOf(message, 'date');
  const digests = valuesOf(message, 'digest');
  const date = naiveDate(dates[0] ?? '');
  if (dates.length !== 1 || date === null || digests.length > 1) return 'CREDENTIALS_MALFORMED';
  if (body.length > 0 && (digests.length === 0 || !names.includes('digest'))) return 'CREDENTIALS_MALFORMED';

  const versions = ['HTTP/1.1'];
  if (options.acceptRealHttpVersion && /^HTTP\/[0-9]$/.test(message.protocol)) versions.push(`${message.protocol}.0`);
  if (options.acceptRealHttpVersion && /^HTTP\/[0-9](\.[0-9])?$/.test(message.protocol))
    versions.push(message.protocol);
  const isRight = (keys.get(appkey) ?? []).some((secret) =>
    versions.some((version) => {
      const lines = names.map((name) =>
        name === 'request-line' ? `${method} ${path} ${version}` : `${name}: ${signed.get(name)?.join(', ') ?? ''}`,
      );
      const mac = createHmac(algorithm.replace('hmac-', ''), secret).update(Buffer.from(lines.join('\n'), 'latin1'));
      return mac.digest('base64') === signature;
    }),
  );
  if (!isRight) return 'AUTHENTICATION_FAILED';
  if (Math.abs(date - nowSeconds) > options.clockSkewSeconds) return 'REQUEST_EXPIRED';
  const [digest] = digests;
  if (digest !== undefined && digest !== `SHA-256=${sha('sha256', body).toString('base64')}`) return 'DIGEST_MISMATCH';
  return 'ACCEPTED';
}

interface Pair {
  readonly name: Buffer;
  readonly value: Buffer;
}

/** Bytes form-decoded; null when that cannot be done. Text is one character a byte. */
function formDecode(text: string): Buffer | null {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return null;
  const bytes = Buffer.from(
    text.replaceAll('+', ' ').replace(/%(..)/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16))),
    'latin1',
  );
  return bytes.equals(Buffer.from(bytes.toString('utf8'), 'utf8')) ? bytes : null;
}

interface Pairs {
  readonly raw: Pair[];
  readonly decoded: Pair[];
}

function naivePairs(text: string): Pairs | null {
  const raw = text
    .split('&')
    .filter((segment) => segment !== '')
    .map((segment) => /^([^=]*)=?([^]*)$/.exec(segment))
    .map((match) => ({
      name: Buffer.from(match?.[1] ?? '', 'latin1'),
      value: Buffer.from(match?.[2] ?? '', 'latin1'),
    }));
  const decoded: Pair[] = [];
  for (const pair of raw) {
    const name = formDecode(pair.name.toString('latin1'));
    const value = formDecode(pair.value.toString('latin1'));
    if (name === null || value === null) return null;
    decoded.push({ name, value });
  }
  return { raw, decoded };
}

function joinPairs(pairs: readonly Pair[]): Buffer {
  return Buffer.concat(
    pairs.flatMap(({ name, value }, index) => [Buffer.from(index === 0 ? '' : '&'), name, Buffer.from('='), value]),
  );
}

const byName = (left: Pair, right: Pair): number => Buffer.compare(left.name, right.name);
const byNameAndValue = (left: Pair, right: Pair): number =>
  byName(left, right) || Buffer.compare(left.value, right.value);

/**
 * What a query or form says: its parameters but for `sign`, sorted, each one character a byte. Null when it cannot be
 * decoded.
 */
export function naiveMeaning(text: string, spelling: 'raw' | 'decoded'): string[][] | null {
  const pairs = naivePairs(text);
  if (pairs === null) return null;
  return pairs[spelling]
    .filter((_, index) => pairs.decoded[index]?.name.toString() !== 'sign')
    .sort(byName)
    .map(({ name, value }) => [name.toString('latin1'), value.toString('latin1')]);
}

/** `hideCredentials` as spec §3.1 says it: split at `&`, drop, join. */
export function naiveStrip(text: string): string {
  const isReserved = (segment: string): boolean =>
    ['appKey', 'sign', 'apiTimestamp'].includes(formDecode(segment.split('=')[0] ?? '')?.toString('utf8') ?? '');
  return text
    .split('&')
    .filter((segment) => !isReserved(segment))
    .join('&');
}

interface Wrapper {
  readonly data: string;
  readonly appKey: string;
  readonly sign: string;
  readonly apiTimestamp?: string;
}

/** Splits JSON into its tokens, so that duplicate keys and the source of numbers can be seen. */
function naiveWrapper(body: Buffer): Wrapper | null {
  const text = body.toString('utf8');
  if (!body.equals(Buffer.from(text, 'utf8'))) return null;
  const tokens = text.match(/"(?:[^"\\]|\\[^])*"|[-+.\w]+|[^\s"]|[^ \t\r\n]/g) ?? [];
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  if (tokens[0] !== '{' || tokens.at(-1) !== '}') return null;
  const fields = new Map<string, string>();
  for (let index = 1; index < tokens.length - 1; index += 4) {
    const key = JSON.parse(tokens[index] ?? '') as string;
    const value = tokens[index + 2] ?? '';
    const isString = value.startsWith('"');
    const isNumber = /^-?\d/.test(value);
    if (fields.has(key) || !['data', 'appKey', 'sign', 'apiTimestamp'].includes(key)) return null;
    if (!isString && !(isNumber && key === 'apiTimestamp')) return null;
    const content = isString ? (JSON.parse(value) as string) : value;
    if (Buffer.from(content, 'utf8').toString('utf8') !== content) return null;
    fields.set(key, content);
  }
  const { data, appKey, sign, ...rest } = Object.fromEntries(fields);
  return data === undefined || appKey === undefined || sign === undefined ? null : { data, appKey, sign, ...rest };
}

/** `url`, `form`, `json` or the refusal. */
function naiveForm(message: SignedMessage, options: CheckOptions): string {
  if (message.body.length === 0) return 'url';
  const types = valuesOf(message, 'content-type');
  const type = types.join(',');
  if (type.includes(',')) return 'BODY_NOT_VERIFIABLE';
  const essence = /^[ \t]*([^;]*?)[ \t]*(?:;|$)/.exec(type)?.[1]?.toLowerCase();
  const form =
    essence === 'application/json' ? 'json' : essence === 'application/x-www-form-urlencoded' ? 'form' : 'other';
  if (form === 'other') return options.unsignedBody === 'forward' ? 'url' : 'BODY_NOT_VERIFIABLE';
  if (message.body.length > (form === 'json' ? 2 : 10) * 1024 * 1024) return 'BODY_TOO_LARGE';
  const parameter = `[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"([^"\\\\]*)"))?`;
  if (!new RegExp(`^[^;]*(?:${parameter})*[ \\t]*$`).test(type)) return 'BODY_NOT_VERIFIABLE';
  const charsets = [...type.replace(/^[^;]*/, '').matchAll(new RegExp(parameter, 'g'))]
    .filter((match) => match[1]?.toLowerCase() === 'charset')
    .map((match) => match[2] ?? match[3] ?? '');
  if (charsets.length > 1 || charsets.some((charset) => !/^utf-?8$/i.test(charset))) return 'BODY_NOT_VERIFIABLE';
  const encodings = valuesOf(message, 'content-encoding');
  if (encodings.length > 0 && encodings.join(',').toLowerCase() !== 'identity') return 'BODY_NOT_VERIFIABLE';
  return form;
}

export function naiveParameters(
  message: SignedMessage,
  options: CheckOptions,
  keys: Keys,
  nowSeconds: number,
): Outcome {
  const refused = (outcome: string, data: Buffer | null = null): Outcome => ({ outcome, data });
  const form = naiveForm(message, options);
  if (!['url', 'form', 'json'].includes(form)) return refused(form);
  if (hasBadTarget(message)) return refused('MALFORMED_REQUEST');
  const query = message.path.split('?').slice(1).join('?');
  const inQuery = form === 'url' || options.unsignedQuery === 'forward' ? { raw: [], decoded: [] } : naivePairs(query);
  if (inQuery === null || inQuery.decoded.length > 1) return refused('MALFORMED_REQUEST');
  const [only] = inQuery.decoded;
  if (only !== undefined && only.name.toString() !== 'appKey') return refused('MALFORMED_REQUEST');

  let data: Buffer | null = null;
  let pairs: Pairs;
  let mayBeAmbiguous = options.parameterEncoding !== 'raw';
  if (form === 'json') {
    const wrapper = naiveWrapper(message.body);
    if (wrapper === null) return refused('MALFORMED_WRAPPER');
    data = Buffer.from(wrapper.data);
    mayBeAmbiguous = false;
    const decoded = Object.entries(wrapper).map(([name, value]) => ({
      name: Buffer.from(name),
      value: Buffer.from(value),
    }));
    pairs = { raw: decoded, decoded };
  } else {
    const found = naivePairs(form === 'url' ? query : message.body.toString('latin1'));
    if (found === null) return refused('MALFORMED_REQUEST');
    if (found.raw.length > 100) return refused('TOO_MANY_PARAMETERS');
    pairs = found;
  }
  const valuesNamed = (wanted: string): string[] =>
    pairs.decoded.filter(({ name }) => name.toString() === wanted).map(({ value }) => value.toString('utf8'));
  const [appKey] = valuesNamed('appKey');
  if (only !== undefined && only.value.toString('utf8') !== appKey) return refused('MALFORMED_REQUEST');

  const isSign = (_: Pair, index: number): boolean => pairs.decoded[index]?.name.toString() === 'sign';
  const decoded = pairs.decoded.filter((pair, index) => !isSign(pair, index));
  const raw = pairs.raw.filter((pair, index) => !isSign(pair, index));
  const isAmbiguous =
    mayBeAmbiguous &&
    decoded.some(
      ({ name, value }) =>
        /[&=]/.test(name.toString('latin1')) || (options.strictParameters && /&[^]*=/.test(value.toString('latin1'))),
    );
  if (isAmbiguous && options.parameterEncoding === 'decoded') return refused('AMBIGUOUS_PARAMETERS');

  const [sign] = valuesNamed('sign');
  const [timestamp] = valuesNamed('apiTimestamp');
  if (appKey === undefined || sign === undefined) return refused('CREDENTIALS_MISSING', data);
  if (['appKey', 'sign', 'apiTimestamp'].some((name) => valuesNamed(name).length > 1))
    return refused('CREDENTIALS_MALFORMED', data);
  if (appKey === '' || !/^[0-9a-f]{128}$/.test(sign)) return refused('CREDENTIALS_MALFORMED', data);
  if (timestamp === undefined ? options.requireTimestamp : !/^[0-9]+$/.test(timestamp))
    return refused('CREDENTIALS_MALFORMED', data);

  const texts = {
    decoded: [joinPairs([...decoded].sort(byName))],
    raw: [joinPairs([...raw].sort(byName))],
    auto: [
      ...(isAmbiguous ? [] : [joinPairs([...decoded].sort(byName)), joinPairs([...decoded].sort(byNameAndValue))]),
      joinPairs([...raw].sort(byName)),
    ],
  }[options.parameterEncoding];
  const isRight = (keys.get(appKey) ?? []).some((secret) =>
    texts.some((text) => sha('sha512', text, secret).toString('hex') === sign),
  );
  if (!isRight) return refused('AUTHENTICATION_FAILED', data);
  const isLate = timestamp !== undefined && Math.abs(Number(timestamp) - nowSeconds) > options.clockSkewSeconds;
  return refused(isLate ? 'REQUEST_EXPIRED' : 'ACCEPTED', data);
}

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { type HmacVector, type ParameterVector, type VectorFile } from '../signing/signature-vectors.ts';

/** Outcomes that are shown only after the signature was right, so that a vector must be signed again to get there. */
const AFTER_THE_SIGNATURE: readonly string[] = ['ACCEPTED', 'REQUEST_EXPIRED', 'DIGEST_MISMATCH'];
/** A vector as it is sent, and the secret that it was signed with; null when it was left as it is. */
export interface SignedVector {
  readonly vector: HmacVector;
  readonly secret: string | null;
}

const VERSIONS = ['HTTP/1.1', 'HTTP/2', 'HTTP/2.0'];
/** The times of both files, and those a little before and after. */
const EPOCH_SECONDS = /(?:17092|15815)\d{5}/g;
const TIMESTAMP = /apiTimestamp=0*(?:17092|15815)\d{5}(?!\d)/;

/**
 * A vector whose `Date` is as far from `seconds` as it was from its own time, signed with the secret it was signed
 * with.
 */
export function hmacVectorAt(file: VectorFile, vector: HmacVector, seconds: number): SignedVector {
  const { algorithm = 'hmac-sha256', values = {}, digest, line } = vector;
  const date = vector.date ?? file.hmac.date;
  const textWith = (dateValue: string, version: string): Buffer => {
    const lines = vector.headers.split(' ').map((name) => {
      if (name === 'request-line') return line.replace(/HTTP\/[\d.]+$/, version);
      const others = name === 'digest' ? [digest ?? []].flat() : (values[name] ?? []);
      const single = { date: dateValue, host: vector.host ?? file.hmac.host }[name];
      return `${name}: ${single ?? others.join(', ')}`;
    });
    return Buffer.from(lines.join('\n'), 'latin1');
  };
  const macWith = (secret: string, text: Buffer): string =>
    createHmac(algorithm.replace('hmac-', ''), secret).update(text).digest('base64');

  const isTimed = vector.expect === undefined || AFTER_THE_SIGNATURE.includes(vector.expect);
  if (!isTimed) return { vector, secret: null };
  const made = (file.secrets ?? [file.hmac.appSecret])
    .flatMap((secret) => VERSIONS.map((version) => ({ secret, version })))
    .find(({ secret, version }) => macWith(secret, textWith(date, version)) === vector.signature);
  assert.ok(made, `no secret of the file made the signature of ${vector.id}`);
  // The weekday stays as it is: it need not fit.
  const moved = Date.parse(date.slice(5)) + (seconds - (vector.now ?? file.clock.hmac_epoch)) * 1000;
  const movedDate = date.slice(0, 5) + new Date(moved).toUTCString().slice(5);
  const signature = macWith(made.secret, textWith(movedDate, made.version));
  return { vector: { ...vector, date: movedDate, signature }, secret: made.secret };
}

/**
 * A vector whose `apiTimestamp`, when it has one, is as far from `seconds` as it was from its own time. Both it and
 * `sign` must be written as they are, without escapes.
 */
export function parameterVectorAt(file: VectorFile, vector: ParameterVector, seconds: number): ParameterVector {
  const { string = '', sign, wire = '' } = vector;
  const isTimed = AFTER_THE_SIGNATURE.includes(vector.expect ?? '') && TIMESTAMP.test(string);
  if (!isTimed) return vector;
  const distance = seconds - (vector.now ?? file.clock.param_epoch);
  const move = (text: string): string => text.replace(EPOCH_SECONDS, (digits) => String(Number(digits) + distance));
  const [before = '', after = '', ...more] = wire.split(sign ?? '');
  assert.ok(more.length === 0 && move(before + after) !== before + after, `${vector.id} cannot be moved in time`);
  const movedSign = createHash('sha512').update(move(string)).digest('hex');
  return { ...vector, string: move(string), sign: movedSign, wire: `${move(before)}${movedSign}${move(after)}` };
}

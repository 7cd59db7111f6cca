import { createHash, hash } from 'node:crypto';
import { writeLatin1 } from '../../../base/text/latin1.ts';
import type { ParameterSignatureOptions } from '../../../model/endpoint.ts';
import type { Secret } from '../../../model/secret.ts';
import { type Refusal, refuse } from '../../refusal.ts';
import { digitValues } from '../../../base/text/encodings.ts';
import { equal } from '../../../base/text/equal.ts';
import { parseApiTimestamp } from '../../signing/signed-time.ts';
import { runAtOnce, updateInPieces, type Work } from '../../../base/text/work.ts';
import type { SignerCredentials } from '../authenticate-signer.ts';
import type { VerifiedSignature } from '../caller.ts';
import { RESERVED_NAMES, type ReservedName } from './parameters.ts';
import type { ParameterRequest } from './request.ts';
import { copyText, lengthOf, type SigningText, viewOf } from './string-to-sign.ts';

const MAC_BYTES = 64;
/** Hexadecimal digits in lower case only. */
const lowerHexValues = digitValues('0123456789abcdef');
/** Texts that fit with their secret are hashed at one go: joining them costs less than a call for each piece. */
const JOINED_BYTES = 65_536;
/**
 * A text and its secret. Module state: with buffers of its own, here and for the MAC, a text of 90 bytes takes 2.2 µs
 * on Node 20 and 2.9 µs on Node 24, and with these 1.0 µs.
 */
const joined = new Uint8Array(JOINED_BYTES);
/** The latest MAC that was computed. Module state: measured with {@link joined}. */
const computed = Buffer.allocUnsafeSlow(MAC_BYTES);

/** A parameter signature that is well formed: everything that can be said before its App Key is looked up. */
export interface ParameterCredentials extends SignerCredentials {
  readonly parameters: ParameterRequest;
  /** The bytes of `sign`. */
  readonly mac: Buffer;
}

/**
 * Reads `appKey`, `sign` and `apiTimestamp` (spec §3.3). Refuses with `CREDENTIALS_MISSING` when one of the first two
 * is absent, and with `CREDENTIALS_MALFORMED` one that is repeated, empty or not well formed, and an absent
 * `apiTimestamp` where `requireTimestamp` is on.
 */
export function parseParameterCredentials(
  parameters: ParameterRequest,
  options: Pick<ParameterSignatureOptions, 'requireTimestamp'>,
): ParameterCredentials | Refusal {
  const { reserved } = parameters;
  const [appKey] = reserved.appKey;
  const [sign] = reserved.sign;
  const [timestamp] = reserved.apiTimestamp;
  if (appKey === undefined) return refuse('CREDENTIALS_MISSING', 'the request has no appKey');
  if (sign === undefined) return refuse('CREDENTIALS_MISSING', 'the request has no sign');
  const repeated = RESERVED_NAMES.find((name) => reserved[name].length > 1);
  if (repeated !== undefined) return malformed(repeated, 'appears more than once');
  if (appKey.length === 0) return malformed('appKey', 'is empty');
  const mac = decodeSign(sign);
  if (mac === null) return malformed('sign', 'is not 128 lower-case hexadecimal digits');
  const signedAtSeconds = timestamp === undefined ? null : parseApiTimestamp(timestamp);
  if (timestamp !== undefined && signedAtSeconds === null) return malformed('apiTimestamp', 'is not digits only');
  if (signedAtSeconds === null && options.requireTimestamp) return malformed('apiTimestamp', 'is required and absent');
  return { appKey: appKey.toString('utf8'), mac, signedAtSeconds, parameters };
}

/**
 * Checks `sign`, in constant time, with each secret in turn: the current one first, then a retiring one.
 * For an unknown App Key callers give a dummy secret, so that the work is the same.
 * Refuses with `AUTHENTICATION_FAILED`.
 */
export function* verifyParameterSignature(
  { parameters, mac }: ParameterCredentials,
  secrets: readonly Secret[],
): Work<VerifiedSignature | Refusal> {
  for (const build of parameters.texts) {
    const macWith = yield* appendingSecret(build(), secrets);
    for (const [keyIndex, secret] of secrets.entries()) {
      if (equal(macWith(secret), mac)) return { keyIndex };
    }
  }
  return refuse('AUTHENTICATION_FAILED', 'the signature does not fit the parameters');
}

/** The value of `sign` for a string to sign: SHA-512 over it and the App Secret, as lower-case hex. */
export function signatureOf(text: SigningText, secret: Secret): string {
  return runAtOnce(appendingSecret(text, [secret]))(secret).toString('hex');
}

/**
 * The SHA-512 of a text with one of some secrets appended, to be looked at before another is computed. A large text is
 * hashed only once, however many secrets are tried.
 */
function* appendingSecret(text: SigningText, secrets: readonly Secret[]): Work<(secret: Secret) => Buffer> {
  const textBytes = lengthOf(text);
  const room = JOINED_BYTES - textBytes;
  if (room < 0 || secrets.some((secret) => secret.reveal().length > room)) {
    const beginning = createHash('sha512');
    yield* updateInPieces(beginning, text.map(viewOf));
    return (secret) => beginning.copy().update(secret.reveal()).digest();
  }
  copyText(text, joined);
  return (secret) => {
    const bytes = secret.reveal();
    joined.set(bytes, textBytes);
    const whole = new Uint8Array(joined.buffer, 0, textBytes + bytes.length);
    writeLatin1(computed, hash('sha512', whole, 'binary'), 0);
    return computed;
  };
}

/** Reads a `sign`: the bytes that 128 lower-case hexadecimal digits stand for; null for anything else. */
function decodeSign(digits: Buffer): Buffer | null {
  if (digits.length !== 2 * MAC_BYTES) return null;
  const mac = Buffer.allocUnsafe(MAC_BYTES);
  for (let at = 0; at < MAC_BYTES; at += 1) {
    const high = lowerHexValues[digits[2 * at] ?? 0] ?? -1;
    const low = lowerHexValues[digits[2 * at + 1] ?? 0] ?? -1;
    if ((high | low) < 0) return null;
    mac[at] = (high << 4) | low;
  }
  return mac;
}

function malformed(name: ReservedName, what: string): Refusal {
  return refuse('CREDENTIALS_MALFORMED', `${name} ${what}`);
}

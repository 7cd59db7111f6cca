import { MAX_WRAPPER_BYTES, notSignable, tooLarge } from './body-form.ts';
import { textOf, utf8, type Bytes } from './bytes.ts';
import { signOf, withBody, type Moment, type Signature } from './signature.ts';
import type { WireRequest } from './wire-request.ts';

/** How far the time of a wrapper is moved on, so that its signature is a new one, in seconds. */
const MOST_SECONDS_AHEAD = 60;
const FIRST_PRINTABLE = 0x20;
const ESCAPED = /["\\\u0000-\u001f]/g;
const LETTERS: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

/** The wrappers that a client signed, as long as one of the same time could be signed again. */
export class SignedWrappers {
  readonly #times = new Map<string, number>();

  /** Whether this signature is new; then it is kept until `nowSeconds` is past its time. */
  add(sign: string, seconds: number, nowSeconds: number): boolean {
    for (const [old, time] of this.#times) if (time < nowSeconds) this.#times.delete(old);
    if (this.#times.has(sign)) return false;
    this.#times.set(sign, seconds);
    return true;
  }
}

/** What {@link signWrapper} needs of a credential. */
interface WrapperKey {
  readonly appKey: string;
  readonly appSecret: string;
  readonly wrappers: SignedWrappers;
}

/**
 * Puts the body into a signed JSON wrapper, byte for byte. A wrapper has no place for a nonce: where one is wanted, the
 * time is moved on until the signature is new, by a minute at most.
 * `checkRest` looks for the problems that come after the size and before the text.
 */
export async function signWrapper(
  request: WireRequest,
  key: WrapperKey,
  { seconds, nonce }: Moment,
  checkRest: () => void,
): Promise<Signature> {
  const { appKey, appSecret, wrappers } = key;
  const write = (data: string, sign: string, time: number): string =>
    `{"data":"${data}","appKey":"${appKey}","sign":"${sign}","apiTimestamp":${String(time)}}`;
  const around = write('', '0'.repeat(128), seconds).length;
  if (escapedLength(request.body) + around > MAX_WRAPPER_BYTES) throw tooLarge(MAX_WRAPPER_BYTES);
  checkRest();
  const data = textOf(request.body);
  if (data === null) throw notSignable('a JSON body is UTF-8');
  for (let ahead = 0; ; ahead += 1) {
    const time = seconds + ahead;
    const signedBytes = utf8(`apiTimestamp=${String(time)}&appKey=${appKey}&data=${data}`);
    const sign = await signOf(signedBytes, appSecret);
    if (nonce === null || wrappers.add(sign, time, seconds) || ahead === MOST_SECONDS_AHEAD) {
      return withBody(request, utf8(write(escape(data), sign, time)), signedBytes);
    }
  }
}

function escape(text: string): string {
  return text.replace(
    ESCAPED,
    (character) => LETTERS[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** How many bytes {@link escape} makes of these. */
function escapedLength(bytes: Bytes): number {
  let length = bytes.length;
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c || byte < FIRST_PRINTABLE) {
      length += LETTERS[String.fromCharCode(byte)] === undefined ? 5 : 1;
    }
  }
  return length;
}

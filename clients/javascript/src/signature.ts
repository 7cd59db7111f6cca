import { utf8, type Bytes } from './bytes.ts';
import { hash } from './hash.ts';
import type { Header } from './headers.ts';
import type { WireRequest } from './wire-request.ts';

/** What signing changes of a request. What is absent stays as it is. */
export interface Signature {
  /** Replace headers of the same names. */
  readonly headers: readonly Header[];
  readonly target?: string;
  readonly body?: Bytes;
  /** What was signed, without an App Secret; absent where nothing is. */
  readonly signed?: Bytes | string;
}

/** What changes from one signature to the next. */
export interface Moment {
  /** The time to sign, in whole seconds since 1970. */
  readonly seconds: number;
  /** Gives 32 lower-case hex characters that were never used; null where no nonce is wanted. */
  readonly nonce: (() => string) | null;
}

/** Text added at the end of a query or form: no second `&` after one that ends it, none at its beginning. */
export function extend(text: string, added: string): string {
  return text === '' || text.endsWith('&') ? text + added : `${text}&${added}`;
}

/** The signature of a request whose body is replaced; a `Content-Length` that was given follows. */
export function withBody(request: WireRequest, body: Bytes, signedBytes: Bytes): Signature {
  const hasLength = request.headers.some(([name]) => name.toLowerCase() === 'content-length');
  return { headers: hasLength ? [['Content-Length', String(body.length)]] : [], body, signed: signedBytes };
}

/** The SHA-512 of what is signed and the App Secret, in lower-case hex. */
export async function signOf(signedBytes: Bytes, appSecret: string): Promise<string> {
  return await hash('SHA-512', [signedBytes, utf8(appSecret)], 'hex');
}

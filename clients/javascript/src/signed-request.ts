import { shownText, type Bytes } from './bytes.ts';
import { withHeaders, type Header } from './headers.ts';
import { HIDDEN, inspectMethod } from './secret.ts';
import type { Signature } from './signature.ts';
import type { WireRequest } from './wire-request.ts';

/** A request to sign, for any HTTP library. Nothing of it is normalised: it is signed as it stands here. */
export interface UnsignedRequest {
  /** In the case in which it is sent. */
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers?: Iterable<Header> | Readonly<Record<string, string>>;
  /** Text is sent as UTF-8. */
  readonly body?: string | Uint8Array | ArrayBuffer | null;
}

/** A request as it must be sent, byte for byte. Printed by Node, it shows no App Key of method `key` and no token. */
export class SignedRequest {
  readonly method: string;
  readonly url: string;
  /** All headers, those that were given among them. `Host` and, unless it was given, `Content-Length` are your library's. */
  readonly headers: [name: string, value: string][];
  /** Null for none. */
  readonly body: Bytes | null;
  readonly #signed: Bytes | string | null;
  readonly #hidden: string | null;

  /** @internal */
  constructor(request: WireRequest, signature: Signature, hidden: string | null) {
    const body = signature.body ?? request.body;
    this.method = request.method;
    this.url = request.origin + (signature.target ?? request.target);
    this.headers = withHeaders(request.headers, signature.headers).map(([name, value]) => [name, value]);
    this.body = body.length === 0 ? null : body;
    this.#signed = signature.signed ?? null;
    this.#hidden = hidden;
  }

  /**
   * What was signed, to compare with `stringToSign` of a refusal; without the App Secret. Null for methods that sign
   * nothing. What is not UTF-8 shows as U+FFFD.
   */
  get stringToSign(): string | null {
    return this.#signed === null || typeof this.#signed === 'string' ? this.#signed : shownText(this.#signed);
  }

  /** @internal */
  [inspectMethod](): unknown {
    const shown = (text: string): string => (this.#hidden === null ? text : text.replaceAll(this.#hidden, HIDDEN));
    return {
      method: this.method,
      url: shown(this.url),
      headers: this.headers.map(([name, value]) => [name, shown(value)]),
      body: this.body === null ? null : `${String(this.body.length)} bytes`,
    };
  }
}

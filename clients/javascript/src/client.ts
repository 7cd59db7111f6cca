import { tooLarge } from './body-form.ts';
import { NO_BYTES, utf8, type Bytes } from './bytes.ts';
import { call, type Caller } from './call.ts';
import { ClientClock } from './client-clock.ts';
import type { Header } from './headers.ts';
import { outgoingOf, isRequest, readBody, type FetchInit, type FetchInput, type Outgoing } from './outgoing.ts';
import { waitFor } from './retry-rules.ts';
import { HIDDEN, inspectMethod } from './secret.ts';
import { checkSettings, type BaseFetch, type ClientSettings } from './settings.ts';
import { checkDateCanBeSent, createSigner, randomNonce } from './signer.ts';
import { SignedRequest, type UnsignedRequest } from './signed-request.ts';
import { splitUrl, type WireRequest } from './wire-request.ts';

const DEFAULT_RETRIES = 2;

/**
 * Makes a client for one credential. Keep it: it holds access tokens and what it learned of the clock.
 * Throws a `PosternProblem` with `INVALID_CREDENTIAL` when a setting is not as it must be.
 */
export function createClient(settings: ClientSettings): PosternClient {
  return new PosternClient(settings);
}

/** Signs requests with one credential and sends them. Printed, it shows no secret. */
export class PosternClient {
  readonly #settings: ClientSettings;
  readonly #caller: Caller;

  /** @internal */
  constructor(settings: ClientSettings) {
    checkSettings(settings);
    const { fetch = globalFetch, retries = DEFAULT_RETRIES, now = Date.now, wait = waitFor } = settings;
    const { clockCorrection = 0, createNonce = randomNonce } = settings;
    const clock = new ClientClock(now, clockCorrection);
    const signer = createSigner({ ...settings }, clock, createNonce, fetch);
    this.#settings = { ...settings };
    this.#caller = { signer, clock, fetch, retries, wait, chance: Math.random, secrets: secretsOf(settings) };
  }

  /**
   * Does what `fetch` does, with a signature: takes the same arguments and gives the same answers, those that refuse
   * the call too. May be taken off the client and given to a library. Throws a `PosternProblem` when the call cannot be signed, a
   * `PosternTokenError` when there is no access token, and otherwise what `fetch` throws. Redirects are not followed;
   * `redirect: 'follow'` is refused with a `TypeError`.
   */
  readonly fetch = async (input: FetchInput, init?: FetchInit): Promise<Response> => {
    if (this.#settings.method === 'hmac' && this.#settings.fetch === undefined) checkDateCanBeSent();
    const outgoing = outgoingOf(input, init);
    splitUrl(outgoing.origin + outgoing.target);
    return await call(await this.#withBytes(outgoing), this.#caller);
  };

  /**
   * Signs a request without sending it, for any HTTP library: send exactly what it gives. A `Request` is taken as
   * `fetch` would send it. OAuth2 may ask for an access token. Throws as {@link fetch} does.
   *
   * With `acceptSignature`, what a 401 to an HTTP message signature said in that header: signs what it asks for, or
   * gives null when there is nothing more to do. Send it once.
   */
  async sign(request: UnsignedRequest | Request): Promise<SignedRequest>;
  async sign(
    request: UnsignedRequest | Request,
    after: { readonly acceptSignature: string },
  ): Promise<SignedRequest | null>;
  async sign(
    request: UnsignedRequest | Request,
    after?: { readonly acceptSignature: string },
  ): Promise<SignedRequest | null> {
    const { signer } = this.#caller;
    const wire = isRequest(request) ? await this.#wireOf(request) : wireOf(request);
    const asked = after === undefined ? null : (signer.readAsked?.(after.acceptSignature, wire) ?? null);
    if (after !== undefined && asked === null) return null;
    const token = (await signer.tokens?.get()) ?? null;
    const signature = await signer.sign(wire, token, asked);
    const hidden = this.#settings.method === 'key' ? this.#settings.appKey : (token?.reveal() ?? null);
    return new SignedRequest(wire, signature, hidden);
  }

  /**
   * Makes an assertion (RFC 7523) for a library that asks the token URL itself; it is good for a minute and for one
   * question. Throws a `TypeError` for other methods than `private-key-jwt`.
   */
  async createAssertion(): Promise<string> {
    const { createAssertion } = this.#caller.signer;
    if (createAssertion === undefined)
      throw new TypeError('only clients of the method private-key-jwt make assertions');
    return await createAssertion();
  }

  /** The settings without secrets. */
  toJSON(): Record<string, unknown> {
    const settings: Record<string, unknown> = { ...this.#settings };
    for (const name of ['appSecret', 'privateKey']) if (name in settings) settings[name] = HIDDEN;
    if (this.#settings.method === 'key') settings['appKey'] = HIDDEN;
    return Object.fromEntries(Object.entries(settings).filter(([, value]) => typeof value !== 'function'));
  }

  toString(): string {
    return `PosternClient ${JSON.stringify(this)}`;
  }

  /** @internal */
  [inspectMethod](): string {
    return this.toString();
  }

  /** The call with its body in memory, where that is signed. */
  async #withBytes(outgoing: Outgoing): Promise<Outgoing> {
    const { maxBodyBytes } = this.#caller.signer;
    if (maxBodyBytes === null) return outgoing;
    const read = await readBody(outgoing, maxBodyBytes);
    if (read === null) throw tooLarge(maxBodyBytes(outgoing.headers));
    return read;
  }

  async #wireOf(request: Request): Promise<WireRequest> {
    const outgoing = outgoingOf(request);
    const read = await readBody(outgoing, this.#caller.signer.maxBodyBytes ?? (() => Infinity));
    if (read === null) throw tooLarge(this.#caller.signer.maxBodyBytes?.(outgoing.headers) ?? 0);
    return read;
  }
}

function wireOf({ method, url, headers = [], body = null }: UnsignedRequest): WireRequest {
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  return { method, ...splitUrl(url), headers: pairs satisfies Header[], body: bytesOf(body) };
}

function bytesOf(body: NonNullable<UnsignedRequest['body']> | null): Bytes {
  if (body === null) return NO_BYTES;
  if (typeof body === 'string') return utf8(body);
  if (body instanceof Uint8Array || body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('the body to sign is text or bytes');
}

function secretsOf(settings: ClientSettings): readonly string[] {
  // A private key is never sent, so no error of a fetch repeats it.
  if ('privateKey' in settings) return [];
  return [settings.method === 'key' ? settings.appKey : settings.appSecret];
}

/** Looked up for each call, so that what replaces the global later counts. */
const globalFetch: BaseFetch = async (url, init) => await globalThis.fetch(url, init);

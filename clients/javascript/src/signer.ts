import type { AccessTokens } from './access-token.ts';
import { bodyFormOf, MAX_BODY_BYTES, MAX_WRAPPER_BYTES } from './body-form.ts';
import type { ClientClock } from './client-clock.ts';
import type { Header } from './headers.ts';
import { PosternProblem } from './problem.ts';
import type { Secret } from './secret.ts';
import type { ClientSettings, HmacSettings, ParameterSettings } from './settings.ts';
import { signHmac } from './sign-hmac.ts';
import { signKey } from './sign-key.ts';
import { signParameters } from './sign-parameters.ts';
import { SignedWrappers } from './sign-wrapper.ts';
import type { Moment, Signature } from './signature.ts';
import type { WireRequest } from './wire-request.ts';

/** What one credential does to requests. */
export interface Signer {
  /** How many bytes of body can be signed, by the headers; null where bodies are not looked at. */
  readonly maxBodyBytes: ((headers: readonly Header[]) => number) | null;
  /** Signs a request as of now; `token` is the access token of OAuth2. */
  readonly sign: (request: WireRequest, token: Secret | null) => Promise<Signature>;
  /** Where access tokens come from; null for other methods. */
  readonly tokens: AccessTokens | null;
}

/** Makes the signer of a credential. */
export function createSigner(
  settings: ClientSettings,
  clock: ClientClock,
  createNonce: () => string,
  tokens: AccessTokens | null,
): Signer {
  switch (settings.method) {
    case 'key': {
      const { appKey, carrier = { header: 'X-App-Key' } } = settings;
      return {
        maxBodyBytes: null,
        tokens: null,
        sign: async (request) => await Promise.resolve(signKey(request, appKey, carrier)),
      };
    }
    case 'hmac': {
      const { appKey, appSecret, algorithm = 'hmac-sha256', signedHeaders = [] } = settings;
      const key = { appKey, appSecret, algorithm, signedHeaders: signedHeaders.map((name) => name.toLowerCase()) };
      return {
        maxBodyBytes: () => MAX_BODY_BYTES,
        tokens: null,
        sign: async (request) => await signHmac(request, key, momentOf(settings, clock, createNonce)),
      };
    }
    case 'parameter-signature': {
      const { appKey, appSecret, encoding = 'decoded' } = settings;
      const key = { appKey, appSecret, encoding, wrappers: new SignedWrappers() };
      return {
        maxBodyBytes: (headers) => (bodyFormOf(headers) === 'json' ? MAX_WRAPPER_BYTES : MAX_BODY_BYTES),
        tokens: null,
        sign: async (request) => await signParameters(request, key, momentOf(settings, clock, createNonce)),
      };
    }
    case 'oauth2':
      return {
        maxBodyBytes: null,
        tokens,
        sign: async (_, token) =>
          await Promise.resolve({ headers: [['Authorization', `Bearer ${token?.reveal() ?? ''}`]] }),
      };
  }
}

/** 32 lower-case hex characters from WebCrypto. */
export function randomNonce(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Refuses hmac where scripts may not set `Date`: browsers take it out without a word, and the gateway would say that
 * the credentials are malformed.
 */
export function checkDateCanBeSent(): void {
  if (new Request('https://localhost/', { headers: { Date: new Date(0).toUTCString() } }).headers.has('date')) return;
  throw new PosternProblem(
    'HEADER_NOT_SIGNABLE',
    'this browser lets no script set the header Date, which hmac signs: call from a server, or use another method',
  );
}

function momentOf({ nonce }: HmacSettings | ParameterSettings, clock: ClientClock, createNonce: () => string): Moment {
  return { seconds: clock.seconds(), nonce: nonce === true ? createNonce : null };
}

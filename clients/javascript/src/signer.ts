import { type Asked, readAsked } from './accept-signature.ts';
import { AccessTokens, basicQuestion, type TokenQuestion } from './access-token.ts';
import { assertionForm, createAssertion } from './assertion.ts';
import { bodyFormOf, MAX_BODY_BYTES, MAX_WRAPPER_BYTES } from './body-form.ts';
import { hex } from './bytes.ts';
import type { ClientClock } from './client-clock.ts';
import type { Header } from './headers.ts';
import { PosternProblem } from './problem.ts';
import { assertionAlgorithms, messageAlgorithms } from './key-algorithms.ts';
import { createKeySigner } from './key-signer.ts';
import type { Secret } from './secret.ts';
import type { BaseFetch, ClientSettings, HmacSettings, ParameterSettings } from './settings.ts';
import { signHmac } from './sign-hmac.ts';
import { signKey } from './sign-key.ts';
import { type MessageKey, signMessage } from './sign-message.ts';
import { signParameters } from './sign-parameters.ts';
import { SignedWrappers } from './sign-wrapper.ts';
import type { Moment, Signature } from './signature.ts';
import type { WireRequest } from './wire-request.ts';

/** What one credential does to requests. */
export interface Signer {
  /** How many bytes of body can be signed, by the headers; null where bodies are not looked at. */
  readonly maxBodyBytes: ((headers: readonly Header[]) => number) | null;
  /** Signs a request as of now; `token` is the access token of OAuth2, `asked` what a 401 asked for. */
  readonly sign: (request: WireRequest, token: Secret | null, asked: Asked | null) => Promise<Signature>;
  /** Where access tokens come from; null for other methods. */
  readonly tokens: AccessTokens | null;
  /** What to sign after a 401 with this `Accept-Signature`, or null for nothing more; absent for other methods. */
  readonly readAsked?: (acceptSignature: string, request: WireRequest) => Asked | null;
  /** Makes an assertion; absent for other methods. */
  readonly createAssertion?: () => Promise<string>;
}

const bearer: Signer['sign'] = async (_, token) =>
  await Promise.resolve({ headers: [['Authorization', `Bearer ${token?.reveal() ?? ''}`]] });

/** Makes the signer of a credential. */
export function createSigner(
  settings: ClientSettings,
  clock: ClientClock,
  createNonce: () => string,
  fetch: BaseFetch,
): Signer {
  const machineMs = (): number => clock.machineMs();
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
    case 'oauth2': {
      const { appKey, appSecret, tokenUrl } = settings;
      const client = { tokenUrl, question: () => basicQuestion(appKey, appSecret), clock: null };
      return { maxBodyBytes: null, tokens: new AccessTokens(client, fetch, machineMs), sign: bearer };
    }
    case 'private-key-jwt': {
      const { appKey, privateKey, algorithm, tokenUrl, audience = tokenUrl } = settings;
      const key = { appKey, audience, signer: createKeySigner(privateKey, algorithm, assertionAlgorithms) };
      const create = async (): Promise<string> => await createAssertion(key, clock.seconds(), createNonce());
      const question = async (): Promise<TokenQuestion> => ({
        headers: [],
        body: assertionForm(appKey, await create()),
      });
      const tokens = new AccessTokens({ tokenUrl, question, clock }, fetch, machineMs);
      return { maxBodyBytes: null, tokens, sign: bearer, createAssertion: create };
    }
    case 'http-message-signature': {
      const { appKey, privateKey, algorithm, tag = null, label = 'sig1', coverAlso = [], nonce = true } = settings;
      const signer = createKeySigner(privateKey, algorithm, messageAlgorithms);
      const key: MessageKey = { appKey, signer, tag, label, coverAlso: coverAlso.map((name) => name.toLowerCase()) };
      const moment = (): Moment => ({ seconds: clock.seconds(), nonce: nonce ? createNonce : null });
      return {
        maxBodyBytes: () => MAX_BODY_BYTES,
        tokens: null,
        sign: async (request, _, asked) => await signMessage(request, key, moment(), asked),
        readAsked: (text, request) => readAsked(text, request, key, moment(), createNonce),
      };
    }
  }
}

const NONCE_BYTES = 16;
/** Random bytes are drawn for so many nonces at once: a draw costs as much as a tenth of a signature on P-256. */
const drawn = new Uint8Array(64 * NONCE_BYTES);
let drawnAt = drawn.length;

/** 32 lower-case hex characters from WebCrypto. */
export function randomNonce(): string {
  if (drawnAt === drawn.length) {
    crypto.getRandomValues(drawn);
    drawnAt = 0;
  }
  drawnAt += NONCE_BYTES;
  return hex(drawn.subarray(drawnAt - NONCE_BYTES, drawnAt));
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

/** The words of the driver protocol (clients/CONTRACT.md, section Driver). */

/** A body: absent is empty. Beside it, `once` makes it a stream that can be read once. */
export type BodyText = { readonly once?: boolean } & (
  | { readonly text: string }
  | { readonly base64: string }
  | Repeated
);

interface Repeated {
  readonly repeat: string;
  readonly times: number;
}

/** The methods of credentials with an App Key or App Secret that is kept secret. */
export type SecretMethod = 'key' | 'hmac' | 'parameter-signature' | 'oauth2';

/** What a client is made of, and what only tests set: `now`, `clockOffset`, `nonces`, `ca`. */
export interface ClientSettings {
  readonly method: SecretMethod | 'http-message-signature' | 'private-key-jwt';
  readonly appKey: string;
  readonly appSecret?: string;
  readonly privateKey?: PrivateKeySetting;
  readonly tag?: string;
  readonly coverAlso?: readonly string[];
  readonly label?: string;
  /** Of assertions; the token URL unless given. */
  readonly audience?: string;
  readonly carrier?: { readonly header: string } | { readonly query: string };
  readonly algorithm?: string;
  readonly signedHeaders?: readonly string[];
  readonly encoding?: 'decoded' | 'raw';
  readonly nonce?: boolean;
  readonly retries?: number;
  /** Seconds. */
  readonly clockCorrection?: number;
  readonly tokenUrl?: string;
  /** A fixed time, in seconds of Unix time. */
  readonly now?: number;
  /** Seconds added to the machine's clock. */
  readonly clockOffset?: number;
  readonly nonces?: readonly string[];
  /** A file with the certificate authority of the gateway. */
  readonly ca?: string;
  /** The URL of a forward proxy for all of its calls. */
  readonly proxy?: string;
}

/** A private key, or the words that start a program which signs its standard input with one. */
export type PrivateKeySetting =
  | { readonly pem: string }
  | { readonly jwk: Readonly<Record<string, unknown>> }
  | { readonly signer: readonly string[] };

/** A request as a caller gives it to a client. */
export interface ClientRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: BodyText;
  /** The library is asked to follow redirects, in the words in which a program asks for it. */
  readonly follow?: boolean;
}

/** A library that a client adapts, over one version of HTTP. */
export interface Way {
  readonly adapter: string;
  readonly http: '1.1' | '2';
  /** What the library itself does. */
  readonly library?: {
    /** Writes escapes in upper case, and none where none is needed, before anything is signed. */
    readonly isNormalizingEscapes?: true;
    /** Takes bodies as text only. */
    readonly isWithoutStreams?: true;
    /** Sends what may be repeated again by itself, with the signature that it has. */
    readonly isResending?: true;
    /** May open a connection for a request although there is one. */
    readonly isPoolUncertain?: true;
  };
}

export interface Problem {
  readonly code: string;
  readonly message: string;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
  readonly retryAfter: number | null;
  readonly stringToSign: string | null;
  /** Whether the gateway has let an equal request through before: this one's own answer may be lost. */
  readonly acceptedBefore: boolean;
}

/** All of a request as it is to be sent; the body is base64. */
export interface SignedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** An answer as a caller gets it from the library; the body is base64. */
export interface ClientResponse {
  readonly status: number;
  readonly http: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** What became of a request. */
export type Sent =
  | { readonly response: ClientResponse; readonly refusal: Refusal | null }
  | { readonly problem: Problem }
  | { readonly error: string };

export type Signed = { readonly signed: SignedRequest } | { readonly problem: Problem };
export type Created = { readonly created: true } | { readonly problem: Problem };

/** What a driver says of itself: its adapters, in any order. */
export interface Description {
  readonly adapters: readonly { readonly name: string; readonly http: readonly Way['http'][] }[];
}

/** The bytes that a body stands for. */
export function bytesOf(body: BodyText | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if ('text' in body) return Buffer.from(body.text);
  return 'base64' in body ? Buffer.from(body.base64, 'base64') : Buffer.from(body.repeat.repeat(body.times));
}

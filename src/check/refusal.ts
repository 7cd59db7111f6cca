import type { LimitReading } from '../model/limit.ts';
import type { HeldCredential } from './store/credential-source.ts';

/** How a refusal is answered, and what operators read of it. */
export interface RefusalAnswer {
  readonly status: number;
  /** For callers. */
  readonly message: string;
  /** For operators: what to do about it. The partner does it, or who runs the gateway. */
  readonly advice: string;
}

/**
 * The closed list of public refusal codes, each with its answer (interfaces §6, spec §5). Codes are stable: programs of
 * partners depend on them.
 */
export const refusalAnswers = {
  MALFORMED_REQUEST: {
    status: 400,
    message: 'The request is malformed.',
    advice: 'The partner sends a request line or Host that cannot be read: percent-encode what cannot stand there.',
  },
  PATH_NOT_NORMAL: {
    status: 400,
    message: 'The request target is not in normal form.',
    advice: 'The partner sends a path without "." and "..", without empty segments, and in ASCII.',
  },
  TOO_MANY_PARAMETERS: {
    status: 400,
    message: 'The request has too many parameters.',
    advice: 'The partner sends fewer parameters, or JSON.',
  },
  AMBIGUOUS_PARAMETERS: {
    status: 400,
    message: 'The parameters cannot be signed without ambiguity.',
    advice: 'The partner sends values with & and = as JSON.',
  },
  MALFORMED_WRAPPER: {
    status: 400,
    message: 'The JSON body is not the expected wrapper.',
    advice: 'The partner sends the JSON wrapper with data, appKey, sign and apiTimestamp only.',
  },
  CREDENTIALS_MISSING: {
    status: 401,
    message: 'The request carries no credentials.',
    advice: 'The partner sends the credentials where the endpoint takes them. Hand over the instructions again.',
  },
  CREDENTIALS_MALFORMED: {
    status: 401,
    message: 'The credentials of the request are malformed.',
    advice: 'The partner writes the credentials as the endpoint takes them. Hand over the instructions again.',
  },
  AUTHENTICATION_FAILED: {
    status: 401,
    message: 'The credentials or the signature are not valid.',
    advice:
      'Look at the credential: is it revoked, has it ended, is it of another consumer? If not, the partner signs with another secret or signs another text.',
  },
  REQUEST_EXPIRED: {
    status: 401,
    message: 'The signed time is too far from the server time.',
    advice: 'The partner corrects the clock of the machine that signs, and signs each request just before it is sent.',
  },
  REQUEST_REPLAYED: {
    status: 401,
    message: 'The signature was used before.',
    advice: 'The partner signs every attempt again, with something unique in it, such as a nonce.',
  },
  DIGEST_MISMATCH: {
    status: 401,
    message: 'The digest does not match the body.',
    advice: 'The partner computes the digest over the exact bytes that are sent.',
  },
  TOKEN_INVALID: {
    status: 401,
    message: 'The access token is not valid.',
    advice: 'The partner gets a new access token and tries once more.',
  },
  ADDRESS_NOT_ALLOWED: {
    status: 403,
    message: 'The request comes from an address that is not allowed.',
    advice:
      "The partner calls from an address that the allowFrom of its consumer or credential does not hold. Add the address if it is the partner's; if it is not, rotate the credential.",
  },
  NOT_AUTHORIZED: {
    status: 403,
    message: 'The consumer is not authorized on this endpoint.',
    advice: 'Give the consumer access to the endpoint, or give its grant a later end.',
  },
  ENDPOINT_NOT_FOUND: {
    status: 404,
    message: 'No endpoint serves this request.',
    advice: 'No endpoint takes this host, path and method, or it is disabled.',
  },
  BODY_TOO_LARGE: {
    status: 413,
    message: 'The request body is too large.',
    advice: 'The partner sends a smaller body.',
  },
  BODY_NOT_VERIFIABLE: {
    status: 415,
    message: 'The request body is of a kind that cannot be verified.',
    advice: 'The partner sends a form or JSON in UTF-8, not compressed.',
  },
  RATE_LIMITED: {
    status: 429,
    message: 'The limit of requests is reached.',
    advice: 'The partner waits as long as Retry-After says, and sends less. Or you raise the limit.',
  },
  STORE_UNAVAILABLE: {
    status: 503,
    message: 'The credentials cannot be checked at the moment.',
    advice:
      'The database, or the issuer of a token, does not answer. The partner tries again. Look at the database now, or at the detail.',
  },
  LIMITER_UNAVAILABLE: {
    status: 503,
    message: 'The limits cannot be checked at the moment.',
    advice: 'The rate limit service does not answer. The partner tries again. Look at the service now.',
  },
  UNAVAILABLE: {
    status: 503,
    message: 'The request could not be decided.',
    advice: 'The gateway could not decide. The partner tries again. Look at the replicas.',
  },
  INTERNAL: {
    status: 500,
    message: 'The request could not be decided.',
    advice: 'A fault of the gateway. Its log has the request id.',
  },
} as const satisfies Readonly<Record<string, RefusalAnswer>>;

export type RefusalCode = keyof typeof refusalAnswers;

/** The statuses that `mode: observe` turns into an allow; all others refuse in every mode (spec §4.4). */
export const observableStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

/** A request answered with an error on purpose: a value, never an exception. */
export interface Refusal {
  readonly refused: RefusalCode;
  /** Why, for the log. Callers never see it; it holds no secret and nothing a caller sent but what is safe to print. */
  readonly detail: string;
  /** The credential that has the App Key of the request, for the log; null for none. Callers never see it. */
  readonly about?: HeldCredential | null;
  /**
   * Whether endpoints take such requests, but not with this method, or are disabled: a mistake, and no stray request.
   */
  readonly isNearMiss?: true;
  /** What the gateway built as the string to sign, for endpoints with `signatureHints` (spec §4.4). */
  readonly stringToSign?: Uint8Array;
  /** For `RATE_LIMITED`: the limit that callers see, null for one of the gateway itself, and how long to wait. */
  readonly exceeded?: { readonly reading: LimitReading | null; readonly retryAfterSeconds: number };
}

/** Makes a refusal. `detail` is for the log: the caller gets the message of the code. */
export function refuse(refused: RefusalCode, detail: string): Refusal {
  return { refused, detail };
}

/** Whether the result of a stage is a refusal. No stage has a result with a field `refused`. */
export function isRefusal(value: object): value is Refusal {
  return (value as Partial<Refusal>).refused !== undefined;
}

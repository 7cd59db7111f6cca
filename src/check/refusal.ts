import type { LimitReading } from '../model/limit.ts';
import type { HeldCredential } from './store/credential-source.ts';

export interface RefusalAnswer {
  readonly status: number;
  readonly message: string;
}

/**
 * The closed list of public refusal codes, each with its answer (interfaces §6, spec §5). Codes are stable: programs of
 * partners depend on them.
 */
export const refusalAnswers = {
  MALFORMED_REQUEST: { status: 400, message: 'The request is malformed.' },
  PATH_NOT_NORMAL: { status: 400, message: 'The request target is not in normal form.' },
  TOO_MANY_PARAMETERS: { status: 400, message: 'The request has too many parameters.' },
  AMBIGUOUS_PARAMETERS: { status: 400, message: 'The parameters cannot be signed without ambiguity.' },
  MALFORMED_WRAPPER: { status: 400, message: 'The JSON body is not the expected wrapper.' },
  CREDENTIALS_MISSING: { status: 401, message: 'The request carries no credentials.' },
  CREDENTIALS_MALFORMED: { status: 401, message: 'The credentials of the request are malformed.' },
  AUTHENTICATION_FAILED: { status: 401, message: 'The credentials or the signature are not valid.' },
  REQUEST_EXPIRED: { status: 401, message: 'The signed time is too far from the server time.' },
  REQUEST_REPLAYED: { status: 401, message: 'The signature was used before.' },
  DIGEST_MISMATCH: { status: 401, message: 'The digest does not match the body.' },
  TOKEN_INVALID: { status: 401, message: 'The access token is not valid.' },
  NOT_AUTHORIZED: { status: 403, message: 'The consumer is not authorized on this endpoint.' },
  ENDPOINT_NOT_FOUND: { status: 404, message: 'No endpoint serves this request.' },
  BODY_TOO_LARGE: { status: 413, message: 'The request body is too large.' },
  BODY_NOT_VERIFIABLE: { status: 415, message: 'The request body is of a kind that cannot be verified.' },
  RATE_LIMITED: { status: 429, message: 'The limit of requests is reached.' },
  STORE_UNAVAILABLE: { status: 503, message: 'The credentials cannot be checked at the moment.' },
  LIMITER_UNAVAILABLE: { status: 503, message: 'The limits cannot be checked at the moment.' },
  UNAVAILABLE: { status: 503, message: 'The request could not be decided.' },
  INTERNAL: { status: 500, message: 'The request could not be decided.' },
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
  /** Whether endpoints take such requests, but not with this method, or are disabled: a mistake, and no stray request. */
  readonly isNearMiss?: true;
  /** What the gateway built as the string to sign, for endpoints with `signatureHints` (spec §4.4). */
  readonly stringToSign?: Uint8Array;
  /** For `RATE_LIMITED`: the limit that callers see, null for one of the gateway itself, and how long to wait. */
  readonly exceeded?: { readonly reading: LimitReading | null; readonly retryAfterSeconds: number };
}

export function refuse(refused: RefusalCode, detail: string): Refusal {
  return { refused, detail };
}

export function isRefusal(value: object): value is Refusal {
  return (value as Partial<Refusal>).refused !== undefined;
}

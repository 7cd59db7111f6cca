import type { RefusalCode } from '../refusal.ts';

/** What a caller is told with a refusal code. */
export interface RefusalAnswer {
  readonly status: number;
  readonly message: string;
}

/** The one table from code to answer (spec §5). A code that is not answered here does not compile. */
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
} as const satisfies Record<RefusalCode, RefusalAnswer>;

/** The statuses that `mode: observe` turns into an allow; all others refuse in every mode (spec §4.4). */
export const observableStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

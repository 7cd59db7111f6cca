import type { LimitReading } from './model/limit.ts';
import type { HeldCredential } from './store/credential-source.ts';

/** The closed list of public refusal codes (interfaces §6). They are stable: partners write programs against them. */
export const refusalCodes = [
  'MALFORMED_REQUEST',
  'PATH_NOT_NORMAL',
  'TOO_MANY_PARAMETERS',
  'AMBIGUOUS_PARAMETERS',
  'MALFORMED_WRAPPER',
  'CREDENTIALS_MISSING',
  'CREDENTIALS_MALFORMED',
  'AUTHENTICATION_FAILED',
  'REQUEST_EXPIRED',
  'REQUEST_REPLAYED',
  'DIGEST_MISMATCH',
  'TOKEN_INVALID',
  'NOT_AUTHORIZED',
  'ENDPOINT_NOT_FOUND',
  'BODY_TOO_LARGE',
  'BODY_NOT_VERIFIABLE',
  'RATE_LIMITED',
  'STORE_UNAVAILABLE',
  'LIMITER_UNAVAILABLE',
  'UNAVAILABLE',
  'INTERNAL',
] as const;
export type RefusalCode = (typeof refusalCodes)[number];

/** A request answered with an error on purpose: a value, never an exception. */
export interface Refusal {
  readonly refused: RefusalCode;
  /** Why, for the log. Callers never see it; it holds no secret and nothing a caller sent but what is safe to print. */
  readonly detail: string;
  /** Whose App Key the request has, for the log, null for nobody's; callers learn nothing of it. */
  readonly about?: HeldCredential | null;
  /** What the gateway built as the string to sign, for endpoints with `signatureHints` (spec §4.4). */
  readonly stringToSign?: Uint8Array;
  /** For `RATE_LIMITED`: the limit that callers are told about, null for one of the gateway itself, and how long to wait. */
  readonly exceeded?: { readonly reading: LimitReading | null; readonly retryAfterSeconds: number };
}

/** Makes a refusal. */
export function refuse(refused: RefusalCode, detail: string): Refusal {
  return { refused, detail };
}

/** Tells a refusal from what a stage gives otherwise. */
export function isRefusal(value: object): value is Refusal {
  return 'refused' in value;
}

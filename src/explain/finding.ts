import type { Mistake } from './mistake.ts';

/** What one method of authentication finds out about a request. */
export interface Finding {
  readonly mistakes: readonly Mistake[];
  /** Whether the signed time lies in the past and may only be that of an old request. */
  readonly isOld: boolean;
  /** What the gateway builds as string to sign; null where it builds none. */
  readonly stringToSign: Buffer | null;
  /** What was signed, where that is known. */
  readonly signed: Buffer | null;
  /** Null when there is no signature to look into. */
  readonly search: {
    readonly isExplained: boolean;
    readonly isCut: boolean;
    /** What it was tried against. */
    readonly checked: readonly string[];
  } | null;
}

/** Where no signature is looked into. */
export function withoutSignature(mistakes: readonly Mistake[]): Finding {
  return { mistakes, isOld: false, stringToSign: null, signed: null, search: null };
}

const MAX_TRIES = 60_000;
/** The likely mistakes are tried with a body of any size. */
const MIN_TRIES = 40;
/** How much is hashed at most, so that a large body is explained in a moment, too. */
const MAX_HASHED_BYTES = 64 * 1024 * 1024;

/** How many strings to sign of a size are tried. */
export function triesFor(textBytes: number): number {
  return Math.max(MIN_TRIES, Math.min(MAX_TRIES, Math.floor(MAX_HASHED_BYTES / Math.max(textBytes, 1))));
}

import type { CredentialFault } from '../methods/caller.ts';
import type { AuthenticationMethod } from '../model/endpoint.ts';
import type { RefusalCode } from '../refusal.ts';
import type { Difference } from './difference.ts';

/**
 * - `right`: the credentials and the signature are right now.
 * - `right-but-old`: they were right when the request was made, which was too long ago.
 * - `wrong`: the mistakes say why it is refused.
 * - `unexplained`: the signature fits no mistake that is known.
 * - `unjudged`: nothing wrong was found, and without the key ring an access token cannot be verified.
 */
export type Verdict = 'right' | 'right-but-old' | 'wrong' | 'unexplained' | 'unjudged';

/** What the gateway would answer, before it looks at limits. */
export interface Answer {
  /** Null when the request passes, and when nobody can tell. */
  readonly status: number | null;
  /** Null when nobody can tell. */
  readonly code: RefusalCode | 'ALLOWED' | null;
  /** What the gateway's log would say, or what is right. */
  readonly detail: string;
  /** Whether the access condition was looked at, which takes a store. */
  readonly isAccessChecked: boolean;
}

/** What was found out about a request. Holds no secret, no signature, and no App Key of method `key`. */
export interface Explanation {
  readonly verdict: Verdict;
  /** Null for an open endpoint. */
  readonly authentication: AuthenticationMethod | null;
  readonly answer: Answer;
  readonly mistakes: readonly Mistake[];
  /** Between the string to sign that the gateway builds and the one that was signed; null where they do not differ. */
  readonly difference: Difference | null;
  /** What the gateway builds as string to sign, without the secret; null where it builds none. */
  readonly stringToSign: Buffer | null;
  /** The names of what the signature was tried against, when nothing fitted; otherwise empty. */
  readonly checked: readonly string[];
  readonly notes: readonly string[];
}

/** Who the request is meant to be from, and when. */
export interface ExplainInput {
  /** Null on key endpoints, where the App Key is the secret, and where any is taken. */
  readonly appKey: string | null;
  /** The App Secret, or the App Key of a key endpoint; null where nobody knows it: then no signature is looked into. */
  readonly secret: string | null;
  /** The server's clock when the request came in. */
  readonly nowSeconds: number;
  /** Whether that time is known, or only that of the explanation, which may be much later. */
  readonly isTimeKnown: boolean;
}

/** What a store says of the caller of a request. */
export interface KnownCaller {
  /** Why the credential of the App Key that was sent cannot be used; null when it can, and when none was sent. */
  readonly fault: CredentialFault | null;
  /** The App Secret before the one of now; null for none. */
  readonly formerSecret: string | null;
  readonly isFormerLive: boolean;
  /** Whether the secret to look into the signature with is another than the one that the store has. */
  readonly isOtherSecret: boolean;
}

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

/** A mistake that callers make, as it is told to one. */
export interface Mistake {
  /** Stable, for scripts: `path-without-query`. */
  readonly name: string;
  /** What is wrong, a clause without its full stop. */
  readonly what: string;
  /** How to fix it, a sentence without its full stop. */
  readonly fix: string;
}

/** A mistake that can be seen in the request itself. */
export interface Fault<C> extends Mistake {
  readonly isMade: (context: C) => boolean;
}

/** A mistake that shows only in the signature: each way to build what the caller may have signed. */
export interface Hypothesis<R> extends Mistake {
  /** The recipe changed as by this mistake, likely ways first; none where it could not have been made. */
  readonly vary: (recipe: R) => readonly R[];
  /** Has so many ways that it is tried by itself only, not with another mistake. */
  readonly isAlone?: true;
}

/** The mistake by itself, without what finds it. */
export function told({ name, what, fix }: Mistake): Mistake {
  return { name, what, fix };
}

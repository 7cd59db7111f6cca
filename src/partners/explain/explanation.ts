import type { CredentialFault } from '../../check/methods/caller.ts';
import type { Mistake } from '../../check/methods/explanation/explainer.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { RefusalCode } from '../../check/refusal.ts';
import type { Subject } from './advice.ts';
import type { Difference } from './difference.ts';
import type { HiddenPart } from './hidden-parts.ts';

/**
 * - `right`: the credentials and the signature are right now.
 * - `right-but-old`: they were right when the request was made, which was too long ago.
 * - `wrong`: the mistakes say why it is refused.
 * - `unexplained`: the signature fits no mistake that is known.
 * - `unjudged`: nothing wrong was found, and something cannot be judged: an access token without the key ring, what the
 *   text of the request does not show, or the address that it came from.
 */
export type Verdict = 'right' | 'right-but-old' | 'wrong' | 'unexplained' | 'unjudged';

/** What the gateway would answer, before it looks at limits. */
export interface Answer {
  /** Null when the request passes, and when the answer is not known. */
  readonly status: number | null;
  /** Null when the answer is not known. */
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
  /** What the text does not show of the request, and the verdict would need. */
  readonly hidden: readonly HiddenPart[];
  /** The names of what the signature was tried against, when nothing fitted; otherwise empty. */
  readonly checked: readonly string[];
  readonly notes: readonly string[];
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
  /** Whether an address list would have to be asked, and the address of the request is not known. */
  readonly lacksAddress: boolean;
  /** Null where no credential has the App Key that was sent, and for an open endpoint. */
  readonly subject: Subject | null;
}

import type { AuthenticationMethod, OptionsOf } from '../../../model/endpoint.ts';
import type { TokenClaims } from '../../tokens/token-claims.ts';
import type { PublicKey } from '../../../model/public-key/public-key.ts';
import type { Pending } from '../../../base/pending.ts';
import type { Refusal } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import type { ClientRequest } from '../../signing/client-request.ts';
import type { Authenticated, AuthenticationPorts } from '../authenticated.ts';
import type { UnverifiedToken } from '../jwt/read-token.ts';

/** What a method of authentication knows of its callers' mistakes. It is loaded only where a request is explained. */
export interface Explainer<M extends AuthenticationMethod> {
  /** Reads who sent a request, and when it was signed, as leniently as can be. */
  readonly findSentIdentity: (request: ClientRequest, options: OptionsOf[M]) => SentIdentity;
  /** The headers that credentials are sent in, in lower case. */
  readonly credentialHeaders: (options: OptionsOf[M]) => readonly string[];
  /** What of the credentials a request has in a body that is not at hand. */
  readonly bodyBears: (request: ClientRequest, options: OptionsOf[M]) => 'nothing' | 'digest' | 'credentials';
  /** Authenticates as the gateway does, but for the digest of the body; null where none is taken. */
  readonly authenticateWithoutDigest:
    | ((routed: Routed, options: OptionsOf[M], ports: AuthenticationPorts) => Pending<Authenticated | Refusal>)
    | null;
  /** Finds out what is wrong with a request. `isVerified`: the gateway found nothing wrong but the signed time. */
  readonly explain: (
    request: ClientRequest,
    options: OptionsOf[M],
    input: ExplainInput,
    isVerified: boolean,
  ) => Finding;
}

/** What a request says of its caller. */
export interface SentIdentity {
  /** Null when it carries none. */
  readonly appKey: string | null;
  /** What the caller may have meant by it, where the App Key is the secret; none of them is `appKey`. */
  readonly meantAppKeys: readonly string[];
  /** The signed time in seconds since the epoch; null for none. */
  readonly signedSeconds: number | null;
  /** What its access token says of itself, which may be a lie; null for none. */
  readonly claims: TokenClaims | null;
  /** Its token of an issuer, of which nothing is verified; absent for none. */
  readonly issuerToken?: UnverifiedToken;
}

/** The identity of a request that says nothing of its caller. */
export const unknownSender: SentIdentity = { appKey: null, meantAppKeys: [], signedSeconds: null, claims: null };

/** Who the request is meant to be from, and when. */
export interface ExplainInput {
  /** Null where the App Key is the secret, and where any is taken. */
  readonly appKey: string | null;
  /**
   * The App Secret, or the App Key where that is the secret; null where it is not known: then no signature is looked
   * into.
   */
  readonly secret: string | null;
  /** The public keys that signatures are looked into with, where callers sign with private keys. */
  readonly publicKeys?: readonly KnownPublicKey[];
  /** The server's clock when the request came in. */
  readonly nowSeconds: number;
  /** Whether that time is known, or only that of the explanation, which may be much later. */
  readonly isTimeKnown: boolean;
  /** Whether the body is not at hand, so that nothing is compared with it. */
  readonly isBodyLeftOut?: boolean;
}

/** A public key whose private half a request may be signed with. */
export interface KnownPublicKey {
  readonly publicKey: PublicKey;
  /** What is wrong when it is; null for a key that the gateway takes. */
  readonly mistake: Mistake | null;
  /** Whether that says why the App Key that was sent is not a known one. */
  readonly explainsAppKey: boolean;
}

/** What one method of authentication finds out about a request. */
export interface Finding {
  readonly mistakes: readonly Mistake[];
  /** Whether they say why the App Key that was sent is not a known one. */
  readonly explainsAppKey: boolean;
  /** Whether the signed time lies in the past and may only be that of an old request. */
  readonly isOld: boolean;
  /** What the gateway builds as string to sign, without the secret; null where it builds none. */
  readonly stringToSign: Buffer | null;
  /** The whole of it, and what was signed instead; null where that is not known. */
  readonly compared: { readonly expected: Buffer; readonly signed: Buffer } | null;
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
  return { mistakes, explainsAppKey: false, isOld: false, stringToSign: null, compared: null, search: null };
}

/** A mistake that callers make, in words for them. */
export interface Mistake {
  /** Stable, for scripts: `path-without-query`. */
  readonly name: string;
  /** What is wrong, a clause without its full stop. */
  readonly what: string;
  /** How to fix it, a sentence without its full stop. */
  readonly fix: string;
  /** A command line that does so, without `postern`; only where a database is at hand. */
  readonly command?: string;
}

/** A mistake that can be seen in the request itself. */
export interface Fault<C> extends Mistake {
  readonly isMade: (context: C) => boolean;
}

/** A mistake that shows only in the signature: each way to build what the caller may have signed. */
export interface Hypothesis<R> extends Mistake {
  /** What this mistake changes in a recipe, likely ways first; changes to what is there already count as none. */
  readonly vary: (recipe: R) => readonly Partial<R>[];
  /** Has so many ways that it is tried alone only, not with another mistake. */
  readonly isAlone?: true;
}

/** The mistake without what finds it. */
export function mistakeOf({ name, what, fix }: Mistake): Mistake {
  return { name, what, fix };
}

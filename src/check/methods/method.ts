import type { AuthenticationMethod, OptionsOf, SignatureMethod } from '../../model/endpoint.ts';
import type { Secret } from '../../model/secret.ts';
import type { Pending } from '../../base/pending.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import type { ClientRequest } from '../signing/client-request.ts';
import type { PrivateKey } from '../signing/private-key.ts';
import type { Authenticated, AuthenticationPorts, UpstreamChanges } from './authenticated.ts';
import type { KongCounterpart } from './kong.ts';
import type { Explainer } from './explanation/explainer.ts';
import type { Presentation } from './presentation/presentation.ts';

/** What a caller signs a request with, besides the secret or the key. */
interface AnySigning {
  readonly appKey: string;
  /** Lower-case names of headers that are signed besides those that must be, where headers are signed. */
  readonly alsoSigned: readonly string[];
  readonly nowSeconds: number;
}

/** With what a caller signs who shares a secret with the gateway, or whose App Key is one. */
export interface Signing extends AnySigning {
  readonly secret: Secret;
}

/** With what a caller signs who keeps a private key. */
export interface KeySigning extends AnySigning {
  readonly privateKey: PrivateKey;
}

/**
 * How a method gives a request its credentials; a refusal is what the gateway would say to such a request. Where there
 * is nothing to sign, `instead` says what an endpoint takes, in words that follow its id.
 */
export type RequestSigner<O> =
  | { readonly takes: 'nothing'; readonly instead: string }
  | {
      readonly takes: 'secret';
      readonly sign: (request: ClientRequest, options: O, signing: Signing) => ClientRequest | Refusal;
    }
  | {
      readonly takes: 'private-key';
      readonly sign: (request: ClientRequest, options: O, signing: KeySigning) => ClientRequest | Refusal;
    };

/**
 * What callers prove who they are with: the App Key, which then is the secret, a signature of each request with the App
 * Secret, an access token that they got for it, a token of an outside issuer, or the certificate of their connection.
 */
export type Proof = 'app-key' | 'signature' | 'token' | 'issuer-token' | 'certificate';

/** What a method of authentication is. `methods.ts` lists them all; nothing else asks which method an endpoint has. */
export interface Method<M extends AuthenticationMethod> {
  readonly proof: M extends SignatureMethod ? 'signature' : Exclude<Proof, 'signature'>;
  /** Finds out who calls (spec §3). */
  readonly authenticate: (
    routed: Routed,
    options: OptionsOf[M],
    ports: AuthenticationPorts,
  ) => Pending<Authenticated | Refusal>;
  /** What must change in a request that goes upstream without having been authenticated (spec §4.4). */
  readonly conceal: (routed: Routed, options: OptionsOf[M]) => UpstreamChanges;
  /** Gives a request its credentials as a caller does. */
  readonly signer: RequestSigner<OptionsOf[M]>;
  /** Whether callers may sign more headers than they must (`alsoSigned`). */
  readonly signsMoreHeaders: boolean;
  readonly challenge: Challenge;
  /** Other headers of a 401, lower case, which say more of what is asked for; null for none. */
  readonly challengeFields:
    | ((
        routed: Routed,
        options: OptionsOf[M],
        requestId: string,
      ) => readonly (readonly [name: string, value: string])[])
    | null;
  /** What it is in Kong; null where Kong does not have it. */
  readonly kong: KongCounterpart<M> | null;
  /** What explains a refused request. Loaded when needed: the service never does. */
  readonly loadExplainer: () => Promise<Explainer<M>>;
  /**
   * How people and programs of partners speak of it. `presentations.ts` loads those of all methods; the service none.
   */
  readonly loadPresentation: () => Promise<Presentation<M>>;
}

/** How `WWW-Authenticate` asks for credentials (spec §5). */
export interface Challenge {
  readonly scheme: string;
  /** Errors of refusals in the challenge (RFC 6750 §3.1). A refusal that has one is challenged with any status. */
  readonly errors: Partial<Readonly<Record<RefusalCode, string>>>;
}

import type { SignatureMethod, SignatureOptions } from '../../model/endpoint.ts';
import { type Pending, whenReady } from '../../base/pending.ts';
import type { HttpRequest } from '../receive/http-request.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { type Authenticated, type AuthenticationPorts, type UpstreamChanges, vouchFor } from './authenticated.ts';
import {
  findSigner,
  judgeProof,
  type KeyKind,
  nameCaller,
  refuseCaller,
  type Signer,
  type VerifiedSignature,
} from './caller.ts';
import { refuseUndeliveredBody } from './signed-request.ts';
import { refuseUsed } from './used-once.ts';

/** Well-formed credentials of a request; who signed it is not known yet. */
export interface SignerCredentials {
  readonly appKey: string;
  /** In seconds since the epoch; null for none, which an endpoint that remembers signatures does not take. */
  readonly signedAtSeconds: number | null;
}

/** How one signature method proves its callers. `C` is what it reads of a request, `K` what it verifies with. */
export interface SignatureStrategy<C extends SignerCredentials, O extends SignatureOptions, K> {
  readonly method: SignatureMethod;
  readonly read: (routed: Routed, options: O) => Pending<C | Refusal>;
  readonly keys: KeyKind<K>;
  /** Checks the signature with each key in turn: the current one first, then a retiring one. */
  readonly verify: (credentials: C, keys: readonly K[]) => Pending<VerifiedSignature | Refusal>;
  /** Checks when it was signed; null when that is right. Credentials without a signed time are not asked about. */
  readonly checkTime: (signedAtSeconds: number, nowSeconds: number, options: O, credentials: C) => Refusal | null;
  /** Checks the body by a digest that was signed instead of it; null when it is right, or there is none. */
  readonly checkBody: (credentials: C, request: HttpRequest) => Pending<Refusal | null>;
  /** The string to sign that `signatureHints` shows. */
  readonly hintOf: (credentials: C) => Buffer | undefined;
  /** What no two requests of an App Key may have in common where signatures are remembered. */
  readonly markOf: (credentials: C) => Uint8Array;
  /** For how many seconds a signature works, where signed times may be so far from the server's. */
  readonly windowSeconds: (skewSeconds: number) => number;
  readonly conceal: (routed: Routed, options: O, credentials: C) => UpstreamChanges;
}

/** A request whose signer is to be found, and what its endpoint asks of a signature. */
interface Signed<C extends SignerCredentials, O extends SignatureOptions, K> {
  readonly strategy: SignatureStrategy<C, O, K>;
  readonly routed: Routed;
  readonly options: O;
  readonly ports: AuthenticationPorts;
}

/** A signer whose signature was right. */
interface Proven<C extends SignerCredentials> {
  readonly credentials: C;
  readonly held: HeldCredential | null;
  readonly signer: Signer<unknown>;
  readonly signature: VerifiedSignature;
  readonly signedAtSeconds: number;
}

/**
 * Finds out who signed a request (spec §3), in five steps: read, identify, prove, check the body, reserve. Each of them
 * refuses, or goes on to the next, at once unless something must be waited for. What is wrong with the time or the
 * digest, or that the signature was used before, is reported only after the signature was right. The signature is
 * reserved last: it counts as used from then on, whatever else becomes of the request. Throws, or rejects with,
 * `StoreUnavailable` when it cannot be reserved.
 */
export function authenticateSigner<C extends SignerCredentials, O extends SignatureOptions, K>(
  strategy: SignatureStrategy<C, O, K>,
  routed: Routed,
  options: O,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const { request } = routed.received;
  const undelivered = refuseUndeliveredBody(request);
  if (undelivered !== null) return undelivered;
  const signed: Signed<C, O, K> = { strategy, routed, options, ports };
  return whenReady(strategy.read(routed, options), (credentials) =>
    isRefusal(credentials) ? credentials : identify(signed, credentials),
  );
}

/** Looks up whose App Key it is. */
function identify<C extends SignerCredentials, O extends SignatureOptions, K>(
  signed: Signed<C, O, K>,
  credentials: C,
): Pending<Authenticated | Refusal> {
  return whenReady(signed.routed.catalog.credentials.findByAppKey(credentials.appKey), (held) =>
    prove(signed, credentials, held),
  );
}

/** Checks the signature, and then its time. An unknown App Key takes as long as a known one. */
function prove<C extends SignerCredentials, O extends SignatureOptions, K>(
  signed: Signed<C, O, K>,
  credentials: C,
  held: HeldCredential | null,
): Pending<Authenticated | Refusal> {
  const { strategy, routed, options, ports } = signed;
  const nowSeconds = ports.clock.nowSeconds();
  const signer = findSigner(held, strategy.method, strategy.keys, nowSeconds);
  return whenReady(strategy.verify(credentials, signer.keys), (verified) => {
    const signature = judgeProof(signer, verified);
    if (isRefusal(signature)) {
      const stringToSign = options.signatureHints ? strategy.hintOf(credentials) : undefined;
      return refuseCaller(routed, stringToSign === undefined ? signature : { ...signature, stringToSign }, held);
    }
    const signedAtSeconds = credentials.signedAtSeconds ?? nowSeconds;
    const late = strategy.checkTime(signedAtSeconds, nowSeconds, options, credentials);
    if (late !== null) return nameCaller(late, held);
    return checkBody(signed, { credentials, held, signer, signature, signedAtSeconds });
  });
}

/** Checks a body of which only the digest was signed. */
function checkBody<C extends SignerCredentials, O extends SignatureOptions, K>(
  signed: Signed<C, O, K>,
  proven: Proven<C>,
): Pending<Authenticated | Refusal> {
  return whenReady(signed.strategy.checkBody(proven.credentials, signed.routed.received.request), (altered) =>
    altered === null ? reserve(signed, proven) : nameCaller(altered, proven.held),
  );
}

/** Marks the signature as used, where the endpoint remembers them, and vouches for the signer. */
function reserve<C extends SignerCredentials, O extends SignatureOptions, K>(
  signed: Signed<C, O, K>,
  proven: Proven<C>,
): Pending<Authenticated | Refusal> {
  if (!signed.options.replayProtection) return vouchForSigner(signed, proven);
  const { strategy, routed, ports } = signed;
  const { credentials, signer, signedAtSeconds } = proven;
  const reservation = ports.replayGuard.reserve(
    {
      method: strategy.method,
      appKey: credentials.appKey,
      mark: strategy.markOf(credentials),
      signedAtSeconds,
      credentialId: signer.credentialId,
      consumerId: signer.consumerId,
    },
    strategy.windowSeconds(routed.catalog.endpoints.longestSkewSeconds[strategy.method]),
  );
  return whenReady(reservation, (reserved) =>
    reserved === 'first' ? vouchForSigner(signed, proven) : nameCaller(refuseUsed(reserved, 'signature'), proven.held),
  );
}

function vouchForSigner<C extends SignerCredentials, O extends SignatureOptions, K>(
  { strategy, routed, options }: Signed<C, O, K>,
  { credentials, held, signature }: Proven<C>,
): Authenticated {
  const upstream = strategy.conceal(routed, options, credentials);
  return vouchFor(routed, held, upstream, signature.keyIndex === 0 ? 'current' : 'retiring');
}

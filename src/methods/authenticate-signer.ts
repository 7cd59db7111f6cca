import type { SignatureMethod, SignatureOptions } from '../model/endpoint.ts';
import type { Secret } from '../model/secret.ts';
import { type Pending, whenReady } from '../pending.ts';
import { isRefusal, type Refusal } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import { checkTime } from '../signing/signed-time.ts';
import { type Authenticated, type AuthenticationPorts, type UpstreamChanges, vouchFor } from './authenticated.ts';
import { findSigner, judgeProof, nameCaller, refuseCaller, secretOf, type VerifiedSignature } from './caller.ts';
import { refuseReplay } from './signed-request.ts';

/** A request whose credentials are well formed, whoever may have signed it. */
interface SignedRequest {
  readonly credentials: { readonly appKey: string; readonly mac: Uint8Array };
}

/** How one signature method proves its callers. `S` is what it read of a request. */
export interface SignatureStrategy<S extends SignedRequest, O extends SignatureOptions> {
  readonly method: SignatureMethod;
  /** Checks the signature with each secret in turn: the current one first, then a retiring one. */
  readonly verify: (signed: S, secrets: readonly Secret[]) => Pending<VerifiedSignature | Refusal>;
  /** The signed time in seconds since the epoch; null for none, which an endpoint that remembers signatures does not take. */
  readonly signedAtSeconds: (signed: S) => number | null;
  /** Checks the body by a digest that was signed instead of it; null when it is right, or there is none. */
  readonly checkBody: ((routed: Routed, signed: S) => Pending<Refusal | null>) | null;
  /** The string to sign that `signatureHints` shows. */
  readonly hintOf: (signed: S) => Buffer | undefined;
  readonly conceal: (routed: Routed, options: O, signed: S) => UpstreamChanges;
}

/**
 * Finds out who signed a request (spec §3). What is wrong with its time or its digest, or that the signature was used
 * before, is told only after the signature was right.
 */
export function authenticateSigner<S extends SignedRequest, O extends SignatureOptions>(
  strategy: SignatureStrategy<S, O>,
  routed: Routed,
  options: O,
  signed: S,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  return whenReady(routed.catalog.credentials.findByAppKey(signed.credentials.appKey), (held) => {
    const nowSeconds = ports.clock.nowSeconds();
    const signer = findSigner(held, strategy.method, nowSeconds);
    return whenReady(strategy.verify(signed, signer.secrets), (signature) => {
      const verified = judgeProof(signer, signature);
      if (isRefusal(verified)) {
        const stringToSign = options.signatureHints ? strategy.hintOf(signed) : undefined;
        return refuseCaller(routed, stringToSign === undefined ? verified : { ...verified, stringToSign }, held);
      }
      const signedAtSeconds = strategy.signedAtSeconds(signed) ?? nowSeconds;
      const late = checkTime(signedAtSeconds, nowSeconds, options.clockSkewSeconds);
      if (late !== null) return nameCaller(late, held);
      const accept = (altered: Refusal | null): Pending<Authenticated | Refusal> => {
        if (altered !== null) return nameCaller(altered, held);
        const { appKey, mac } = signed.credentials;
        const used = { method: strategy.method, appKey, mac, credentialId: signer.credentialId, signedAtSeconds };
        return whenReady(refuseReplay(routed, options, used, ports.replayGuard), (replayed) =>
          replayed === null
            ? vouchFor(routed, held, strategy.conceal(routed, options, signed), secretOf(verified))
            : nameCaller(replayed, held),
        );
      };
      return strategy.checkBody === null ? accept(null) : whenReady(strategy.checkBody(routed, signed), accept);
    });
  });
}

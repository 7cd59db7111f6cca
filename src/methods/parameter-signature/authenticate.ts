import type { ParameterSignatureOptions } from '../../model/endpoint.ts';
import { type Pending, whenReady } from '../../pending.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { checkTime } from '../../signing/signed-time.ts';
import { MAX_HINT_BYTES } from '../../signing/string-to-sign-hint.ts';
import { takeTurns } from '../../signing/work.ts';
import type { HeldCredential } from '../../store/credential-source.ts';
import {
  type Authenticated,
  type AuthenticationPorts,
  pathToSet,
  unchanged,
  type UpstreamChanges,
  vouchFor,
} from '../authenticated.ts';
import { findSigner, judgeProof, nameCaller, refuseCaller, secretOf } from '../caller.ts';
import { refuseReplay, refuseUndeliveredBody } from '../signed-request.ts';
import { type ParameterRequest, parseParameterRequest, parsingParameterRequest } from './request.ts';
import { type ParameterCredentials, parseParameterCredentials, verifyParameterSignature } from './signature.ts';
import { firstBytesOf } from './string-to-sign.ts';
import { stripReservedParameters } from './strip-parameters.ts';

/** A request whose parameters and credentials are well formed. */
interface Signed {
  readonly parameters: ParameterRequest;
  readonly credentials: ParameterCredentials;
}

/**
 * Authenticates by a signature over the parameters of the URL, a form or a JSON wrapper (spec §3.3). A wrapper's `data`
 * takes the place of the body: the very bytes that were verified.
 */
export function authenticateByParameterSignature(
  routed: Routed,
  options: ParameterSignatureOptions,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const { request } = routed.received;
  const undelivered = refuseUndeliveredBody(request);
  if (undelivered !== null) return undelivered;
  return whenReady(takeTurns(parsingParameterRequest(request, options)), (parameters) => {
    if (isRefusal(parameters)) return parameters;
    const credentials = parseParameterCredentials(parameters, options);
    if (isRefusal(credentials)) return credentials;
    return whenReady(routed.catalog.credentials.findByAppKey(credentials.appKey), (held) =>
      judge(routed, options, { parameters, credentials }, held, ports),
    );
  });
}

/**
 * Takes the wrapper off a well-formed JSON body, and with `hideCredentials` the reserved parameters out of query and
 * form; all other bytes stay (spec §3.3).
 */
function concealParameters(
  { received: { target, request } }: Routed,
  { hideCredentials }: ParameterSignatureOptions,
  parameters: ParameterRequest,
): UpstreamChanges {
  if (!hideCredentials) return { ...unchanged, body: parameters.data };
  const query =
    target.query === null ? null : stripReservedParameters(Buffer.from(target.query, 'latin1')).toString('latin1');
  const headersToSet = pathToSet(target, query);
  if (parameters.form !== 'form') return { ...unchanged, headersToSet, body: parameters.data };
  const stripped = stripReservedParameters(request.body);
  return { ...unchanged, headersToSet, body: stripped.length === request.bodyLength ? null : stripped };
}

/** The same where they were not read yet: `observe` lets only requests through in which they are well formed. */
export function concealReadParameters(routed: Routed, options: ParameterSignatureOptions): UpstreamChanges {
  const parameters = parseParameterRequest(routed.received.request, options);
  if (isRefusal(parameters)) throw new Error('an observed request whose parameters cannot be read was let through');
  return concealParameters(routed, options, parameters);
}

function judge(
  routed: Routed,
  options: ParameterSignatureOptions,
  { parameters, credentials }: Signed,
  held: HeldCredential | null,
  ports: AuthenticationPorts,
): Pending<Authenticated | Refusal> {
  const nowSeconds = ports.clock.nowSeconds();
  const signer = findSigner(held, 'parameter-signature', nowSeconds);
  return whenReady(takeTurns(verifyParameterSignature(credentials, signer.secrets)), (signature) => {
    const verified = judgeProof(signer, signature);
    const refuseWith = (refusal: Refusal): Refusal =>
      refuseCaller(routed, withHint(refusal, options, parameters), held);
    if (isRefusal(verified)) return refuseWith(verified);
    const { appKey, mac, timestampSeconds } = credentials;
    const late = timestampSeconds === null ? null : checkTime(timestampSeconds, nowSeconds, options.clockSkewSeconds);
    if (late !== null) return nameCaller(late, held);
    // Where signatures are remembered, a timestamp is required.
    const signedAtSeconds = timestampSeconds ?? nowSeconds;
    const { credentialId } = signer;
    return whenReady(
      refuseReplay(
        routed,
        options,
        { method: 'parameter-signature', appKey, mac, credentialId, signedAtSeconds },
        ports.replayGuard,
      ),
      (replayed) =>
        replayed === null
          ? vouchFor(routed, held, concealParameters(routed, options, parameters), secretOf(verified))
          : nameCaller(replayed, held),
    );
  });
}

function withHint(
  refusal: Refusal,
  { signatureHints }: ParameterSignatureOptions,
  { shownText }: ParameterRequest,
): Refusal {
  return signatureHints ? { ...refusal, stringToSign: firstBytesOf(shownText(), MAX_HINT_BYTES + 1) } : refusal;
}

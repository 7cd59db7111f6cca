import type { ParameterSignatureOptions } from '../../../model/endpoint.ts';
import type { Secret } from '../../../model/secret.ts';
import { whenReady } from '../../../base/pending.ts';
import { isRefusal } from '../../refusal.ts';
import type { Routed } from '../../route/route.ts';
import { MAX_HINT_BYTES } from '../../signing/string-to-sign-hint.ts';
import { takeTurns } from '../../../base/text/work.ts';
import { checkTime, timeWindow } from '../../signing/signed-time.ts';
import type { SignatureStrategy } from '../authenticate-signer.ts';
import { pathToSet, unchanged, type UpstreamChanges } from '../authenticated.ts';
import { appSecrets } from '../caller.ts';
import { type ParameterRequest, parseParameterRequest, parsingParameterRequest } from './request.ts';
import { type ParameterCredentials, parseParameterCredentials, verifyParameterSignature } from './signature.ts';
import { bytesOf } from './string-to-sign.ts';
import { stripReservedParameters } from './strip-parameters.ts';
import { FREE_BEFORE_DATA } from './wrapper.ts';

/**
 * Takes the wrapper off a well-formed JSON body, and with `hideCredentials` the reserved parameters out of query and
 * form; all other bytes stay (spec §3.3).
 */
function concealParameters(
  { received: { target, request } }: Routed,
  { hideCredentials }: ParameterSignatureOptions,
  parameters: ParameterRequest,
): UpstreamChanges {
  const body = parameters.data === null ? null : { bytes: parameters.data, freeBefore: FREE_BEFORE_DATA };
  if (!hideCredentials) return { ...unchanged, body };
  const query =
    target.query === null ? null : stripReservedParameters(Buffer.from(target.query, 'latin1')).toString('latin1');
  const headersToSet = pathToSet(target, query);
  if (parameters.form !== 'form') return { ...unchanged, headersToSet, body };
  const bytes = stripReservedParameters(request.body);
  return { ...unchanged, headersToSet, body: bytes.length === request.bodyLength ? null : { bytes, freeBefore: 0 } };
}

/** The same where they were not read yet: `observe` lets only requests through in which they are well formed. */
export function concealReadParameters(routed: Routed, options: ParameterSignatureOptions): UpstreamChanges {
  const parameters = parseParameterRequest(routed.received.request, options);
  if (isRefusal(parameters)) throw new Error('an observed request whose parameters cannot be read was let through');
  return concealParameters(routed, options, parameters);
}

/**
 * A signature over the parameters of the URL, a form or a JSON wrapper (spec §3.3). A wrapper's `data` takes the place
 * of the body: the very bytes that were verified.
 */
export const parameterStrategy: SignatureStrategy<ParameterCredentials, ParameterSignatureOptions, Secret> = {
  method: 'parameter-signature',
  read: ({ received: { request } }, options) =>
    whenReady(takeTurns(parsingParameterRequest(request, options)), (parameters) =>
      isRefusal(parameters) ? parameters : parseParameterCredentials(parameters, options),
    ),
  keys: appSecrets,
  verify: (credentials, secrets) => takeTurns(verifyParameterSignature(credentials, secrets)),
  checkTime: (signedAt, now, { clockSkewSeconds }) => checkTime(signedAt, now, clockSkewSeconds),
  checkBody: () => null,
  hintOf: ({ parameters }) => bytesOf(parameters.shownText(), MAX_HINT_BYTES + 1),
  markOf: ({ mac }) => mac,
  windowSeconds: timeWindow,
  conceal: (routed, options, { parameters }) => concealParameters(routed, options, parameters),
};

import { methods } from '../methods/methods.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { type Refusal, refusalAnswers } from '../refusal.ts';
import { describeStringToSign } from '../signing/string-to-sign-hint.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { deniedResponse, headerOption } from './check-response.ts';
import { decisionMetadata } from './decision-metadata.ts';
import { limitHeaders } from './limit-headers.ts';
import type { WireText } from './wire-text.ts';

const UNAUTHORIZED = 401;

/** A refused request and how far it came. */
export interface Rejection {
  readonly refusal: Refusal;
  readonly requestId: string;
  readonly endpoint: Endpoint | null;
  readonly caller: HeldCredential | null;
}

/** Writes the refusal that Envoy hands to the caller: status, JSON body, challenge and limit headers (spec §5). */
export function reject({ refusal, requestId, endpoint, caller }: Rejection): Buffer {
  const { status, message } = refusalAnswers[refusal.refused];
  const headers = [headerOption('content-type', 'application/json'), headerOption('cache-control', 'no-store')];
  const { challenge } = methods[endpoint?.authentication ?? 'key'];
  const error = challenge.errors[refusal.refused];
  if (status === UNAUTHORIZED || error !== undefined) {
    const explained = error === undefined ? '' : `, error="${error}", error_description="${message}"`;
    headers.push(headerOption('www-authenticate', `${challenge.scheme} realm="postern"${explained}`));
  }
  if (refusal.exceeded !== undefined) headers.push(...retryHeaders(refusal.exceeded));
  const hint = refusal.stringToSign === undefined ? {} : { stringToSign: describeStringToSign(refusal.stringToSign) };
  const body = JSON.stringify({ code: refusal.refused, message, requestId, ...hint });
  return deniedResponse(status, headers, body, decisionMetadata(refusal.refused, endpoint, caller));
}

function retryHeaders({ reading, retryAfterSeconds }: NonNullable<Refusal['exceeded']>): readonly WireText[] {
  const limits = reading === null ? [] : limitHeaders(reading);
  return [headerOption('retry-after', String(retryAfterSeconds)), ...limits];
}

import type { AuthenticationMethod, Endpoint } from '../model/endpoint.ts';
import type { Refusal } from '../refusal.ts';
import { describeStringToSign } from '../signature/string-to-sign-hint.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { deniedResponse, headerOption } from './check-response.ts';
import { decisionMetadata } from './decision-metadata.ts';
import { limitHeaders } from './limit-headers.ts';
import { refusalAnswers } from './refusal-answers.ts';
import type { WireText } from './wire-text.ts';

const UNAUTHORIZED = 401;

/** The scheme word of `WWW-Authenticate` for each method (spec §5). */
const challengeSchemes = {
  key: 'Key',
  hmac: 'hmac',
  'parameter-signature': 'Sign',
  oauth2: 'Bearer',
} as const satisfies Record<AuthenticationMethod, string>;

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
  if (status === UNAUTHORIZED) headers.push(headerOption('www-authenticate', challenge(endpoint)));
  if (refusal.exceeded !== undefined) headers.push(...retryHeaders(refusal.exceeded));
  const hint = refusal.stringToSign === undefined ? {} : { stringToSign: describeStringToSign(refusal.stringToSign) };
  const body = JSON.stringify({ code: refusal.refused, message, requestId, ...hint });
  return deniedResponse(status, headers, body, decisionMetadata(refusal.refused, endpoint, caller));
}

function challenge(endpoint: Endpoint | null): string {
  const method = endpoint?.authentication ?? 'key';
  return `${challengeSchemes[method]} realm="postern"`;
}

function retryHeaders({ reading, retryAfterSeconds }: NonNullable<Refusal['exceeded']>): readonly WireText[] {
  return [headerOption('retry-after', String(retryAfterSeconds)), ...limitHeaders(reading)];
}

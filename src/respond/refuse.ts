import type { AuthenticationMethod, Endpoint } from '../model/endpoint.ts';
import type { Refusal, RefusalCode } from '../refusal.ts';
import { describeStringToSign } from '../signing/string-to-sign-hint.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { bearerChallenge } from './bearer-challenge.ts';
import { deniedResponse, headerOption } from './check-response.ts';
import { decisionMetadata } from './decision-metadata.ts';
import { limitHeaders } from './limit-headers.ts';
import { refusalAnswers } from './refusal-answers.ts';
import type { WireText } from './wire-text.ts';

const BAD_REQUEST = 400;
const UNAUTHORIZED = 401;

/** The scheme word of `WWW-Authenticate` for each method (spec §5); that of oauth2 says more. */
const challengeSchemes = {
  key: 'Key',
  hmac: 'hmac',
  'parameter-signature': 'Sign',
} as const satisfies Record<Exclude<AuthenticationMethod, 'oauth2'>, string>;

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
  // RFC 6750 §3.1 wants it with 400, too.
  if (status === UNAUTHORIZED || (status === BAD_REQUEST && endpoint?.authentication === 'oauth2')) {
    headers.push(headerOption('www-authenticate', challenge(endpoint, refusal.refused)));
  }
  if (refusal.exceeded !== undefined) headers.push(...retryHeaders(refusal.exceeded));
  const hint = refusal.stringToSign === undefined ? {} : { stringToSign: describeStringToSign(refusal.stringToSign) };
  const body = JSON.stringify({ code: refusal.refused, message, requestId, ...hint });
  return deniedResponse(status, headers, body, decisionMetadata(refusal.refused, endpoint, caller));
}

function challenge(endpoint: Endpoint | null, code: RefusalCode): string {
  const method = endpoint?.authentication ?? 'key';
  if (method === 'oauth2') return bearerChallenge(code);
  return `${challengeSchemes[method]} realm="postern"`;
}

function retryHeaders({ reading, retryAfterSeconds }: NonNullable<Refusal['exceeded']>): readonly WireText[] {
  const limits = reading === null ? [] : limitHeaders(reading);
  return [headerOption('retry-after', String(retryAfterSeconds)), ...limits];
}

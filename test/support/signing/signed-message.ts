import type { ParameterEncoding } from '../../../src/model/endpoint.ts';
import type { HmacAlgorithm } from '../../../src/model/options/hmac-algorithms.ts';
import { type ClientRequest, signableRequest } from '../../../src/check/signing/client-request.ts';
import { type SignableRequest } from '../../../src/check/signing/signable-request.ts';

/** A request as Envoy reports it, in a form that is easy to write and to change. */
export interface SignedMessage extends ClientRequest {
  readonly protocol: string;
  readonly hasRawHeaders: boolean;
}

/** Everything of an endpoint's options that decides about a signature. */
export interface CheckOptions {
  readonly algorithms: readonly HmacAlgorithm[];
  readonly acceptRealHttpVersion: boolean;
  readonly clockSkewSeconds: number;
  readonly requireTimestamp: boolean;
  readonly parameterEncoding: ParameterEncoding;
  readonly strictParameters: boolean;
  readonly unsignedQuery: 'refuse' | 'forward';
  readonly unsignedBody: 'refuse' | 'forward';
}

/** The defaults of both signature methods. */
export const defaultOptions: CheckOptions = {
  algorithms: ['hmac-sha256'],
  acceptRealHttpVersion: false,
  clockSkewSeconds: 300,
  requireTimestamp: false,
  parameterEncoding: 'decoded',
  strictParameters: true,
  unsignedQuery: 'refuse',
  unsignedBody: 'refuse',
};

/** What a check of a signature comes to: `ACCEPTED` or a refusal code. */
export interface Outcome {
  readonly outcome: string;
  /** What the back end gets in place of a JSON wrapper; null when the body stays, or the wrapper is refused. */
  readonly data: Buffer | null;
}

/** A GET without anything, to be changed. */
export const emptyMessage: SignedMessage = {
  method: 'GET',
  path: '/',
  authority: 'api.example.com',
  protocol: 'HTTP/1.1',
  hasRawHeaders: true,
  headers: [],
  body: Buffer.alloc(0),
};

export function toSignable(message: SignedMessage): SignableRequest {
  const { protocol, hasRawHeaders } = message;
  const signable = signableRequest(message);
  return { ...signable, protocol, headers: { ...signable.headers, isRaw: hasRawHeaders } };
}

import type { RefusedRequest } from '../../../src/check/refusals/describe-refusal.ts';
import type { RefusalRecord } from '../../../src/check/refusals/refusal-record.ts';
import { held } from '../store/held.ts';
import { NOON } from '../time/fixed-clock.ts';

/** A request of `acme` to `orders`, refused for its signature. */
export function refused(parts: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    about: held('acme-hmac'),
    unmatched: null,
    requestId: 'r-1',
    endpoint: { id: 'orders', labels: {} },
    request: { method: 'GET', path: '/orders/7?appKey=K' },
    code: 'AUTHENTICATION_FAILED',
    detail: 'the signature does not fit the request',
    isObserved: false,
    stringToSign: null,
    findSource: () => '192.0.2.7',
    ...parts,
  };
}

/** A request of another consumer. */
export function refusedOf(consumerId: string): RefusedRequest {
  return refused({ about: held(`${consumerId}-hmac`, consumerId) });
}

/** A request that no endpoint took. */
export function refusedUnmatched(kind: 'near' | 'stray' = 'near'): RefusedRequest {
  const detail = kind === 'near' ? 'the endpoint orders takes GET; the request is POST' : 'no endpoint matches';
  const own = { about: null, unmatched: kind, endpoint: null, code: 'ENDPOINT_NOT_FOUND', detail } as const;
  return refused({ ...own, request: { method: 'POST', path: '/orders/7?appKey=K' } });
}

let records = 0;

/** A record as it is kept. */
export function record(parts: Partial<RefusalRecord> = {}): RefusalRecord {
  records += 1;
  return {
    id: records.toString(16).padStart(24, '0'),
    atMs: NOON * 1000,
    requestId: `r-${String(records)}`,
    endpointId: 'orders',
    method: 'GET',
    path: '/orders/7',
    code: 'AUTHENTICATION_FAILED',
    detail: 'the signature does not fit the request',
    isObserved: false,
    consumerId: 'acme',
    credentialId: 'acme-hmac',
    sourceAddress: '192.0.2.7',
    stringToSign: null,
    leftOut: 0,
    ...parts,
  };
}

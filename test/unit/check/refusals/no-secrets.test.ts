import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createCheckObserver } from '../../../../src/gateway/observe/request-observers.ts';
import { createLogger } from '../../../../src/gateway/observe/logger.ts';
import { Metrics } from '../../../../src/gateway/observe/metrics.ts';
import { RefusalRecorder } from '../../../../src/check/refusals/refusal-recorder.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { sharedSecret } from '../../../../src/model/material.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { createCheckHandler } from '../../../../src/gateway/serving/check-handler.ts';
import { checkRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import {
  APP_KEY,
  catalogOf,
  consumer,
  credential,
  keyEndpoint,
  partnerEndpoint,
} from '../../../support/pipeline/resources.ts';
import type { RefusalEntry } from '../../../../src/check/refusals/refusal-record.ts';
import { ManualTime } from '../../../support/time/manual-time.ts';

const APP_SECRET = 'ZmFrZS1hcHAtc2VjcmV0LW9mLXRoZXNlLXRlc3Rz';
const hmacOptions = { ...partnerEndpoint('hmac').options, signatureHints: true };
const parameterOptions = { ...partnerEndpoint('parameter-signature').options, signatureHints: true };
const endpoints = [
  keyEndpoint({ accessCondition: 'authenticated-and-authorized' }),
  keyEndpoint({
    id: 'watched',
    paths: [{ prefix: '/watched' }],
    accessCondition: 'authenticated-and-authorized',
    options: { mode: 'observe' },
  }),
  partnerEndpoint('hmac', { id: 'invoices', paths: [{ prefix: '/invoices' }], options: hmacOptions }),
  partnerEndpoint('parameter-signature', {
    id: 'shipments',
    paths: [{ prefix: '/shipments' }],
    options: parameterOptions,
  }),
];
const signer = {
  ...credential(),
  id: 'acme-signer',
  appKeyHash: hashAppKey('acme-signer-key'),
  methods: ['hmac', 'parameter-signature'] as const,
  material: sharedSecret(Secret.fromText(APP_SECRET)),
};
const catalog = catalogOf({ endpoints, consumers: [consumer()], credentials: [credential(), signer], grants: [] });

/** What is kept of requests that go through the whole pipeline. */
async function keep(requests: readonly RequestParts[]): Promise<readonly RefusalEntry[]> {
  const time = new ManualTime();
  const kept: RefusalEntry[] = [];
  const recorder = new RefusalRecorder({
    clock: time,
    startTimer: time.startTimer,
    keepsSource: true,
    keep: (entry) => kept.push(entry),
  });
  const observer = createCheckObserver({
    logger: createLogger('error', { write: () => undefined }),
    metrics: new Metrics('test'),
    budget: { take: () => false },
    recordUse: null,
    recordRefusal: recorder.record,
    countTraffic: () => undefined,
  });
  const handle = createCheckHandler({ ...testGateway({ catalog: () => catalog }).ports, observer });
  for (const request of requests) await handle(checkRequest(request));
  await time.advance(0);
  return kept;
}

/** A request with a wrong signature of the signer. */
function hmacRequest(path: string, headers: RequestParts['headers'] = [], signed = ''): RequestParts {
  const authorization = `hmac appkey="acme-signer-key", algorithm="hmac-sha256", headers="date request-line${signed}", signature="${'A'.repeat(43)}="`;
  return {
    path,
    headers: [['date', 'Thu, 01 Oct 2026 12:00:00 GMT'], ...headers, ['authorization', authorization]],
  };
}

describe('what is kept of refused requests', () => {
  it('is known callers only, and what no endpoint took, with the request as Envoy reports it', async () => {
    const kept = await keep([
      { path: `/orders/7?appKey=${APP_KEY}&x=1`, peer: '192.0.2.9', headers: [['x-request-id', 'r-7']] },
      { path: `/watched?appKey=${APP_KEY}`, headers: [['x-envoy-external-address', '2001:db8::7']], peer: '192.0.2.9' },
      { path: '/orders?appKey=nobody-has-this-one' },
      { path: `/nowhere?appKey=${APP_KEY}`, headers: [['x-request-id', 'r-8']] },
      { path: `/orders//7?appKey=${APP_KEY}`, headers: [['x-request-id', 'r-9']] },
    ]);
    assert.deepEqual(
      kept
        .slice(2)
        .map((entry) => ('code' in entry ? [entry.code, entry.path, entry.requestId, entry.consumerId] : [])),
      [
        ['ENDPOINT_NOT_FOUND', '/nowhere', 'r-8', null],
        ['PATH_NOT_NORMAL', '/orders//7', 'r-9', null],
      ],
    );
    assert.ok(!JSON.stringify(kept).includes(APP_KEY));
    assert.deepEqual(
      kept.slice(0, 2).map((entry) => ({ ...entry, id: null, atMs: null })),
      [
        ['r-7', 'orders', '/orders/7', false, '192.0.2.9'],
        [
          kept[1] !== undefined && 'requestId' in kept[1] ? kept[1].requestId : '',
          'watched',
          '/watched',
          true,
          '2001:db8::7',
        ],
      ].map(([requestId, endpointId, path, isObserved, sourceAddress]) => ({
        ...{ id: null, atMs: null, requestId, endpointId, method: 'GET', path },
        ...{ code: 'NOT_AUTHORIZED', detail: 'the consumer acme has no grant' },
        ...{ isObserved, sourceAddress, consumerId: 'acme', credentialId: 'acme-key', stringToSign: null, leftOut: 0 },
        ownedBy: [],
      })),
    );
  });

  it('has the string to sign of a wrong signature where the endpoint gives hints', async () => {
    const [hmac, parameters] = await keep([
      hmacRequest('/invoices?x=1'),
      { path: `/shipments?appKey=acme-signer-key&to=Oslo&sign=${'0'.repeat(128)}` },
    ]);
    assert.equal(
      hmac !== undefined && 'stringToSign' in hmac && hmac.stringToSign,
      'date: Thu, 01 Oct 2026 12:00:00 GMT\nGET /invoices?x=1 HTTP/1.1',
    );
    assert.equal(
      parameters !== undefined && 'stringToSign' in parameters && parameters.stringToSign,
      'appKey=acme-signer-key&to=Oslo',
    );
  });

  it('never holds what lets somebody in, wherever a caller puts it', async () => {
    const secretText = fc.stringMatching(/^[A-Za-z0-9_-]{24,40}$/);
    const place = fc.constantFrom(
      'token',
      'access_token',
      'client_secret',
      'password',
      'appSecret',
      'apiKey',
      'x-api-key',
    );
    await fc.assert(
      fc.asyncProperty(secretText, place, fc.integer({ min: 0, max: 5000 }), async (secret, name, filling) => {
        const query = `${name}=${secret}`;
        const signedQuery = `/invoices?${query}&filling=${'x'.repeat(filling)}&copy=${APP_SECRET}`;
        const kept = await keep([
          { path: `/orders?appKey=${APP_KEY}&${query}`, headers: [['authorization', `Bearer ${secret}`]] },
          {
            path: '/orders',
            headers: [
              ['x-app-key', APP_KEY],
              ['cookie', secret],
            ],
          },
          hmacRequest(signedQuery),
          hmacRequest(
            '/invoices',
            [
              ['cookie', `session=${secret}`],
              ['x-api-key', secret],
            ],
            ' cookie x-api-key',
          ),
          {
            path: `/shipments?appKey=acme-signer-key&${query.replace('-', '_')}&copy=${APP_SECRET}&sign=${'0'.repeat(128)}`,
          },
        ]);
        assert.equal(kept.length, 5);
        const text = JSON.stringify(kept);
        for (const each of [APP_KEY, APP_SECRET, secret]) {
          assert.ok(!text.includes(each), `${each} in ${text}`);
        }
      }),
      { numRuns: 25 },
    );
  });
});

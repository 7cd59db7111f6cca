import assert from 'node:assert/strict';
import { receive } from '../../../../src/check/receive/receive.ts';
import { isRefusal } from '../../../../src/check/refusal.ts';
import { route } from '../../../../src/check/route/route.ts';
import { httpRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';
import { keyEndpoint, openEndpoint, catalogOf } from '../../../support/pipeline/resources.ts';

const catalog = catalogOf({
  endpoints: [
    keyEndpoint({ id: 'orders', methods: ['GET'] }),
    openEndpoint({ id: 'everything', paths: [{ prefix: '/' }] }),
    keyEndpoint({ id: 'off', paths: [{ prefix: '/off' }], enabled: false }),
  ],
});

function routeOf(parts: RequestParts) {
  const received = receive(httpRequest(parts));
  assert.ok(!isRefusal(received));
  const routed = route(received, catalog);
  return isRefusal(routed) ? `${routed.refused}: ${routed.detail}` : routed.endpoint.id;
}

describe('routing', () => {
  it('chooses by host, path and method', () => {
    assert.equal(routeOf({ path: '/orders/7' }), 'orders');
    assert.equal(routeOf({ path: '/status' }), 'everything');
  });

  it('refuses a method that the best endpoint does not take, though a wider one would', () => {
    assert.equal(
      routeOf({ method: 'PUT', path: '/orders' }),
      'ENDPOINT_NOT_FOUND: the endpoint orders takes GET; the request is PUT',
    );
  });

  it('names every endpoint of the path and its methods, but those that are disabled', () => {
    const shared = catalogOf({
      endpoints: [
        keyEndpoint({ id: 'read', paths: [{ prefix: '/stock' }], methods: ['GET', 'HEAD'] }),
        keyEndpoint({ id: 'write', paths: [{ prefix: '/stock' }], methods: ['PUT'] }),
        keyEndpoint({ id: 'gone', paths: [{ prefix: '/stock' }], methods: ['PATCH'], enabled: false }),
        keyEndpoint({ id: 'all-off', paths: [{ prefix: '/off' }], methods: ['GET'], enabled: false }),
      ],
    });
    const cases: readonly (readonly [RequestParts, string, true | undefined])[] = [
      [
        { method: 'POST', path: '/stock/1' },
        'the endpoint read takes GET, HEAD, the endpoint write takes PUT; the request is POST',
        true,
      ],
      [{ method: 'PATCH', path: '/stock' }, 'the endpoint gone is disabled', true],
      [{ method: 'PUT', path: '/off' }, 'no endpoint matches host, path and method', undefined],
      [{ method: 'GET', path: '/nothing' }, 'no endpoint matches host, path and method', undefined],
    ];
    for (const [parts, detail, isNearMiss] of cases) {
      const received = receive(httpRequest(parts));
      assert.ok(!isRefusal(received));
      const refusal = route(received, shared);
      assert.ok(isRefusal(refusal));
      assert.deepEqual(
        [refusal.refused, refusal.detail, refusal.isNearMiss],
        ['ENDPOINT_NOT_FOUND', detail, isNearMiss],
      );
    }
  });

  it('takes the endpoint that the Envoy route names, whatever it matches', () => {
    assert.equal(routeOf({ method: 'PUT', path: '/status', endpoint: 'orders' }), 'orders');
  });

  it('refuses a named endpoint that does not exist, and says that the configuration is at fault', () => {
    assert.equal(
      routeOf({ endpoint: 'oders\n' }),
      'ENDPOINT_NOT_FOUND: configuration fault: the Envoy route names the endpoint "oders?", which does not exist',
    );
    assert.match(routeOf({ endpoint: '' }), /^ENDPOINT_NOT_FOUND: configuration fault/);
  });

  it('refuses what belongs to a disabled endpoint, by match and by name', () => {
    const refused = 'ENDPOINT_NOT_FOUND: the endpoint off is disabled';
    assert.equal(routeOf({ path: '/off/x' }), refused);
    assert.equal(routeOf({ path: '/orders', endpoint: 'off' }), refused);
  });

  it('keeps the catalog it was decided with', () => {
    const received = receive(httpRequest());
    assert.ok(!isRefusal(received));
    const routed = route(received, catalog);
    assert.ok(!isRefusal(routed));
    assert.equal(routed.catalog, catalog);
    assert.equal(routed.received, received);
  });
});

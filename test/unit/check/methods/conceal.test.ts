import assert from 'node:assert/strict';
import { concealCredentials } from '../../../../src/check/methods/authenticate.ts';
import { type Endpoint } from '../../../../src/model/endpoint.ts';
import { receive } from '../../../../src/check/receive/receive.ts';
import { isRefusal } from '../../../../src/check/refusal.ts';
import { route } from '../../../../src/check/route/route.ts';
import { httpRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';
import { keyEndpoint, openEndpoint, partnerEndpoint, catalogOf } from '../../../support/pipeline/resources.ts';
import { jsonRequest, wrapperOf } from '../../../support/partner/parameters.ts';
import { asCheck } from '../../../support/partner/signed-gateway.ts';

function concealed(endpoint: Endpoint, request: RequestParts) {
  const received = receive(httpRequest(request));
  assert.ok(!isRefusal(received));
  const routed = route(received, catalogOf({ endpoints: [endpoint], credentials: [] }));
  assert.ok(!isRefusal(routed));
  const { headersToSet, headersToRemove, body } = concealCredentials(routed);
  return {
    path: headersToSet[0]?.[1] ?? null,
    headersToRemove,
    body: body === null ? null : body.bytes.toString(),
  };
}

const nothing = { path: null, headersToRemove: [], body: null };
const request: RequestParts = {
  path: '/orders?appKey=k&sign=s&x=1',
  headers: [
    ['authorization', 'hmac x'],
    ['x-app-key', 'k'],
  ],
};

describe('credentials of a request without an authenticated caller', () => {
  it('are taken out by the method of the endpoint', () => {
    assert.deepEqual(concealed(keyEndpoint(), request), {
      ...nothing,
      path: '/orders?sign=s&x=1',
      headersToRemove: ['x-app-key'],
    });
    assert.deepEqual(concealed(partnerEndpoint('hmac'), request), { ...nothing, headersToRemove: ['authorization'] });
    const { options } = partnerEndpoint('parameter-signature');
    const hiding = partnerEndpoint('parameter-signature', { options: { ...options, hideCredentials: true } });
    assert.deepEqual(concealed(hiding, request), { ...nothing, path: '/orders?x=1' });
    assert.deepEqual(concealed(partnerEndpoint('parameter-signature'), request), nothing);
  });

  it('stay on an open endpoint', () => {
    assert.deepEqual(concealed(openEndpoint(), request), nothing);
  });

  it('never go on in a wrapper', () => {
    const wrapped = asCheck(jsonRequest('/orders', wrapperOf('inner', { secret: 'any' })));
    assert.deepEqual(concealed(partnerEndpoint('parameter-signature'), wrapped), { ...nothing, body: 'inner' });
  });

  it('are a defect, not an allow, where the parameters cannot be read', () => {
    const broken = asCheck(jsonRequest('/orders', '{"data":'));
    assert.throws(() => concealed(partnerEndpoint('parameter-signature'), broken), /cannot be read was let through/);
  });
});

import assert from 'node:assert/strict';
import { receive } from '../../../../src/check/receive/receive.ts';
import { isRefusal } from '../../../../src/check/refusal.ts';
import { bodyForms, headerForms, httpRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';

function refusalOf(parts: RequestParts): string | null {
  const received = receive(httpRequest(parts));
  return isRefusal(received) ? received.refused : null;
}

describe('receiving a request', () => {
  it('gives target and host of a request in normal form', () => {
    const received = receive(httpRequest({ path: '/Orders;v=1/%41?x=%zz', authority: 'API.Example.com.:8080' }));
    assert.ok(!isRefusal(received));
    assert.equal(received.host, 'api.example.com');
    assert.deepEqual(received.target, {
      raw: '/Orders;v=1/%41?x=%zz',
      path: '/Orders;v=1/%41',
      query: 'x=%zz',
      comparable: '/Orders/A',
    });
  });

  for (const headerForm of headerForms) {
    describe(`with headers as ${headerForm}`, () => {
      for (const mark of ['true', 'True', 'TRUE']) {
        it(`refuses a body that Envoy marks as partial with "${mark}"`, () => {
          const headers = [['x-envoy-auth-partial-body', mark]] as const;
          assert.equal(refusalOf({ headerForm, headers, body: 'b' }), 'BODY_TOO_LARGE');
          assert.equal(refusalOf({ headerForm, headers }), 'BODY_TOO_LARGE');
        });
      }

      it('passes a body that Envoy marks as whole', () => {
        assert.equal(refusalOf({ headerForm, headers: [['x-envoy-auth-partial-body', 'false']], body: 'b' }), null);
      });

      it('refuses a mark behind a forged one', () => {
        const headers = [
          ['x-envoy-auth-partial-body', 'false'],
          ['x-envoy-auth-partial-body', 'true'],
        ] as const;
        assert.equal(refusalOf({ headerForm, headers, body: 'b' }), 'BODY_TOO_LARGE');
      });
    });
  }

  for (const bodyForm of bodyForms) {
    it(`refuses a body as ${bodyForm} whose size is not the one delivered`, () => {
      assert.equal(refusalOf({ bodyForm, body: 'body', size: 4 }), null);
      for (const size of [3, 5, 0, -1]) {
        assert.equal(refusalOf({ bodyForm, body: 'body', size }), 'BODY_TOO_LARGE', String(size));
      }
      assert.equal(refusalOf({ bodyForm, size: 1 }), 'BODY_TOO_LARGE');
    });
  }

  it('looks at the body before the target, and at the target before the authority', () => {
    const broken = { path: '//', authority: 'a b' } as const;
    assert.equal(refusalOf({ ...broken, size: 1 }), 'BODY_TOO_LARGE');
    assert.equal(refusalOf(broken), 'PATH_NOT_NORMAL');
    assert.equal(refusalOf({ ...broken, path: '/' }), 'MALFORMED_REQUEST');
  });

  for (const [method, path] of [
    ['CONNECT', '/'],
    ['CONNECT', ''],
    ['OPTIONS', '*'],
    ['GET', ''],
    ['GET', 'http://api.example.com/'],
  ] as const) {
    it(`refuses ${method} "${path}"`, () => {
      assert.equal(refusalOf({ method, path }), 'PATH_NOT_NORMAL');
    });
  }

  it('reads the target from the raw header, not from the text in which Envoy writes "!"', () => {
    assert.equal(refusalOf({ path: '/\xe9' }), 'PATH_NOT_NORMAL');
    assert.equal(refusalOf({ path: '/!' }), null);
  });
});

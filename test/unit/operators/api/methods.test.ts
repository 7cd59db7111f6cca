import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { MemoryApi } from '../../../support/api/memory-api.ts';

/** What a request of the Fetch API can have. The listener's tests have the others. */
const methods = METHODS.filter((method) => !['CONNECT', 'TRACE', 'TRACK'].includes(method));

describe('management API: methods', () => {
  let api: MemoryApi;
  let paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {};
  before(async () => {
    api = new MemoryApi();
    await api.add('alice', 'admin');
    const { body } = await api.ask(null, 'GET', '/openapi.json');
    paths = body['paths'] as typeof paths;
    assert.ok(Object.keys(paths).length > 25);
  });

  it('are refused on every path of the document that lacks them, with those that it has', async () => {
    let asked = 0;
    for (const [path, operations] of Object.entries(paths)) {
      const has = new Set(Object.keys(operations).map((method) => method.toUpperCase()));
      if (has.has('GET')) has.add('HEAD');
      const address = path.replace('{event}', '65a1f0c2b3d4e5f601234567').replaceAll(/\{\w+\}/g, 'acme');
      api.now += 60; // or there would be too many requests of a minute
      for (const method of methods.filter((each) => !has.has(each))) {
        const { status, headers, text } = await api.send('alice', method, address);
        assert.equal(status, 405, `${method} ${path}`);
        assert.deepEqual(new Set((headers.get('allow') ?? '').split(', ')), has, `${method} ${path}`);
        assert.equal(headers.get('content-type'), 'application/problem+json');
        if (method !== 'HEAD') assert.equal((JSON.parse(text) as { code: string }).code, 'METHOD_NOT_ALLOWED', path);
        asked += 1;
      }
    }
    assert.ok(asked > 500, String(asked));
  });

  it('are refused on paths that need no operator', async () => {
    for (const path of ['/livez', '/readyz', '/openapi.json']) {
      const { headers } = await api.refused('METHOD_NOT_ALLOWED', null, 'POST', path);
      assert.equal(headers.get('allow'), 'GET, HEAD', path);
    }
  });

  it('say nothing to somebody who is no operator, and nothing of paths that are none', async () => {
    await api.refused('UNAUTHENTICATED', null, 'DELETE', '/v1/consumers');
    for (const path of ['/v1', '/v1/consumers/', '/v1/consumers/acme/nothing', '/v1/tokens']) {
      await api.refused('NOT_FOUND', 'alice', 'DELETE', path);
    }
  });

  it('come before the body is looked at', async () => {
    const given = { body: '<a/>', headers: { 'content-type': 'application/xml' } };
    await api.refused('METHOD_NOT_ALLOWED', 'alice', 'PUT', '/v1/consumers', given);
    await api.refused('UNSUPPORTED_MEDIA_TYPE', 'alice', 'POST', '/v1/consumers', given);
  });
});

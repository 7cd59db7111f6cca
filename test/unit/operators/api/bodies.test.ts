import assert from 'node:assert/strict';
import { MemoryApi } from '../../../support/api/memory-api.ts';

describe('management API: what a body is', () => {
  let api: MemoryApi;
  before(async () => {
    api = new MemoryApi();
    await api.add('root', 'admin');
    await api.done('root', 'POST', '/v1/consumers', { body: { id: 'acme' } });
  });
  const create = '/v1/consumers?dryRun=true';
  const asked = (
    headers: Readonly<Record<string, string>>,
    body: unknown = { id: 'new' },
  ): { body: unknown; headers: Readonly<Record<string, string>> } => ({
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

  it('is JSON in UTF-8', async () => {
    const types = ['application/json', 'Application/JSON; charset=utf-8', 'application/json;charset="UTF-8"'];
    for (const type of [...types, 'application/json; x=y', 'application/merge-patch+json']) {
      await api.done('root', 'POST', create, asked({ 'content-type': type }));
    }
    for (const type of ['text/plain', 'application/xml', 'application/jsonp', 'application/x-www-form-urlencoded']) {
      await api.refused('UNSUPPORTED_MEDIA_TYPE', 'root', 'POST', create, asked({ 'content-type': type }));
    }
  });

  it('has no other charset and no encoding, which nothing would decode', async () => {
    for (const charset of ['latin1', 'utf-16', 'utf-7', '"utf-8', 'utf-8; charset=latin1', '']) {
      const sent = asked({ 'content-type': `application/json; charset=${charset}` });
      const { body } = await api.refused('UNSUPPORTED_MEDIA_TYPE', 'root', 'POST', create, sent);
      assert.match(String(body['detail']), /charset/);
    }
    for (const encoding of ['gzip', 'deflate', 'br', 'identity, gzip', 'x']) {
      for (const method of ['POST', 'PATCH', 'DELETE'] as const) {
        const path = method === 'POST' ? '/v1/consumers' : '/v1/consumers/acme';
        const sent = asked({ 'content-encoding': encoding, 'if-match': '*' }, method === 'DELETE' ? undefined : {});
        const { headers } = await api.refused('UNSUPPORTED_MEDIA_TYPE', 'root', method, path, sent);
        assert.equal(headers.get('accept-encoding'), 'identity');
      }
    }
    await api.done('root', 'POST', create, asked({ 'content-encoding': 'identity' }));
  });

  it('is refused with 400 where it is no JSON', async () => {
    for (const text of ['{', '{"id":"new"', "{'id':'new'}", '[', 'NaN', '\u0000']) {
      await api.refused('MALFORMED_REQUEST', 'root', 'POST', create, asked({}, text));
    }
    for (const value of [[], 1, true, null, 'text', [{ id: 'new' }]]) {
      await api.refused('MALFORMED_REQUEST', 'root', 'POST', create, asked({}, JSON.stringify(value)));
    }
    const deep = `{"id":"new","labels":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await api.refused('INVALID_RESOURCE', 'root', 'POST', create, asked({}, deep));
    await api.refused('INVALID_RESOURCE', 'root', 'POST', create, asked({}, deep.replace('[', '["__proto__",')));
    assert.deepEqual(api.defects, []);
  });
});

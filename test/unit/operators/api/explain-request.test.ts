import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { textOf } from '../../../../src/resources/changes/generate-credential.ts';
import { appSecretOf } from '../../../../src/model/material.ts';
import type { MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';
import { record } from '../../../support/refusals/refused.ts';

const owned = ['["team","payments"]'];

describe('management API: a refusal with its request', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
    await api.add('sam', 'support');
    await api.add('sara', 'support', { selector: { team: 'payments' } });
    const atMs = api.now * 1000;
    api.refusals.push(
      record({ requestId: 'r-1', endpointId: 'orders', path: '/orders', atMs, ownedBy: owned }),
      record({ requestId: 'r-2', endpointId: 'salaries', path: '/salaries', atMs, ownedBy: ['["team","people"]'] }),
      record({ requestId: 'r-3', endpointId: 'gone', path: '/gone', atMs, ownedBy: owned }),
    );
  });

  /** A request to `/orders?a=1`, signed over another text than it has to be. */
  async function sent(credentialId: string): Promise<{ readonly text: string; readonly secrets: readonly string[] }> {
    const stored = await api.store.find('credential', credentialId);
    const secret = stored === null ? null : appSecretOf(stored.resource.material);
    assert.ok(stored?.resource.appKey != null && secret !== null);
    const date = new Date(api.now * 1000).toUTCString();
    const signed = `date: ${date}\nGET /orders HTTP/1.1`;
    const signature = createHmac('sha256', textOf(secret)).update(signed).digest('base64');
    const key = textOf(stored.resource.appKey);
    const text = `GET /orders?a=1 HTTP/1.1
Host: api.example.com
Date: ${date}
Authorization: hmac appkey="${key}", algorithm="hmac-sha256", headers="date request-line", signature="${signature}"

`;
    return { text, secrets: [textOf(secret), signature] };
  }

  const ask = (text: string): { readonly body: object } => ({ body: { request: text } });

  it('is explained as `postern explain` does, by support without database and key ring', async () => {
    const { text, secrets } = await sent('acme-hmac');
    for (const who of ['sam', 'sara']) {
      const { body } = await api.done(who, 'POST', '/v1/refusals/r-1:explain', ask(text));
      assert.equal(body['verdict'], 'wrong');
      assert.deepEqual(
        (body['mistakes'] as readonly { name: string }[]).map(({ name }) => name),
        ['path-without-query'],
      );
      const told = String(body['text']);
      assert.match(told, /^Wrong: the path was signed without its query\. \[path-without-query\]\n/);
      assert.match(told, /The gateway answers 401 AUTHENTICATION_FAILED: the signature does not fit the request\./);
      assert.match(told, /Note: The refusal that is kept: AUTHENTICATION_FAILED/);
      for (const secret of secrets) assert.ok(!JSON.stringify(body).includes(secret));
      assert.ok(!JSON.stringify(api.answered).includes('/orders?a=1'));
    }
  });

  it('tells nothing of whose App Key it is beyond reach: it is as one that nobody has', async () => {
    const explain = async (text: string): Promise<string> =>
      String((await api.done('sara', 'POST', '/v1/refusals/r-1:explain', ask(text))).body['text']);
    const { text } = await sent('initech-hmac');
    const nobody = await explain(text.replace(/appkey="[^"]*"/, 'appkey="nobody"'));
    const foreign = await explain(text);
    assert.match(nobody, /app-key-unknown/);
    assert.equal(foreign, nobody);
    const all = await api.done('sam', 'POST', '/v1/refusals/r-1:explain', ask(text));
    assert.doesNotMatch(String(all.body['text']), /app-key-unknown/);
  });

  it('is refused beyond reach, without the role, without the endpoint, and for what is no request', async () => {
    const { text } = await sent('acme-hmac');
    const refused = async (code: string, who: string, id: string, request: string): Promise<unknown> =>
      (await api.refused(code, who, 'POST', `/v1/refusals/${id}:explain`, ask(request))).body['detail'];
    await refused('FORBIDDEN', 'victor', 'r-1', text);
    assert.match(
      String(await refused('NOT_FOUND', 'sara', 'r-2', text)),
      /^no refusal with the request id r-2 is kept/,
    );
    assert.equal(
      await refused('CONFLICT', 'sam', 'r-3', text),
      'the endpoint that refused the request is no longer there, so the request cannot be explained',
    );
    assert.equal(await refused('INVALID_RESOURCE', 'sam', 'r-1', ' '), 'there is no text');
    await refused('MALFORMED_REQUEST', 'sam', 'r-1', '');
  });
});

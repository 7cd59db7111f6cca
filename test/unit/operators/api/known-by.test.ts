import assert from 'node:assert/strict';
import { type Answer, type MemoryApi } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';
import { sampleAuthority, sampleCertificate } from '../../../support/certificates/samples.ts';

describe('management API: credentials without an App Key', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  async function issue(body: object): Promise<Answer> {
    return await api.ask('paula', 'POST', '/v1/credentials:issue', { body: { consumer: 'globex', ...body } });
  }

  const jwt = { method: 'jwt', issuer: 'payments', claims: { azp: 'batch' } };

  it('are issued for claims, and shown without an App Key', async () => {
    const made = await issue({ ...jwt, id: 'a' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const expected = { id: 'a', consumer: 'globex', method: 'jwt', issuer: 'payments', claims: { azp: 'batch' } };
    assert.deepEqual(made.body, { ...expected, state: 'active', revision: 1 });
    const { body } = await api.ask('paula', 'GET', '/v1/credentials/a');
    assert.deepEqual([body['claims'], body['appKey'], body['appKeyHash']], [{ azp: 'batch' }, undefined, undefined]);
    const taken = await issue({ ...jwt, id: 'b' });
    assert.equal(taken.status, 409);
    assert.match(JSON.stringify(taken.body), /is known by the claims azp=batch of the issuer payments/);
  });

  it('say what to do where a stopped one is known by the same, in the store and in the plan', async () => {
    await issue({ ...jwt, id: 'a' });
    const revoked = await api.ask('paula', 'POST', '/v1/credentials/a:revoke', { headers: { 'if-match': '*' } });
    assert.equal(revoked.status, 200, JSON.stringify(revoked.body));
    const taken = await issue({ ...jwt, id: 'b' });
    assert.equal(taken.status, 409);
    assert.match(
      JSON.stringify(taken.body),
      /it is revoked, and keeps that: \\"postern apply\\" brings it back with --revive, or deletes it with --prune/,
    );
  });

  it('are issued for a certificate, whose end is shown and found', async () => {
    const made = await issue({ method: 'certificate', certificate: { pem: sampleCertificate.pem }, id: 'c' });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const certificate = { sha256: sampleCertificate.sha256, notAfter: '2051-07-21T23:36:01Z' };
    assert.deepEqual([made.body['certificate'], made.body['certificateEndsAt']], [certificate, certificate.notAfter]);
    const byName = { uri: sampleCertificate.uri, authority: { pem: sampleAuthority.pem } };
    const named = await issue({ method: 'certificate', certificate: byName, id: 'd' });
    assert.deepEqual([named.status, named.body['certificate']], [201, byName]);
    const { body } = await api.ask('paula', 'GET', '/v1/credentials?expiringWithin=20000d');
    const { items } = body as { items: readonly { readonly id: string }[] };
    const ids = items.map(({ id }) => id);
    assert.ok(ids.includes('c') && ids.includes('d'), ids.join());
  });

  it('are refused by the name of the field', async () => {
    const wrong: readonly (readonly [object, RegExp])[] = [
      [{ method: 'jwt', issuer: 'i' }, /\\"claims\\" is missing/],
      [{ ...jwt, issuer: 'payment' }, /there is no issuer \\"payment\\"; did you mean \\"payments\\"\?/],
      [{ ...jwt, claims: { azp: 1 } }, /must be a text/],
      [{ ...jwt, appKey: 'k' }, /\\"appKey\\" goes with/],
      [{ method: 'certificate' }, /\\"certificate\\" is missing/],
      [{ method: 'certificate', certificate: { file: '/etc/passwd' } }, /cannot be read here/],
      [{ method: 'hmac', ...{ claims: { azp: 'x' } } }, /is not for a credential with an App Secret/],
    ];
    for (const [body, message] of wrong) {
      const answer = await issue(body);
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      assert.match(JSON.stringify(answer.body), message);
    }
  });

  it('suggest no issuer beyond reach', async () => {
    const body = { consumer: 'acme', method: 'jwt', issuer: 'peopl', claims: { sub: 'x' } };
    const to = '/v1/credentials:issue?dryRun=true';
    const unseen = await api.refused('INVALID_RESOURCE', 'paula', 'POST', to, { body });
    assert.doesNotMatch(JSON.stringify(unseen.body), /people/);
    const seen = await api.refused('INVALID_RESOURCE', 'alice', 'POST', to, { body });
    assert.match(JSON.stringify(seen.body), /did you mean \\"people\\"/);
  });

  it('are rotated by a second one', async () => {
    await issue({ ...jwt, id: 'a' });
    const rotate = async (body: object): Promise<Answer> =>
      await api.ask('paula', 'POST', '/v1/credentials/a:rotate', { body, headers: { 'if-match': '"1"' } });
    const without = await rotate({});
    assert.equal(without.status, 409);
    assert.match(JSON.stringify(without.body), /give it as \\"claims\\" or \\"certificate\\"/);
    const rotated = await rotate({ claims: { azp: 'night' }, id: 'b', grace: '1d' });
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    const { credential } = rotated.body as { credential: Readonly<Record<string, unknown>> };
    assert.deepEqual(
      [credential['id'], credential['claims'], credential['appKey']],
      ['b', { azp: 'night' }, undefined],
    );
    const former = await api.ask('paula', 'GET', '/v1/credentials/a');
    assert.equal(former.body['status'], 'retiring');
  });
});

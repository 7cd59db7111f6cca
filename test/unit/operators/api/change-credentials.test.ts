import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { textOf } from '../../../../src/resources/changes/generate-credential.ts';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import type { ManagedCredential, Stored } from '../../../../src/resources/resource.ts';
import { type Answer, apiNow, type MemoryApi } from '../../../support/api/memory-api.ts';
import { day, twoTeams } from '../../../support/api/two-teams.ts';
import { badKeys, spki } from '../../../support/keys/bad-keys.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

describe('management API: changes of credentials', () => {
  let api: MemoryApi;
  beforeEach(async () => {
    api = await twoTeams();
  });

  async function stored(id: string): Promise<Stored<ManagedCredential>> {
    const found = await api.store.find('credential', id);
    assert.ok(found !== null, id);
    return found;
  }

  async function issue(who: string, body: object, query = ''): Promise<Answer> {
    return await api.ask(who, 'POST', `/v1/credentials:issue${query}`, { body });
  }

  async function actions(): Promise<readonly string[]> {
    const all: string[] = [];
    for await (const { actor, action } of api.store.events({})) all.push(`${actor}: ${action}`);
    return all.filter((each) => !each.startsWith('test'));
  }

  it('issue one, with its secrets in this answer only', async () => {
    const given = {
      consumer: 'globex',
      method: 'hmac',
      id: 'globex-2',
      notBefore: '1d',
      expiresAt: '2027-01-01T00:00:00Z',
    };
    const made = await issue('paula', given);
    assert.deepEqual([made.status, made.headers.get('etag')], [201, '"1"'], JSON.stringify(made.body));
    assert.equal(made.headers.get('location'), '/v1/credentials/globex-2');
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const { resource } = await stored('globex-2');
    const { appKey, appSecret, ...others } = made.body;
    const kept = secretsOf(resource);
    assert.ok(resource.appKey !== null && kept.appSecret !== null);
    assert.deepEqual([appKey, appSecret], [textOf(resource.appKey), textOf(kept.appSecret)]);
    assert.deepEqual(others, {
      ...{ id: 'globex-2', consumer: 'globex', method: 'hmac', state: 'active', revision: 1 },
      ...{ notBefore: '2026-09-22T14:13:20Z', expiresAt: '2027-01-01T00:00:00Z' },
    });
    const shown = await api.ask('paula', 'GET', '/v1/credentials/globex-2');
    assert.ok(!JSON.stringify(shown.body).includes(String(appSecret)));
    assert.deepEqual(await actions(), ['paula: api credential issue']);
  });

  it('issue one for method key, of which only the hash is kept where that is wished', async () => {
    const made = await issue('alice', { consumer: 'globex', method: 'key', hashOnly: true });
    assert.match(String(made.body['id']), /^globex-key-[0-9a-f]{8}$/);
    assert.match(String(made.body['appKey']), /^[0-9a-f]{32}$/);
    assert.ok(!('appSecret' in made.body));
    assert.equal((await stored(String(made.body['id']))).resource.appKey, null);
    const wrong = { consumer: 'globex', method: 'hmac', hashOnly: true };
    const refused = await api.refused('INVALID_RESOURCE', 'alice', 'POST', '/v1/credentials:issue', { body: wrong });
    assert.deepEqual(refused.body['errors'], [
      { pointer: '/hashOnly', detail: 'only the App Key of method key can be kept as a hash' },
    ]);
  });

  describe('with a public key', () => {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
    const key = { type: 'Ed25519', bits: 256, thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k' };
    const body = { consumer: 'globex', method: 'http-message-signature', id: 'globex-signer' };
    const publicKey = JSON.stringify({ keys: [{ ...jwk, kid: 'one' }] });
    const refusedAt = async (more: object, path = '/v1/credentials:issue'): Promise<unknown> =>
      (await api.refused('INVALID_RESOURCE', 'paula', 'POST', path, { body: more })).body['errors'];

    it('issue one, whose answer has the thumbprint and no secret', async () => {
      const made = await issue('paula', { ...body, publicKey, kid: 'one', appKey: 'thumbprint' });
      assert.deepEqual(
        [made.status, made.body],
        [
          201,
          {
            ...{ id: 'globex-signer', consumer: 'globex', method: 'http-message-signature', state: 'active' },
            ...{ appKey: key.thumbprint, publicKey: { jwk }, key, revision: 1 },
          },
        ],
      );
      const { body: shown } = await api.ask('paula', 'GET', '/v1/credentials/globex-signer');
      assert.deepEqual([shown['key'], shown['publicKey'], shown['appKey']], [key, { jwk }, key.thumbprint]);
    });

    it('rotate it to the key that is given', async () => {
      await issue('paula', { ...body, publicKey });
      const path = '/v1/credentials/globex-signer:rotate';
      const next = spki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
      const headers = { 'if-match': '*' };
      const conflict = await api.refused('CONFLICT', 'paula', 'POST', path, { body: {}, headers });
      assert.equal(
        conflict.body['detail'],
        'the credential "globex-signer" has a public key, and only its partner can make another; give the new one as "publicKey"',
      );
      const { body: made } = await api.ask('paula', 'POST', path, { body: { publicKey: next, grace: '1d' }, headers });
      const credential = made['credential'] as Readonly<Record<string, unknown>>;
      assert.deepEqual([credential['retiringKey'], 'appSecret' in credential], [key, false]);
      const [change] = made['changes'] as readonly { readonly fields: readonly Readonly<Record<string, unknown>>[] }[];
      assert.equal(
        change?.fields.find(({ path: field }) => field === 'publicKey')?.['before'],
        `Ed25519, 256 bits, thumbprint ${key.thumbprint}`,
      );
    });

    it('refuse what is no public key without a piece of it, and what is missing', async () => {
      for (const { name, text, fault } of badKeys()) {
        if (text.length > 65_536) continue;
        const errors = await refusedAt({ ...body, publicKey: text });
        assert.deepEqual(errors, [{ pointer: '/publicKey', detail: `"publicKey": this ${fault}` }], name);
      }
      const missing =
        '"publicKey" is missing; a credential for http-message-signature has the public key of its partner';
      assert.deepEqual(await refusedAt(body), [{ pointer: '/publicKey', detail: missing }]);
      assert.deepEqual(await refusedAt({ ...body, method: 'oauth2', appKey: 'a' }), [
        {
          pointer: '/appKey',
          detail: '"appKey" goes with "publicKey"; credentials:import takes over an App Key with its secret',
        },
      ]);
      assert.deepEqual(await refusedAt({ ...body, publicKey, appKey: 'a"b' }), [
        { pointer: '/appKey', detail: '"appKey" must be 1 to 512 printable ASCII characters, none of them " or \\' },
      ]);
      assert.deepEqual(await refusedAt({ ...body, method: 'hmac', publicKey }), [
        {
          pointer: '/publicKey',
          detail:
            'method hmac cannot be used with a public key, which is for http-message-signature and oauth2: make a credential for each',
        },
      ]);
      assert.deepEqual(await refusedAt({ ...body, method: 'hmac', kid: 'one' }), [
        { pointer: '/kid', detail: 'chooses a key of the set in "publicKey", which is missing' },
      ]);
      assert.equal(await api.store.find('credential', 'globex-signer'), null);
    });
  });

  it('plan one without making it, and without secrets', async () => {
    const planned = await issue('paula', { consumer: 'globex', method: 'key', id: 'planned' }, '?dryRun=true');
    assert.deepEqual([planned.status, planned.body['dryRun'], planned.body['revision']], [200, true, null]);
    const [change] = planned.body['changes'] as { id: string; fields: { path: string; secret?: string }[] }[];
    assert.equal(change?.id, 'planned');
    assert.deepEqual(
      change.fields.find(({ path }) => path === 'appKey'),
      { path: 'appKey', secret: 'set' },
    );
    assert.equal(await api.store.find('credential', 'planned'), null);
    const rotate = { body: {}, headers: { 'if-match': '*' } };
    const rotated = await api.ask('paula', 'POST', '/v1/credentials/acme-hmac:rotate?dryRun=true', rotate);
    assert.deepEqual([rotated.body['dryRun'], rotated.body['credential']], [true, undefined]);
    assert.equal((await stored('acme-hmac')).revision, 1);
    assert.deepEqual(await actions(), []);
  });

  it('refuse what is not asked for, taken, over, or another’s', async () => {
    const body = { consumer: 'globex', method: 'hmac' };
    const refuse = async (code: string, more: object, who = 'paula'): Promise<Answer> =>
      await api.refused(code, who, 'POST', '/v1/credentials:issue', { body: { ...body, ...more } });
    await refuse('MALFORMED_REQUEST', { appSecret: 'x'.repeat(43) });
    await refuse('MALFORMED_REQUEST', { state: 'active' });
    await refuse('MALFORMED_REQUEST', { method: 'basic' });
    await refuse('MALFORMED_REQUEST', { expiresAt: 'soon' });
    const over = await refuse('INVALID_RESOURCE', { expiresAt: '2020-01-01T00:00:00Z' });
    assert.equal((over.body['errors'] as { pointer: string }[])[0]?.pointer, '/expiresAt');
    await refuse('FORBIDDEN', {}, 'victor');
    const beyond = await refuse('NOT_FOUND', { consumer: 'initech' });
    assert.equal(beyond.body['detail'], 'there is no consumer "initech"');
    const within = await refuse('CONFLICT', { id: 'acme-hmac' });
    const foreign = await refuse('CONFLICT', { id: 'initech-hmac' });
    assert.equal(within.body['detail'], 'the credential "acme-hmac" already exists; take another "id"');
    assert.equal(foreign.body['detail'], 'the credential "initech-hmac" already exists; take another "id"');
  });

  it('edit the end and the address list, by a patch that takes nothing else', async () => {
    const edit = async (code: string | null, body: object, who = 'paula'): Promise<Answer> => {
      const asked = { body, headers: { 'if-match': '*' } };
      return code === null
        ? await api.done(who, 'PATCH', '/v1/credentials/acme-hmac', asked)
        : await api.refused(code, who, 'PATCH', '/v1/credentials/acme-hmac', asked);
    };
    const networks = async (): Promise<unknown> =>
      (await stored('acme-hmac')).resource.allowFrom?.map(({ text }) => text) ?? null;
    await edit(null, { allowFrom: ['203.0.113.0/24', '2001:DB8::7'] });
    assert.deepEqual(await networks(), ['203.0.113.0/24', '2001:db8::7']);
    assert.deepEqual(await actions(), ['paula: api credential edit']);
    const shown = await api.ask('paula', 'GET', '/v1/credentials/acme-hmac');
    assert.deepEqual(shown.body['allowFrom'], ['203.0.113.0/24', '2001:db8::7']);
    for (const [allowFrom, detail] of [
      [[], '"allowFrom" is empty: name a network, or leave it out to allow every address'],
      [['10.1.0.0/8'], 'item 1 of "allowFrom" has bits set beyond its prefix: write 10.0.0.0/8'],
    ] as const) {
      const refused = await edit('INVALID_RESOURCE', { allowFrom });
      assert.equal((refused.body['errors'] as { detail: string }[])[0]?.detail, detail);
    }
    await edit('INVALID_RESOURCE', { state: 'revoked' });
    await edit(null, { expiresAt: '2030-01-01T00:00:00Z' });
    assert.equal((await stored('acme-hmac')).resource.expiresAt, Date.parse('2030-01-01T00:00:00Z') / 1000);
    const over = await edit('INVALID_RESOURCE', { expiresAt: '2020-01-01T00:00:00Z' });
    const detail = '2020-01-01T00:00:00Z is over; revoke the credential to end it at once';
    assert.deepEqual(over.body['errors'], [{ pointer: '/expiresAt', detail }]);
    await edit('INVALID_RESOURCE', { expiresAt: 'soon' });
    await edit(null, { expiresAt: null });
    assert.equal((await stored('acme-hmac')).resource.expiresAt, null);
    await edit('FORBIDDEN', { allowFrom: null }, 'victor');
    await edit(null, { allowFrom: null });
    assert.equal(await networks(), null);
    await edit(null, {});
  });

  it('import a pair that a partner has, and repeat none of it that is secret', async () => {
    const body = { consumer: 'globex', methods: ['hmac'], id: 'old', appKey: 'globex-2019', appSecret: 's'.repeat(40) };
    const made = await api.ask('paula', 'POST', '/v1/credentials:import', { body });
    assert.deepEqual([made.status, made.body['appKey'], made.body['appSecret']], [201, 'globex-2019', undefined]);
    const { appSecret } = secretsOf((await stored('old')).resource);
    assert.ok(appSecret !== null && textOf(appSecret) === 's'.repeat(40));
    const key = { consumer: 'globex', methods: ['key'], id: 'old-key', appKey: 'secret-key-of-globex' };
    const imported = await api.ask('paula', 'POST', '/v1/credentials:import', { body: key });
    assert.ok(!JSON.stringify(imported.body).includes('secret-key-of-globex'));
    const lacking = { consumer: 'globex', methods: ['hmac'], appKey: 'another' };
    const refused = await api.refused('INVALID_RESOURCE', 'paula', 'POST', '/v1/credentials:import', { body: lacking });
    assert.match(String(refused.body['detail']), /^"appSecret" is missing/);
  });

  it('name the holder of an App Key only where it is within reach', async () => {
    const [own, foreign] = [(await stored('acme-hmac')).resource, (await stored('initech-hmac')).resource];
    assert.ok(own.appKey !== null && foreign.appKey !== null);
    const importKey = async (appKey: string): Promise<unknown> => {
      const body = { consumer: 'globex', methods: ['hmac'], appKey, appSecret: 's'.repeat(40) };
      return (await api.refused('CONFLICT', 'paula', 'POST', '/v1/credentials:import', { body })).body['detail'];
    };
    const never = 'an App Key is never given twice';
    assert.equal(await importKey(textOf(own.appKey)), `the credential "acme-hmac" has this App Key; ${never}`);
    assert.equal(await importKey(textOf(foreign.appKey)), `another credential has this App Key; ${never}`);
  });

  it('rotate one: the App Key stays, the former secret works for the grace period', async () => {
    const { resource: before } = await stored('acme-hmac');
    const headers = { 'if-match': '"1"' };
    const answer = await api.ask('paula', 'POST', '/v1/credentials/acme-hmac:rotate', {
      body: { grace: '2d' },
      headers,
    });
    assert.deepEqual([answer.status, answer.headers.get('etag')], [200, '"2"'], JSON.stringify(answer.body));
    const { resource: after, revision } = await stored('acme-hmac');
    const credential = answer.body['credential'] as Record<string, unknown>;
    const [former, latter] = [secretsOf(before), secretsOf(after)];
    assert.ok(latter.appSecret !== null && former.appSecret !== null && latter.retiringSecret !== null);
    assert.deepEqual([credential['appSecret'], revision], [textOf(latter.appSecret), 2]);
    assert.equal(after.appKeyHash, before.appKeyHash);
    assert.equal(latter.retiringSecret.expiresAt, apiNow + 2 * day);
    assert.equal(answer.body['formerEndsAt'], '2026-09-23T14:13:20Z');
    assert.ok(!JSON.stringify(answer.body).includes(textOf(former.appSecret)), 'the partner has the former secret');
    const again = { body: {}, headers: { 'if-match': '*' } };
    const early = await api.refused('CONFLICT', 'paula', 'POST', '/v1/credentials/acme-hmac:rotate', again);
    assert.match(String(early.body['detail']), /and this would end it now; "force" does that$/);
    const forced = { body: { force: true, grace: '0' }, headers: { 'if-match': '"2"' } };
    assert.equal((await api.ask('paula', 'POST', '/v1/credentials/acme-hmac:rotate', forced)).status, 200);
    assert.equal(secretsOf((await stored('acme-hmac')).resource).retiringSecret, null);
  });

  it('rotate one of method key by a second credential', async () => {
    const asking = { body: { id: 'acme-key-2' }, headers: { 'if-match': '"1"' } };
    const answer = await api.ask('paula', 'POST', '/v1/credentials/acme-key:rotate', asking);
    const credential = answer.body['credential'] as Record<string, unknown>;
    const { resource } = await stored('acme-key-2');
    assert.ok(resource.appKey !== null);
    assert.deepEqual(
      [credential['id'], credential['appKey'], credential['revision'], answer.headers.get('etag')],
      ['acme-key-2', textOf(resource.appKey), 1, '"1"'],
    );
    assert.equal((await stored('acme-key')).resource.state, 'retiring');
    const named = { body: { id: 'other' }, headers: { 'if-match': '"1"' } };
    const refused = await api.refused('INVALID_RESOURCE', 'paula', 'POST', '/v1/credentials/acme-hmac:rotate', named);
    assert.equal((refused.body['errors'] as { pointer: string }[])[0]?.pointer, '/id');
  });

  it('revoke one for good', async () => {
    const path = '/v1/credentials/acme-hmac:revoke';
    const headers = { 'if-match': '"1"' };
    const answer = await api.ask('paula', 'POST', path, { headers });
    assert.deepEqual([answer.status, answer.headers.get('etag')], [200, '"2"'], JSON.stringify(answer.body));
    assert.equal((await stored('acme-hmac')).resource.state, 'revoked');
    await api.refused('REVISION_CHANGED', 'paula', 'POST', path, { headers });
    const again = await api.ask('paula', 'POST', path, { headers: { 'if-match': '*' } });
    assert.deepEqual([again.body['revision'], again.body['changes']], [null, []]);
    const rotate = { body: {}, headers: { 'if-match': '*' } };
    const revoked = await api.refused('CONFLICT', 'paula', 'POST', '/v1/credentials/acme-hmac:rotate', rotate);
    assert.equal(revoked.body['detail'], 'the credential "acme-hmac" is revoked; issue a new one');
    assert.deepEqual(await actions(), ['paula: api credential revoke']);
  });

  it('need the revision, the role and the reach', async () => {
    for (const action of ['rotate', 'revoke']) {
      const body = action === 'rotate' ? { body: {} } : {};
      const any = { ...body, headers: { 'if-match': '*' } };
      await api.refused('REVISION_REQUIRED', 'paula', 'POST', `/v1/credentials/acme-hmac:${action}`, body);
      await api.refused('FORBIDDEN', 'victor', 'POST', `/v1/credentials/acme-hmac:${action}`, any);
      const beyond = await api.refused('NOT_FOUND', 'paula', 'POST', `/v1/credentials/initech-hmac:${action}`, any);
      assert.equal(beyond.body['detail'], 'there is no credential "initech-hmac"');
    }
    assert.equal((await stored('initech-hmac')).revision, 1);
    assert.equal((await stored('acme-hmac')).revision, 1);
  });

  it('say what to do where the store did not confirm a new secret', async () => {
    api.store.beforeCommit = () => {
      throw Object.assign(new StoreUnavailable('no answer'), { reason: 'uncertain' });
    };
    const body = { consumer: 'globex', method: 'hmac', id: 'unsure' };
    const answer = await api.refused('OUTCOME_UNKNOWN', 'paula', 'POST', '/v1/credentials:issue', { body });
    assert.match(String(answer.body['detail']), /look at the credential "unsure"; where it has changed, rotate it$/);
  });
});

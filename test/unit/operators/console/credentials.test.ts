import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { textOf } from '../../../../src/resources/changes/generate-credential.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import type { ManagedCredential } from '../../../../src/resources/resource.ts';
import { hiddenValue, type PageAnswer, TestConsole } from '../../../support/console/test-console.ts';
import type { PublicKey } from '../../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../../src/model/public-key/read-jwk.ts';
import { badKeys, samplePair, spki } from '../../../support/keys/bad-keys.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { keyEndpoint, partnerEndpoint } from '../../../support/pipeline/resources.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

describe('console: credentials and access of a consumer', () => {
  let console: TestConsole;
  let store: MemoryResourceStore;

  beforeEach(() => {
    store = new MemoryResourceStore({
      endpoints: [
        partnerEndpoint('hmac', { accessCondition: 'authenticated-and-authorized' }),
        keyEndpoint({ id: 'stock', paths: [{ prefix: '/stock' }] }),
      ],
      consumers: [
        { ...consumerDefaults, id: 'acme' },
        { ...consumerDefaults, id: 'globex', labels: { team: 'orders' } },
      ],
    });
    console = new TestConsole(store);
    console.add('alice', 'admin');
    console.add('paula', 'operator', { selector: { team: 'payments' } });
  });

  const goesTo = (answer: PageAnswer): unknown => [answer.status, answer.headers.get('location')];
  const shown = ({ text }: PageAnswer, id: string): string | null =>
    new RegExp(`<code id="${id}">([^<]*)</code>`).exec(text)?.[1] ?? null;

  async function credentials(): Promise<readonly ManagedCredential[]> {
    const all: ManagedCredential[] = [];
    for await (const { resource } of store.list('credential', {})) all.push(resource);
    return all;
  }

  async function issue(fields: Record<string, string>): Promise<PageAnswer> {
    const page = await console.open('alice', '/consumers/acme/issue');
    const own = { suffix: hiddenValue(page, 'suffix'), onceKey: hiddenValue(page, 'onceKey') };
    return await console.submit('alice', '/consumers/acme/issue', { ...own, method: 'hmac', ...fields });
  }

  it('issues a credential with an address list, and shows it', async () => {
    const answer = await issue({ id: 'acme-hmac', allowFrom: '203.0.113.7\r\n2001:db8::/32\r\n' });
    assert.equal(answer.status, 200);
    const [made] = await credentials();
    assert.deepEqual(
      made?.allowFrom?.map(({ text }) => text),
      ['203.0.113.7', '2001:db8::/32'],
    );
    const { text } = await console.open('alice', '/credentials/acme-hmac');
    assert.match(text, /<dt>Allowed from<\/dt>\s*<dd>203\.0\.113\.7, 2001:db8::\/32<\/dd>/);
  });

  it('edits the address list of a credential, which a rotation keeps', async () => {
    await issue({ id: 'acme-hmac' });
    const path = '/credentials/acme-hmac/edit';
    const revision = hiddenValue(await console.open('alice', path), 'revision');
    const refused = await console.submit('alice', path, { revision, allowFrom: '10.1.0.0/8' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="allowFrom-fault">.*write 10\.0\.0\.0\/8/);
    const answer = await console.submit('alice', path, { revision, allowFrom: '10.0.0.0/8' });
    assert.deepEqual(goesTo(answer), [303, '/credentials/acme-hmac?done=credential-changed']);
    const rotation = '/credentials/acme-hmac/rotate';
    const next = hiddenValue(await console.open('alice', rotation), 'revision');
    await console.submit('alice', rotation, { revision: next, grace: '7d' });
    const [made] = await credentials();
    assert.deepEqual(
      made?.allowFrom?.map(({ text }) => text),
      ['10.0.0.0/8'],
    );
    const gone = hiddenValue(await console.open('alice', path), 'revision');
    await console.submit('alice', path, { revision: gone, allowFrom: ' ' });
    assert.equal((await credentials())[0]?.allowFrom, null);
  });

  it('issues a credential and shows its secret in the answer only, which no browser keeps', async () => {
    const answer = await issue({ id: 'acme-hmac', expiresAt: '90d' });
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store']);
    const [made] = await credentials();
    const { appSecret } = secretsOf(made);
    assert.ok(appSecret !== null);
    const secret = textOf(appSecret);
    assert.equal(shown(answer, 'app-secret'), secret);
    assert.match(answer.text, /shown only once/);
    for (const path of ['/consumers/acme', '/credentials/acme-hmac', '/credentials/acme-hmac/rotate']) {
      const page = await console.open('alice', path);
      assert.equal(page.status, 200, path);
      assert.ok(!page.text.includes(secret), path);
    }
    assert.ok(!JSON.stringify(console.answered).includes(secret));
  });

  it('says whose an App Key is, and shows it nowhere', async () => {
    await issue({ id: 'acme-key', method: 'key' });
    const [made] = await credentials();
    const key = textOf(made?.appKey ?? assert.fail());
    assert.match((await console.open('alice', '/consumers')).text, /href="\/find\/credential"/);
    const page = await console.open('alice', '/find/credential');
    assert.match(page.text, /<input type="password" id="appKey"/);
    const found = await console.submit('alice', '/find/credential', { appKey: key });
    assert.match(found.text, /href="\/credentials\/acme-key">acme-key<\/a> of\s+<a href="\/consumers\/acme">acme<\/a>/);
    const beyond = await console.submit('paula', '/find/credential', { appKey: key });
    const none = await console.submit('alice', '/find/credential', { appKey: 'nobody-has-this' });
    for (const answer of [beyond, none]) assert.match(answer.text, /No credential that you can see has this App Key/);
    const wrong = await console.submit('alice', '/find/credential', { appKey: 'zwei Wörter' });
    assert.deepEqual(
      [wrong.status, /This is no App Key, which has 1 to 512 printable ASCII/.test(wrong.text)],
      [422, true],
    );
    for (const answer of [found, beyond, none, wrong]) {
      for (const text of [key, 'nobody-has-this', 'zwei Wörter']) assert.ok(!answer.text.includes(text));
    }
    assert.ok(!JSON.stringify(console.answered).includes(key));
  });

  it('issues nothing again when the form is sent again, as by a reload', async () => {
    const page = await console.open('alice', '/consumers/acme/issue');
    const [suffix, onceKey] = [hiddenValue(page, 'suffix'), hiddenValue(page, 'onceKey')];
    const fields = { method: 'hmac', suffix, onceKey };
    const first = await console.submit('alice', '/consumers/acme/issue', fields);
    const secret = shown(first, 'app-secret') ?? '';
    assert.equal(secret.length, 43);
    console.now += 11;
    // A day later the key is forgotten, and the id is taken all the same.
    for (const sent of [fields, { ...fields, reason: 'another' }, { ...fields, onceKey: '0'.repeat(32) }]) {
      const again = await console.submit('alice', '/consumers/acme/issue', sent);
      assert.equal(again.status, 409);
      assert.match(again.text, /<h1>This credential was issued before<\/h1>/);
      assert.ok(!again.text.includes(secret));
    }
    const made = await credentials();
    assert.deepEqual(
      made.map(({ id }) => id),
      [`acme-hmac-${fields.suffix}`],
    );
  });

  it('loses no secret when the button is clicked twice: the second answer, which the browser shows, has it', async () => {
    const twice = async (path: string, fields: Readonly<Record<string, string>>): Promise<readonly PageAnswer[]> => {
      const page = await console.open('alice', path);
      const hidden = [...page.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
      const own = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]));
      const send = async (): Promise<PageAnswer> => await console.submit('alice', path, { ...own, ...fields });
      // At once, and a moment after the change.
      const answers = await Promise.all([send(), send()]);
      console.now += 5;
      return [...answers, await send()];
    };
    for (const [path, fields] of [
      ['/consumers/acme/issue', { method: 'hmac', id: 'acme-hmac' }],
      ['/credentials/acme-hmac/rotate', { grace: '2d' }],
    ] as const) {
      const answers = await twice(path, fields);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200],
      );
      const [made, ...others] = await credentials();
      assert.deepEqual(others, []);
      const secret = made === undefined ? null : secretsOf(made).appSecret;
      assert.ok(secret !== null);
      for (const answer of answers) assert.equal(shown(answer, 'app-secret'), textOf(secret));
    }
  });

  it('takes no App Key of method key for public', async () => {
    const answer = await issue({ id: 'acme-key', method: 'key' });
    const key = shown(answer, 'app-key') ?? '';
    assert.match(key, /^[0-9a-f]{32}$/);
    assert.equal(shown(answer, 'app-secret'), null);
    const page = await console.open('alice', '/credentials/acme-key');
    assert.ok(!page.text.includes(key));
    assert.match(page.text, /a secret that ends with …[0-9a-f]{4}: it was shown when it was issued/);
  });

  describe('with a public key', () => {
    const signer = { method: 'http-message-signature', id: 'acme-signer' };
    const publicKey = spki(samplePair.publicKey);

    it('is issued from what was pasted, and its thumbprint shown back, on its page too', async () => {
      const { thumbprint } = readJwk(samplePair.publicKey.export({ format: 'jwk' })) as PublicKey;
      const answer = await issue({ ...signer, publicKey: publicKey.replaceAll('\n', '\r\n'), appKey: 'thumbprint' });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([shown(answer, 'thumbprint'), shown(answer, 'app-key')], [thumbprint, thumbprint]);
      assert.match(answer.text, /Compare the thumbprint/);
      assert.doesNotMatch(answer.text, /shown only once/);
      const page = await console.open('alice', '/credentials/acme-signer');
      assert.equal(shown(page, 'thumbprint'), thumbprint);
      assert.match(page.text, /Ed25519, 256 bits/);
    });

    it('is rotated to the key that is pasted', async () => {
      await issue({ ...signer, publicKey });
      const path = '/credentials/acme-signer/rotate';
      const page = await console.open('alice', path);
      assert.match(page.text, /The former key works for/);
      const next = spki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey);
      const [revision, onceKey] = [hiddenValue(page, 'revision'), hiddenValue(page, 'onceKey')];
      const fields = { revision, onceKey, grace: '2d' };
      const none = await console.submit('alice', path, fields);
      assert.deepEqual([none.status, none.text.includes('only its partner can make another')], [409, true]);
      const rotated = await console.submit('alice', path, { ...fields, publicKey: next });
      assert.equal(rotated.status, 200, rotated.text);
      assert.match(rotated.text, /The credential has a new public key/);
      assert.match(rotated.text, /ECDSA P-256, 256 bits/);
      const after = await console.open('alice', '/credentials/acme-signer');
      assert.match(after.text, /Former key ends/);
      assert.match((await console.open('alice', path)).text, /Force: end the former key of the last rotation now/);
    });

    it('is refused with a reason for what is none, which no page shows again', async () => {
      for (const { name, text, fault } of badKeys()) {
        if (text.trim() === '' || text.length > 65_536) continue;
        for (const more of [{}, { expiresAt: 'soon' }]) {
          const answer = await issue({ ...signer, publicKey: text, ...more });
          assert.ok(answer.status >= 400, name);
          const [said] = fault.split('"');
          if (!('expiresAt' in more)) assert.ok(answer.text.includes(`this ${said ?? ''}`), `${name}: ${fault}`);
          assert.match(answer.text, /<textarea id="publicKey"[^>]*>\n<\/textarea>/, name);
        }
      }
      assert.deepEqual(await credentials(), []);
      const kept = await issue({ ...signer, publicKey, expiresAt: 'soon' });
      assert.ok(kept.text.includes(publicKey.trim()), 'a public key is shown again');
    });
  });

  it('shows what is wrong beside the field', async () => {
    const answer = await issue({ expiresAt: 'soon' });
    assert.equal(answer.status, 400);
    assert.match(answer.text, /id="expiresAt-fault"/);
    assert.ok(answer.text.includes('value="soon"'));
    assert.deepEqual(await credentials(), []);
  });

  it('says with the view what the partner needs to call', async () => {
    await issue({ id: 'acme-key', method: 'key' });
    const page = await console.open('alice', '/credentials/acme-key');
    assert.ok(page.text.includes('<code>https://api.example.com/stock</code> and below'), page.text);
    assert.match(page.text, /<h4 id="example-0">/);
    await console.submit('alice', '/consumers/acme/disable', { revision: '1' });
    assert.match((await console.open('alice', '/credentials/acme-key')).text, /No request gets in with it/);
  });

  it('rotates with a grace, shows the new secret once, and asks before it ends a former one', async () => {
    await issue({ id: 'acme-hmac' });
    const path = '/credentials/acme-hmac/rotate';
    const page = await console.open('alice', path);
    const [former, onceKey] = [hiddenValue(page, 'revision'), hiddenValue(page, 'onceKey')];
    const fields = { revision: former, onceKey, grace: '2d' };
    const rotated = await console.submit('alice', path, fields);
    assert.equal(rotated.status, 200, rotated.text);
    const [made] = await credentials();
    const { appSecret, retiringSecret } = secretsOf(made);
    assert.ok(appSecret !== null && retiringSecret !== null);
    assert.equal(shown(rotated, 'app-secret'), textOf(appSecret));
    assert.match(rotated.text, /The former secret works until/);
    console.now += 11;
    const reloaded = await console.submit('alice', path, fields);
    assert.equal(reloaded.status, 409);
    assert.match(reloaded.text, /Nothing was rotated again/);
    assert.ok(!reloaded.text.includes(textOf(appSecret)));
    const again = await console.open('alice', path);
    assert.match(again.text, /Force: end the former secret of the last rotation now/);
    const fresh = { revision: hiddenValue(again, 'revision'), onceKey: hiddenValue(again, 'onceKey') };
    const refused = await console.submit('alice', path, { ...fresh, grace: '0' });
    assert.equal(refused.status, 409);
    assert.equal(hiddenValue(refused, 'onceKey'), fresh.onceKey);
    const forced = { ...fresh, grace: '0', force: 'yes' };
    assert.equal((await console.submit('alice', path, forced)).status, 200);
    assert.equal(secretsOf((await credentials())[0]).retiringSecret, null);
  });

  it('revokes after it has asked', async () => {
    await issue({ id: 'acme-hmac' });
    const path = '/credentials/acme-hmac/revoke';
    const revision = hiddenValue(await console.open('alice', path), 'revision');
    assert.equal((await credentials())[0]?.state, 'active');
    const answer = await console.submit('alice', path, { revision, reason: 'leaked' });
    assert.deepEqual(goesTo(answer), [303, '/credentials/acme-hmac?done=credential-revoked']);
    assert.equal((await credentials())[0]?.state, 'revoked');
    const page = await console.open('alice', '/credentials/acme-hmac');
    assert.doesNotMatch(page.text, /\/rotate"|\/revoke"/);
  });

  it('gives, changes and withdraws access with limits', async () => {
    await issue({ id: 'acme-hmac' });
    assert.match((await console.open('alice', '/consumers/acme')).text, /badge bad">no<\/span>/);
    const give = await console.open('alice', '/consumers/acme/grant?endpoint=orders');
    assert.match(give.text, /<option value="stock">/);
    const own = { limits: 'own', 'requests-0': '100', 'unit-0': 'minute', 'per-0': 'consumer' };
    const given = await console.submit('alice', '/consumers/acme/grant', { endpoint: 'orders', ...own });
    assert.deepEqual(goesTo(given), [303, '/consumers/acme?done=access-given']);
    const limits = async (): Promise<unknown> => (await store.find('grant', 'orders/acme'))?.resource.limits;
    assert.deepEqual(await limits(), [{ requests: 100, unit: 'minute', per: 'consumer' }]);
    const page = await console.open('alice', '/consumers/acme');
    assert.match(page.text, /<li>100 each minute<\/li>/);
    assert.match(page.text, /href="\/consumers\/acme\/grants\/orders\/withdraw"/);
    const path = '/consumers/acme/grants/orders';
    const change = await console.open('alice', path);
    assert.match(change.text, /<option value="own" selected>/);
    const revision = hiddenValue(change, 'revision');
    const wrong = await console.submit('alice', path, { ...own, revision, 'requests-0': 'many' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="requests-0-fault"/);
    const lifted = await console.submit('alice', path, { revision, limits: 'none' });
    assert.deepEqual(goesTo(lifted), [303, '/consumers/acme?done=access-changed']);
    assert.deepEqual(await limits(), []);
    const withdraw = `${path}/withdraw`;
    const seen = hiddenValue(await console.open('alice', withdraw), 'revision');
    assert.deepEqual(goesTo(await console.submit('alice', withdraw, { revision: seen })), [
      303,
      '/consumers/acme?done=access-withdrawn',
    ]);
    assert.equal(await store.find('grant', 'orders/acme'), null);
  });

  it('shows and changes no credential beyond reach', async () => {
    await issue({ id: 'acme-hmac' });
    for (const page of ['', '/rotate', '/revoke']) {
      assert.equal((await console.open('paula', `/credentials/acme-hmac${page}`)).status, 404, page);
      if (page === '') continue;
      const sent = await console.submit('paula', `/credentials/acme-hmac${page}`, { revision: '1', grace: '0' });
      assert.equal(sent.status, 404, page);
    }
    const issued = await console.submit('paula', '/consumers/acme/issue', { method: 'hmac' });
    assert.equal(issued.status, 404);
    assert.equal((await credentials())[0]?.state, 'active');
    assert.equal((await credentials()).length, 1);
  });
});

import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import { cookieNames } from '../../../../../src/operators/console/sign-in/cookies.ts';
import { hiddenValue, TestConsole } from '../../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';
import { consumer } from '../../../../support/pipeline/resources.ts';

describe('console: a form that is sent after the session has ended', () => {
  let console: TestConsole;
  const path = '/consumers/acme/edit';
  const form = { csrf: 'of a session that has ended', name: 'Acme & Söhne', revision: '1', reason: 'OPS-17' };
  const own = { 'sec-fetch-site': 'same-origin' };

  beforeEach(() => {
    console = new TestConsole(new MemoryResourceStore({ consumers: [consumer()] }));
    console.add('alice', 'admin');
  });

  async function send(fields: Readonly<Record<string, string>>, to = path, headers: object = own): Promise<Headers> {
    const answer = await console.open(null, to, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...headers },
    });
    assert.equal(answer.status, 303);
    return answer.headers;
  }
  const cookieIn = (headers: Headers): string => headers.get('set-cookie')?.split(';')[0] ?? '';

  it('is there once after signing in again, has changed nothing, and can be sent', async () => {
    const headers = await send(form);
    assert.equal(headers.get('location'), `/sign-in?return=${encodeURIComponent(path)}`);
    assert.match(headers.get('set-cookie') ?? '', /; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/);
    assert.doesNotMatch(Buffer.from(cookieIn(headers), 'base64url').toString('latin1'), /session that has ended/);

    const page = await console.open('alice', path, { headers: { cookie: cookieIn(headers) } });
    assert.match(page.text, /Your session had ended, and nothing was changed/);
    assert.match(page.text, /name="name" value="Acme &amp; Söhne"/);
    assert.match(page.text, /name="reason" value="OPS-17"/);
    assert.equal(hiddenValue(page, 'csrf'), 'token of alice');
    assert.match(page.headers.get('set-cookie') ?? '', new RegExp(`^${cookieNames.form}=; .*Max-Age=0$`));
    assert.equal(console.store.revision, 0);
    const sent = await console.submit('alice', path, { ...form, csrf: hiddenValue(page, 'csrf') });
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, '/consumers/acme?done=consumer-changed']);
    assert.doesNotMatch((await console.open('alice', path)).text, /Your session had ended/);
  });

  it('is shown on its own page only', async () => {
    const cookie = cookieIn(await send(form));
    const other = await console.open('alice', '/consumers/acme/disable', { headers: { cookie } });
    assert.doesNotMatch(other.text, /Your session had ended/);
    assert.equal(other.headers.get('set-cookie'), null);
  });

  it('is kept from no other site, of no page without a change, and not beyond the size of a cookie', async () => {
    for (const headers of [
      await send(form, path, { 'sec-fetch-site': 'cross-site' }),
      await send({ appKey: 'a-secret-key' }, '/find/credential'),
      await send(form, '/nothing'),
      await send({ ...form, name: Array.from({ length: 6000 }, (_, index) => (index * 7919).toString(36)).join('') }),
    ]) {
      assert.equal(headers.get('set-cookie'), null);
      assert.equal(headers.get('location'), '/sign-in');
    }
  });

  it('is nothing where the cookie is damaged or unpacks to more than a form may have', async () => {
    const at = Buffer.from(path).toString('base64url');
    const huge = deflateRawSync(Buffer.alloc(1024 * 1024, 'a')).toString('base64url');
    for (const value of ['', '.', at, `${at}.AAAA`, `${at}.${huge}`, `${at}.%%%`]) {
      const page = await console.open('alice', path, { headers: { cookie: `${cookieNames.form}=${value}` } });
      assert.equal(page.status, 200);
      assert.doesNotMatch(page.text, /Your session had ended/);
    }
    assert.deepEqual(console.defects, []);
  });
});

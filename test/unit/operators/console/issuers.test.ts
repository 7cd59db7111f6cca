import assert from 'node:assert/strict';
import { hiddenValue, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { issuer } from '../../../support/pipeline/resources.ts';

const form = {
  id: 'partner-idp',
  issuer: 'https://idp.partner.example',
  jwksUri: 'https://idp.partner.example/keys',
  jwks: '',
  audiences: 'https://api.example.com',
  algorithms: '',
  clockSkewSeconds: '60',
  requiredClaims: '',
  labels: '',
  description: '',
};

describe('console: issuers', () => {
  let console: TestConsole;

  beforeEach(() => {
    console = new TestConsole(new MemoryResourceStore({}));
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
    console.add('petra', 'admin', { selector: { team: 'payments' } });
  });

  const stored = async (): Promise<unknown> => (await console.store.find('issuer', 'partner-idp'))?.resource ?? null;

  it('are added, changed, stopped and deleted by forms', async () => {
    const made = await console.submit('alice', '/new/issuer', form);
    assert.deepEqual([made.status, made.headers.get('location')], [303, '/issuers/partner-idp?done=issuer-added']);
    assert.deepEqual(await stored(), issuer());
    const { text } = await console.open('victor', '/issuers');
    assert.match(text, /<a href="\/issuers\/partner-idp">partner-idp<\/a>.*https:\/\/idp\.partner\.example.*enabled/s);
    assert.doesNotMatch(text, /new\/issuer/);

    const revision = hiddenValue(await console.open('alice', '/issuers/partner-idp/edit'), 'revision');
    const edit = { ...form, revision, requiredClaims: 'roles=a\r\nroles=b', labels: 'team=a', algorithms: 'ES256' };
    assert.equal((await console.submit('alice', '/issuers/partner-idp/edit', edit)).status, 303);
    const requiredClaims = { roles: ['a', 'b'] };
    assert.deepEqual(await stored(), issuer({ requiredClaims, labels: { team: 'a' }, algorithms: ['ES256'] }));

    for (const verb of ['disable', 'enable', 'delete']) {
      const page = await console.open('alice', `/issuers/partner-idp/${verb}`);
      const done = await console.submit('alice', `/issuers/partner-idp/${verb}`, {
        revision: hiddenValue(page, 'revision'),
      });
      assert.match(String(done.headers.get('location')), new RegExp(`\\?done=issuer-${verb}d$`));
    }
    assert.equal(await stored(), null);
  });

  it('show beside the field what is wrong, with everything that was typed', async () => {
    const page = await console.submit('alice', '/new/issuer', {
      ...form,
      jwksUri: 'http://a.example',
      algorithms: 'none',
    });
    assert.equal(page.status, 422);
    assert.match(page.text, /id="jwksUri-fault"><strong>Error:<\/strong>/);
    assert.match(page.text, /id="algorithms-fault"><strong>Error:<\/strong>/);
    const keys = await console.submit('alice', '/new/issuer', { ...form, jwksUri: '', jwks: 'no keys' });
    assert.equal(keys.status, 422);
    assert.match(keys.text, /id="jwks-fault"/);
    assert.equal(await stored(), null);
  });

  it('of others are not there for an operator with labels', async () => {
    await console.submit('alice', '/new/issuer', form);
    assert.match((await console.open('petra', '/issuers')).text, /There are no issuers\./);
    assert.equal((await console.open('petra', '/issuers/partner-idp')).status, 404);
    assert.match((await console.open('petra', '/new/issuer')).text, />\nteam=payments<\/textarea>/);
  });
});

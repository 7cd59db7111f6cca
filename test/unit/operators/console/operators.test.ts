import assert from 'node:assert/strict';
import type { AuditEvent } from '../../../../src/resources/changes/resource-store.ts';
import { issueToken, operatorOfToken } from '../../../../src/resources/changes/operator-token.ts';
import { findToken } from '../../../../src/resources/changes/operator-token.ts';
import { type Operator, operatorDefaults } from '../../../../src/model/operator.ts';
import { hiddenValue, NOW, type PageAnswer, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';

describe('console: operators', () => {
  let console: TestConsole;
  let store: MemoryResourceStore;
  const { token } = issueToken('paula', NOW - 10, NOW + 3600);

  beforeEach(async () => {
    store = new MemoryResourceStore({});
    const operators: readonly Operator[] = [
      { ...operatorDefaults, id: 'alice', role: 'admin' },
      {
        ...{ ...operatorDefaults, id: 'paula', role: 'viewer', name: '<b>Paula</b>', tokens: [token] },
        selector: { team: 'payments', '"><i>': 'x' },
      },
    ];
    await store.commit(
      operators.map((after) => ({ kind: 'operator', id: after.id, before: null, after })),
      { actor: 'test', action: 'operator add' },
    );
    console = new TestConsole(store);
    console.add('alice', 'admin');
    console.add('olga', 'operator');
    console.add('victor', 'viewer');
    console.add('anna', 'admin', { selector: { team: 'payments' } });
  });

  const goesTo = (answer: PageAnswer): unknown => [answer.status, answer.headers.get('location')];
  const stored = async (id: string): Promise<Operator | null> => (await store.find('operator', id))?.resource ?? null;
  const shownToken = ({ text }: PageAnswer): string | null =>
    /<code id="token">([^<]*)<\/code>/.exec(text)?.[1] ?? null;

  async function lastEvent(): Promise<AuditEvent | null> {
    for await (const event of store.events({})) return event;
    return null;
  }

  it('adds an operator, with the reason, in the name of the console', async () => {
    assert.match((await console.open('alice', '/operators')).text, /href="\/new\/operator"/);
    const page = await console.open('alice', '/new/operator');
    assert.match(page.text, /<option value="viewer" selected>/);
    const fields = { id: 'bob', name: '', role: 'support', selector: 'team=orders\r\ntier = gold', reason: 'OPS-17' };
    const answer = await console.submit('alice', '/new/operator', { csrf: hiddenValue(page, 'csrf'), ...fields });
    assert.deepEqual(goesTo(answer), [303, '/operators/bob?done=operator-added']);
    const selector = { team: 'orders', tier: 'gold' };
    assert.deepEqual(await stored('bob'), { ...operatorDefaults, id: 'bob', role: 'support', selector });
    const event = await lastEvent();
    assert.deepEqual([event?.actor, event?.action, event?.reason], ['alice', 'console operator create', 'OPS-17']);
  });

  it('shows every fault beside its field, with what was typed', async () => {
    const typed = { id: 'Not An Id', name: '<b>&', role: 'support', selector: 'nothing' };
    const byConsole = await console.submit('alice', '/new/operator', typed);
    assert.equal(byConsole.status, 422);
    assert.match(byConsole.text, /id="selector-fault"/);
    assert.ok(byConsole.text.includes('value="&lt;b&gt;&amp;"') && byConsole.text.includes('nothing</textarea>'));
    assert.match(byConsole.text, /<option value="support" selected>/);
    const byApi = await console.submit('alice', '/new/operator', { ...typed, selector: '' });
    assert.equal(byApi.status, 422);
    assert.match(byApi.text, /id="id-fault"/);
    const role = await console.submit('alice', '/new/operator', { id: 'bob', role: 'king' });
    assert.equal(role.status, 422);
    assert.match(role.text, /id="role-fault"/);
    const taken = await console.submit('alice', '/new/operator', { id: 'paula', role: 'viewer' });
    assert.equal(taken.status, 409);
    assert.match(taken.text, /<h2>The change contradicts what is there<\/h2>/);
  });

  it('edits role, reach and state on the revision that the page showed, and keeps the tokens', async () => {
    const path = '/operators/paula/edit';
    const page = await console.open('alice', path);
    assert.match(page.text, /name="enabled" value="yes" checked/);
    const revision = hiddenValue(page, 'revision');
    const fields = { revision, name: 'Paula', role: 'operator', selector: 'team=orders' };
    assert.deepEqual(goesTo(await console.submit('alice', path, fields)), [
      303,
      '/operators/paula?done=operator-changed',
    ]);
    const expected = { id: 'paula', name: 'Paula', role: 'operator', selector: { team: 'orders' }, tokens: [token] };
    assert.deepEqual(await stored('paula'), { ...operatorDefaults, ...expected, enabled: false });
    const late = await console.submit('alice', path, { ...fields, role: 'admin', enabled: 'yes' });
    assert.equal(late.status, 412);
    assert.match(late.text, /<a href="\/operators\/paula\/edit">Open it again<\/a>/);
    assert.equal((await stored('paula'))?.enabled, false);
    const now = hiddenValue(await console.open('alice', path), 'revision');
    const enabled = await console.submit('alice', path, { ...fields, revision: now, enabled: 'yes' });
    assert.equal(enabled.status, 303);
    assert.equal((await stored('paula'))?.enabled, true);
  });

  it('sets names of certificates and subjects, a line for each, and takes away what is gone', async () => {
    const fields = {
      id: 'bot',
      role: 'operator',
      certificateNames: 'bot.example.com\r\n spiffe://example.com/bot \r\n',
    };
    assert.equal((await console.submit('alice', '/new/operator', fields)).status, 303);
    assert.deepEqual((await stored('bot'))?.certificateNames, ['bot.example.com', 'spiffe://example.com/bot']);
    const path = '/operators/bot/edit';
    const page = await console.open('alice', path);
    assert.ok(page.text.includes('>\nbot.example.com\nspiffe://example.com/bot</textarea>'));
    const edited = { role: 'operator', subjects: 'bot with blanks', revision: hiddenValue(page, 'revision') };
    assert.equal((await console.submit('alice', path, edited)).status, 303);
    const bot = await stored('bot');
    assert.deepEqual([bot?.certificateNames, bot?.subjects], [[], ['bot with blanks']]);
    const twice = { id: 'other', role: 'viewer', certificateNames: 'a\nb\na' };
    const refused = await console.submit('alice', '/new/operator', twice);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="certificateNames-fault"[^]*different texts/);
    assert.ok(refused.text.includes('>\na\nb\na</textarea>'));
  });

  it('removes after it has asked, and never the last admin without labels', async () => {
    const path = '/operators/paula/remove';
    const revision = hiddenValue(await console.open('alice', path), 'revision');
    assert.ok((await stored('paula')) !== null);
    assert.deepEqual(goesTo(await console.submit('alice', path, { revision })), [
      303,
      '/operators?done=operator-removed',
    ]);
    assert.equal(await stored('paula'), null);
    const own = await console.open('alice', '/operators/alice/remove');
    const last = await console.submit('alice', '/operators/alice/remove', { revision: hiddenValue(own, 'revision') });
    assert.equal(last.status, 409);
    assert.match(last.text, /this is the last enabled admin without labels/);
    assert.ok((await stored('alice')) !== null);
  });

  describe('tokens', () => {
    const path = '/operators/paula/issue';

    it('shows a token in the answer only, with its end, which no browser keeps', async () => {
      const onceKey = hiddenValue(await console.open('alice', path), 'onceKey');
      const answer = await console.submit('alice', path, { onceKey, expiresAt: '30d' });
      assert.deepEqual([answer.status, answer.headers.get('cache-control')], [200, 'no-store']);
      const text = shownToken(answer) ?? '';
      assert.equal(operatorOfToken(text), 'paula');
      const operator = await stored('paula');
      assert.ok(operator !== null);
      assert.equal(findToken(operator, text, NOW)?.expiresAt, NOW + 30 * 86_400);
      assert.match(answer.text, /shown only once/);
      assert.match(answer.text, /<dt>Ends<\/dt><dd><time datetime="2026-10-21/);
      for (const shown of ['/operators', '/operators/paula', path]) {
        const page = await console.open('alice', shown);
        assert.equal(page.status, 200, shown);
        assert.ok(!page.text.includes(text), shown);
      }
      assert.ok(!JSON.stringify(console.answered).includes(text));
    });

    it('issues nothing again, and shows no token again, when the form is sent again', async () => {
      const onceKey = hiddenValue(await console.open('alice', path), 'onceKey');
      const first = await console.submit('alice', path, { onceKey });
      const text = shownToken(first) ?? '';
      assert.equal(operatorOfToken(text), 'paula');
      console.now += 11;
      for (const fields of [{ onceKey }, { onceKey, expiresAt: '7d' }]) {
        const again = await console.submit('alice', path, fields);
        assert.equal(again.status, 409);
        assert.match(again.text, /<h1>This form was sent before<\/h1>/);
        assert.ok(!again.text.includes(text));
      }
      assert.equal((await stored('paula'))?.tokens.length, 2);
    });

    it('issues one token when the form is sent twice at once, and shows it to the second click', async () => {
      const onceKey = hiddenValue(await console.open('alice', path), 'onceKey');
      const sent = [console.submit('alice', path, { onceKey }), console.submit('alice', path, { onceKey })];
      const tokens = (await Promise.all(sent)).map(shownToken);
      assert.equal(operatorOfToken(tokens[0] ?? ''), 'paula');
      assert.equal(tokens[1], tokens[0]);
      assert.equal((await stored('paula'))?.tokens.length, 2);
    });

    it('takes a form again after a fault, and none without the key of the page', async () => {
      const onceKey = hiddenValue(await console.open('alice', path), 'onceKey');
      const wrong = await console.submit('alice', path, { onceKey, expiresAt: 'soon' });
      assert.equal(wrong.status, 400);
      assert.match(wrong.text, /id="expiresAt-fault"/);
      assert.ok(wrong.text.includes('value="soon"'));
      const long = await console.submit('alice', path, { onceKey, expiresAt: '800d' });
      assert.equal(long.status, 422);
      assert.match(long.text, /id="expiresAt-fault"[^]*a token works for a year at most/);
      for (const key of ['', 'ключ']) {
        const none = await console.submit('alice', path, { onceKey: key });
        assert.equal(none.status, 400);
        assert.match(none.text, /Idempotency-Key/);
      }
      assert.equal((await stored('paula'))?.tokens.length, 1);
      const right = await console.submit('alice', path, { onceKey: hiddenValue(long, 'onceKey'), expiresAt: '7d' });
      assert.equal(right.status, 200);
    });

    it('revokes one after it has asked', async () => {
      const revoke = `/operators/paula/tokens/${token.id}/revoke`;
      assert.ok((await console.open('alice', '/operators/paula')).text.includes(`href="${revoke}"`));
      assert.equal((await console.open('alice', revoke)).status, 200);
      assert.equal((await stored('paula'))?.tokens.length, 1);
      const answer = await console.submit('alice', revoke, { reason: 'leaked' });
      assert.deepEqual(goesTo(answer), [303, '/operators/paula?done=token-revoked']);
      assert.deepEqual((await stored('paula'))?.tokens, []);
      assert.equal((await lastEvent())?.reason, 'leaked');
      assert.equal((await console.open('alice', revoke)).status, 404);
      assert.equal((await console.submit('alice', revoke, {})).status, 404);
    });
  });

  const forms: readonly (readonly [path: string, fields: Readonly<Record<string, string>>])[] = [
    ['/new/operator', { id: 'bob', role: 'admin', selector: 'nothing' }],
    ['/new/operator', { id: 'bob', role: 'admin' }],
    ['/operators/paula/edit', { revision: '1', role: 'admin' }],
    ['/operators/paula/remove', { revision: '1' }],
    ['/operators/paula/issue', { onceKey: '0'.repeat(32) }],
    [`/operators/paula/tokens/${token.id}/revoke`, {}],
  ];

  it('is for admins without labels: others get neither a form nor a change', async () => {
    const before = store.revision;
    for (const who of ['olga', 'victor', 'anna']) {
      for (const [path, fields] of [['/operators', null], ['/operators/paula', null], ...forms] as const) {
        const label = `${who} ${path}`;
        for (const answer of [
          await console.open(who, path),
          ...(fields === null ? [] : [await console.submit(who, path, fields)]),
        ]) {
          assert.equal(answer.status, 403, label);
          assert.match(answer.text, /Only an admin without labels, hosts and paths manages operators/, label);
          assert.doesNotMatch(answer.text, /class="change"/, label);
        }
      }
    }
    assert.equal(store.revision, before);
  });

  it('takes forms of its own pages in this session only', async () => {
    const before = store.revision;
    for (const [path, fields] of forms) {
      const answer = await console.submit('alice', path, { ...fields, csrf: 'token of victor' });
      assert.equal(answer.status, 403, path);
      assert.match(answer.text, /does not belong to this session/, path);
      const other = await console.submit('alice', path, fields, { 'sec-fetch-site': 'cross-site' });
      assert.equal(other.status, 403, path);
      assert.match(other.text, /from another site/, path);
    }
    assert.equal(store.revision, before);
  });

  it('escapes what was stored', async () => {
    for (const path of ['/operators', '/operators/paula', '/operators/paula/edit']) {
      const { text } = await console.open('alice', path);
      assert.ok(text.includes('&lt;b&gt;Paula'), path);
      assert.ok(text.includes('&quot;&gt;&lt;i&gt;=x'), path);
      assert.ok(!text.includes('<b>Paula') && !text.includes('"><i>'), path);
    }
    const none = await console.open('alice', '/operators/paula/tokens/%3Ci%3E/revoke');
    assert.equal(none.status, 404);
    assert.ok(none.text.includes('&lt;i&gt;') && !none.text.includes('<i>'));
  });
});

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { cookieNames } from '../../../src/operators/console/sign-in/cookies.ts';
import { type Management, startManagement } from '../../../src/operators/process/management.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { openMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { Visitor } from '../../support/console/visitor.ts';
import { testKeyRing, testKeyRingHolder } from '../../support/keyring/test-key-ring.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { borrowReplicaSet } from '../../support/mongodb/borrow-servers.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { type RunningProvider, startOpenIdProvider } from '../../support/openid/openid-provider.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const CLIENT = 'postern-console';

describe('signing in to the console', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let provider: RunningProvider;
  let environment: Record<string, string> = {};
  let base = '';
  const running: Management[] = [];
  const log: string[] = [];

  before(async () => {
    folder = await temporaryDirectory();
    const port = await freePort();
    base = `http://127.0.0.1:${String(port)}`;
    provider = await startOpenIdProvider(CLIENT, `${base}/sign-in/callback`);
    const secret = join(folder.path, 'client-secret');
    writeFileSync(secret, 'secret\n');
    const ring = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', ring])).code, 0);
    environment = {
      ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' },
      ...{ POSTERN_MANAGE_ADDRESS: `127.0.0.1:${String(port)}`, POSTERN_MANAGE_URL: base },
      ...{ POSTERN_MANAGE_OIDC_ISSUER: provider.issuer, POSTERN_MANAGE_OIDC_CLIENT_ID: CLIENT },
      POSTERN_MANAGE_OIDC_CLIENT_SECRET: secret,
    };
    await run('operator add first --role admin --no-token');
    await start();
  });
  after(async () => {
    await Promise.all(running.map((each) => release(each)));
    await release(provider, folder);
  });

  async function start(more: Record<string, string> = {}): Promise<string> {
    const given = { ...environment, ...more };
    const parsed = parseConfig(given);
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const uri = given['POSTERN_STORE'] ?? assert.fail();
    const onFault = (): never => assert.fail();
    const store = openMongoStore(uri, { sealer: testKeyRing(), clock: systemClock, timeoutMs: 1000, onFault });
    const logger = createLogger('info', { write: (line: string) => log.push(line) });
    const management = await startManagement({
      config: parsed.config,
      clock: systemClock,
      logger,
      store,
      keyRing: testKeyRingHolder(),
    });
    running.push(management);
    const { address } = management;
    return `http://127.0.0.1:${String(address.kind === 'tcp' ? address.port : 0)}`;
  }

  async function run(command: string): Promise<string> {
    const { code, out, err } = await runCli(command.split(' '), environment);
    assert.deepEqual([code, err], [0, ''], `${command}: ${err}`);
    return out;
  }

  async function newToken(command: string): Promise<{ readonly id: string; readonly text: string }> {
    const { token } = JSON.parse(await run(`${command} -o json`)) as { token: { id: string; token: string } };
    return { id: token.id, text: token.token };
  }

  const session = (visitor: Visitor): string | undefined => visitor.cookie(cookieNames.session);
  const formToken = (text: string): string => /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? assert.fail(text);

  describe('with a token', () => {
    it('leads from a page to the sign-in page and back, with a cookie that no script and no other site gets', async () => {
      const { text } = await newToken('operator add alice --role support');
      const visitor = new Visitor(base);
      const asked = await visitor.open('/consumers?q=a');
      assert.deepEqual([asked.status, asked.headers.get('location')], [303, '/sign-in?return=%2Fconsumers%3Fq%3Da']);
      const page = await visitor.open('/sign-in?return=%2Fconsumers%3Fq%3Da');
      assert.equal(page.status, 200);
      assert.match(page.text, /name="return" value="\/consumers\?q=a"/);
      const answer = await visitor.submit('/sign-in', { token: ` ${text}\r\n`, return: '/consumers?q=a' });
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/consumers?q=a']);
      assert.match(
        answer.headers.getSetCookie().join('\n'),
        /^__Host-postern=[A-Za-z0-9_-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
      );
      const shown = await visitor.open('/consumers?q=a');
      assert.deepEqual([shown.status, shown.headers.get('cache-control')], [200, 'no-store']);
      assert.match(shown.text, /alice/);
      assert.equal((await visitor.open('/sign-in?return=/consumers')).headers.get('location'), '/consumers');
    });

    it('is refused in the same words for a wrong token, an unknown operator, a disabled one, and no token', async () => {
      const { text } = await newToken('operator add dora --role viewer');
      await run('operator disable dora');
      const wrong = (id: string): string => `pot_${id}.${'A'.repeat(43)}`;
      const visitor = new Visitor(base);
      const answers = [];
      for (const token of [wrong('first'), wrong('nobody'), text, 'hunter2', ''])
        answers.push(await visitor.submit('/sign-in', { token }));
      const [{ text: first } = assert.fail()] = answers;
      assert.match(first, /The token is not that of an operator, has ended, or was revoked/);
      for (const answer of answers) assert.deepEqual([answer.status, answer.text], [401, first]);
      assert.ok(!first.includes('hunter2'));
      assert.equal(session(visitor), undefined);
    });

    it('makes those wait who guess, and no others', async () => {
      const { text } = await newToken('operator add elsa --role viewer');
      const visitor = new Visitor(base);
      const guess = { token: `pot_elsa.${'A'.repeat(43)}` };
      let answer = await visitor.submit('/sign-in', guess);
      for (let tries = 0; answer.status === 401 && tries < 60; tries += 1)
        answer = await visitor.submit('/sign-in', guess);
      assert.equal(answer.status, 429);
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
      assert.equal((await visitor.submit('/sign-in', { token: text })).status, 429, 'also with the right one');
      const { text: other } = await newToken('operator add fred --role viewer');
      assert.equal((await visitor.submit('/sign-in', { token: other })).status, 303);
    });

    it('is refused from another site, so that nobody is signed in as somebody else (log-in CSRF)', async () => {
      const { text } = await newToken('operator add mallory --role viewer');
      const foreign = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
        {},
      ];
      for (const headers of foreign) {
        const visitor = new Visitor(base);
        const answer = await visitor.submit('/sign-in', { token: text }, headers);
        assert.equal(answer.status, 403, JSON.stringify(headers));
        assert.match(answer.text, /FORBIDDEN/);
        assert.equal(session(visitor), undefined);
      }
    });

    it('begins under a new id, whatever was planted in the browser before (session fixation)', async () => {
      const { text } = await newToken('operator add gina --role viewer');
      const attacker = new Visitor(base);
      const { text: own } = await newToken('operator add attacker --role viewer');
      await attacker.submit('/sign-in', { token: own });
      const planted = session(attacker) ?? assert.fail();
      const victim = new Visitor(base);
      victim.setCookie(cookieNames.session, planted);
      await victim.submit('/sign-in', { token: text });
      assert.notEqual(session(victim), planted);
      assert.equal((await attacker.open('/consumers')).status, 303, 'the planted session ended');
      const invented = new Visitor(base);
      invented.setCookie(cookieNames.session, 'B'.repeat(43));
      await invented.submit('/sign-in', { token: text });
      assert.notEqual(session(invented), 'B'.repeat(43));
    });

    it('leads to no other host afterwards (open redirect)', async () => {
      const { text } = await newToken('operator add hank --role viewer');
      for (const place of ['https://evil.example/', '//evil.example', '/\\evil.example', '/.//evil.example']) {
        const visitor = new Visitor(base);
        const page = await visitor.open(`/sign-in?return=${encodeURIComponent(place)}`);
        assert.ok(!page.text.includes('evil.example'), place);
        assert.equal((await visitor.submit('/sign-in', { token: text, return: place })).headers.get('location'), '/');
      }
    });

    it('holds in every process, and ends at once in each when the token is revoked', async () => {
      const { id, text } = await newToken('operator add ivan --role viewer');
      const second = await start({ POSTERN_MANAGE_ADDRESS: '127.0.0.1:0' });
      const visitor = new Visitor(base);
      await visitor.submit('/sign-in', { token: text });
      const there = new Visitor(second);
      there.setCookie(cookieNames.session, session(visitor) ?? assert.fail());
      for (const each of [visitor, there]) assert.equal((await each.open('/consumers')).status, 200);
      await run(`operator token revoke ivan ${id}`);
      for (const each of [visitor, there]) assert.equal((await each.open('/consumers')).status, 303);
    });

    it('ends at sign-out, which takes the token of the form', async () => {
      const { text } = await newToken('operator add jane --role viewer');
      const visitor = new Visitor(base);
      await visitor.submit('/sign-in', { token: text });
      const id = session(visitor) ?? assert.fail();
      const page = await visitor.open('/consumers');
      assert.equal((await visitor.submit('/sign-out', { csrf: 'x' })).status, 403);
      assert.equal((await visitor.open('/consumers')).status, 200);
      const out = await visitor.submit('/sign-out', { csrf: formToken(page.text) });
      assert.deepEqual([out.status, out.headers.get('location'), session(visitor)], [303, '/sign-in', undefined]);
      visitor.setCookie(cookieNames.session, id);
      assert.equal((await visitor.open('/consumers')).status, 303);
    });

    it('leaves no token and no session in the log', async () => {
      const { text } = await newToken('operator add karl --role viewer');
      const visitor = new Visitor(base);
      await visitor.submit('/sign-in', { token: text });
      const lines = log.join('');
      assert.ok(/"operator":"karl","by":"token",.*"message":"signed in"/.test(lines));
      for (const secret of [text, session(visitor) ?? assert.fail()]) assert.ok(!lines.includes(secret));
    });
  });

  describe('at an OpenID Connect provider', () => {
    beforeEach(() => {
      provider.account = { id: 'nobody' };
      provider.isDenying = false;
    });

    const begin = async (visitor: Visitor, path = '/sign-in/openid'): ReturnType<Visitor['follow']> =>
      await visitor.follow(await visitor.open(path), `${base}/sign-in/callback`);

    it('lets the operator in who has the subject, and leads back to where they were', async () => {
      await run('operator add lena --role support --no-token --subject sub-lena');
      provider.account = { id: 'sub-lena' };
      const visitor = new Visitor(base);
      const page = await visitor.open('/sign-in?return=/consumers');
      assert.match(
        page.text,
        /<a [^>]*href="\/sign-in\/openid\?return=%2Fconsumers">Sign in with 127\.0\.0\.1:\d+<\/a>/,
      );
      const { answer } = await visitor.follow(await visitor.open('/sign-in/openid?return=%2Fconsumers'));
      assert.equal(answer.status, 200);
      assert.match(answer.text, /lena/);
      assert.equal(visitor.cookie(cookieNames.openId), undefined);
      await run('operator edit lena --unset subject');
      assert.equal((await visitor.open('/consumers')).status, 303);
    });

    it('refuses people without an operator as it refuses disabled ones', async () => {
      await run('operator add mike --role support --no-token --subject sub-mike');
      await run('operator disable mike');
      for (const id of ['sub-mike', 'sub-unknown']) {
        provider.account = { id };
        const visitor = new Visitor(base);
        const { answer } = await visitor.follow(await visitor.open('/sign-in/openid'));
        assert.equal(answer.status, 401);
        assert.match(answer.text, new RegExp(`no operator has the subject &quot;${id}&quot;`));
        assert.equal(session(visitor), undefined);
      }
    });

    it('refuses what comes back in another browser, or a second time', async () => {
      await run('operator add nora --role support --no-token --subject sub-nora');
      provider.account = { id: 'sub-nora' };
      const nora = new Visitor(base);
      const { place } = await begin(nora);
      const strangers = new Visitor(base);
      const notBegun = await strangers.open(place);
      assert.equal(notBegun.status, 400);
      assert.match(notBegun.text, /This browser began no sign-in/);
      await begin(strangers);
      const otherState = await strangers.open(place);
      assert.equal(otherState.status, 401);
      assert.match(otherState.text, /Sign-in failed: what the provider sent back is not taken/);
      const flow = nora.cookie(cookieNames.openId) ?? assert.fail();
      assert.equal((await nora.open(place)).status, 303);
      nora.setCookie(cookieNames.openId, flow);
      const again = await nora.open(place);
      assert.equal(again.status, 401);
      assert.match(again.text, /invalid_grant/);
    });

    it('says when the person refused', async () => {
      provider.isDenying = true;
      const visitor = new Visitor(base);
      const { answer } = await visitor.follow(await visitor.open('/sign-in/openid'));
      assert.equal(answer.status, 401);
      assert.match(answer.text, /the provider refused: access_denied/);
    });

    it('takes the verified e-mail address, where the setting says so', async () => {
      await run('operator add olga --role support --no-token --subject olga@example.com');
      const port = await freePort();
      const own = `http://127.0.0.1:${String(port)}`;
      await using mail = await startOpenIdProvider(CLIENT, `${own}/sign-in/callback`);
      await start({
        ...{ POSTERN_MANAGE_ADDRESS: `127.0.0.1:${String(port)}`, POSTERN_MANAGE_URL: own },
        ...{ POSTERN_MANAGE_OIDC_ISSUER: mail.issuer, POSTERN_MANAGE_OIDC_CLAIM: 'email' },
      });
      for (const [emailVerified, status] of [
        [false, 401],
        [true, 200],
      ] as const) {
        mail.account = { id: `olga-${String(emailVerified)}`, email: 'olga@example.com', emailVerified };
        const visitor = new Visitor(own);
        const { answer } = await visitor.follow(await visitor.open('/sign-in/openid?return=/consumers'));
        assert.equal(answer.status, status, answer.text);
      }
    });

    it('is offered while the provider is down, says so, and does not keep tokens out', async () => {
      const issuer = `http://127.0.0.1:${String(await freePort())}`;
      const place = await start({ POSTERN_MANAGE_ADDRESS: '127.0.0.1:0', POSTERN_MANAGE_OIDC_ISSUER: issuer });
      const visitor = new Visitor(place);
      const down = await visitor.open('/sign-in/openid');
      assert.equal(down.status, 503);
      assert.match(down.text, /The OpenID Connect provider does not answer as it should/);
      const { text } = await newToken('operator add pete --role viewer');
      assert.equal((await visitor.submit('/sign-in', { token: text })).status, 303);
    });
  });

  it('is a page that says so while MongoDB is down, and signs nobody out', async function () {
    this.timeout(60_000);
    const set = await borrowReplicaSet();
    const [mongod = assert.fail()] = set.members;
    try {
      const uri = set.uri('postern');
      const own = { ...environment, POSTERN_STORE: uri };
      const { out } = await runCli(['operator', 'add', 'quinn', '--role', 'viewer', '-o', 'json'], own);
      const { token } = JSON.parse(out) as { token: { token: string } };
      const place = await start({ POSTERN_STORE: uri, POSTERN_MANAGE_ADDRESS: '127.0.0.1:0' });
      const visitor = new Visitor(place);
      await visitor.submit('/sign-in', { token: token.token });
      assert.equal((await visitor.open('/consumers')).status, 200);
      await mongod.kill();
      for (const path of ['/consumers', '/sign-in']) {
        const down = await visitor.open(path);
        assert.equal(down.status, 503);
        assert.match(down.text, /MongoDB does not answer/);
      }
      assert.equal((await visitor.submit('/sign-in', { token: token.token })).status, 503);
      assert.ok(session(visitor) !== undefined);
      await mongod.restart();
      await set.primary();
      assert.equal((await visitor.open('/consumers')).status, 200);
    } finally {
      await release(set);
    }
  });
});

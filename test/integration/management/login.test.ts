import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import { type Management, startManagement } from '../../../src/operators/process/management.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { freePort } from '../../../src/cli/programs/free-ports.ts';
import { sessionFileOf } from '../../../src/cli/login/session-file.ts';
import { storedToken } from '../../../src/cli/login/stored-session.ts';
import { openMongoStore } from '../../../src/stores/mongodb/open-mongo-store.ts';
import { runWhile } from '../../support/cli/run-while.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { testKeyRing, testKeyRingHolder } from '../../support/keyring/test-key-ring.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { type DeviceProvider, startDeviceProvider } from '../../support/openid/device-provider.ts';
import type { ProvidedAccount } from '../../support/openid/openid-provider.ts';
import { startChild } from '../../support/process/child-process.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';

const CLIENT = 'postern-commands';
const executable = new URL('../../../dist/main.js', import.meta.url).pathname;
const CODE = /enter the code ([A-Z]{4}-[A-Z]{4})/;

interface Kept {
  readonly operator: string;
  readonly token: string;
  readonly expiresAt: string;
  readonly renewal?: { readonly refreshToken: string };
}

describe('signing in with a command', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let provider: DeviceProvider;
  let store: Record<string, string> = {};
  let homes = 0;
  const running: Management[] = [];
  const log: string[] = [];
  /** What no log and no output may hold. */
  const secrets: string[] = [];

  before(async () => {
    folder = await temporaryDirectory();
    provider = await startDeviceProvider(CLIENT);
    const ring = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', ring])).code, 0);
    store = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
    await run('operator add first --role admin --no-token');
  });
  beforeEach(() => {
    Object.assign(provider.manners, { interval: 0.05, codeSeconds: 60, nextError: null, isDown: false });
  });
  after(async () => {
    await Promise.all(running.map((each) => release(each)));
    await release(provider, folder);
  });

  async function run(command: string): Promise<string> {
    const { code, out, err } = await runCli(command.split(' '), store);
    assert.deepEqual([code, err], [0, ''], `${command}: ${err}`);
    return out;
  }

  /** Starts `postern manage`, and gives its address. */
  async function start(
    more: Record<string, string> = {},
    scheme = 'http',
    clock: Clock = systemClock,
  ): Promise<string> {
    const port = await freePort();
    const origin = `${scheme}://127.0.0.1:${String(port)}`;
    const parsed = parseConfig({
      ...store,
      ...{ POSTERN_MANAGE_ADDRESS: `127.0.0.1:${String(port)}`, POSTERN_MANAGE_URL: origin },
      ...{ POSTERN_MANAGE_OIDC_ISSUER: provider.issuer, POSTERN_MANAGE_OIDC_CLIENT_ID: 'postern-console' },
      POSTERN_MANAGE_OIDC_DEVICE_CLIENT_ID: CLIENT,
      ...more,
    });
    assert.ok('config' in parsed, JSON.stringify(parsed));
    const onFault = (): never => assert.fail();
    const opened = openMongoStore(database.uri(), { sealer: testKeyRing(), clock, timeoutMs: 5000, onFault });
    const logger = createLogger('info', { write: (line: string) => log.push(line) });
    const { config } = parsed;
    running.push(await startManagement({ config, clock, logger, store: opened, keyRing: testKeyRingHolder() }));
    return origin;
  }

  /** A user of this machine, who has signed in nowhere. */
  function newUser(origin: string): Record<string, string> {
    homes += 1;
    return { HOME: join(folder.path, `home-${String(homes)}`), POSTERN_STORE: origin };
  }

  const keptOf = (environment: Record<string, string>): Kept | undefined => {
    const path = sessionFileOf(environment);
    if (!existsSync(path)) return undefined;
    const { sessions } = JSON.parse(readFileSync(path, 'utf8')) as { sessions: Record<string, Kept> };
    return sessions[environment['POSTERN_STORE'] ?? ''];
  };

  async function login(
    environment: Record<string, string>,
    answer: (code: string) => Promise<void>,
  ): Promise<CommandResult> {
    let isAnswered = false;
    const result = await runWhile(['login'], environment, async (err) => {
      const code = CODE.exec(err)?.[1];
      if (code === undefined || isAnswered) return;
      isAnswered = true;
      await answer(code);
    });
    const kept = keptOf(environment);
    if (kept !== undefined) secrets.push(kept.token, kept.renewal?.refreshToken ?? kept.token);
    for (const secret of secrets) assert.ok(!`${result.out}${result.err}`.includes(secret), 'a secret is shown');
    return result;
  }
  const approve =
    (account: ProvidedAccount) =>
    async (code: string): Promise<void> => {
      await provider.approve(code, account);
    };

  async function whoami(environment: Record<string, string>): Promise<Record<string, unknown>> {
    const { code, out, err } = await runCli(['whoami', '-o', 'json'], environment);
    assert.deepEqual([code, err], [0, ''], err);
    return JSON.parse(out) as Record<string, unknown>;
  }

  /** Writes into the file what time would bring. */
  function endSoon(environment: Record<string, string>, seconds: number): void {
    const path = sessionFileOf(environment);
    const file = JSON.parse(readFileSync(path, 'utf8')) as { sessions: Record<string, { expiresAt: string }> };
    for (const each of Object.values(file.sessions))
      each.expiresAt = new Date(Date.now() + seconds * 1000).toISOString();
    writeFileSync(path, JSON.stringify(file));
  }

  async function tokenOf(environment: Record<string, string>): Promise<string | undefined> {
    return await storedToken({ store: new URL(environment['POSTERN_STORE'] ?? ''), environment });
  }

  describe('at the OpenID Connect provider of the API', () => {
    let api = '';
    before(async () => {
      api = await start();
    });

    it('makes commands work in the name of the person, with the role and labels', async () => {
      await run('operator add lena --role support --label team=payments --no-token --subject sub-lena');
      const lena = newUser(api);
      const { code, out, err } = await login(lena, approve({ id: 'sub-lena' }));
      assert.deepEqual(
        [code, out],
        [0, `Signed in at ${api} as lena (support). It is renewed without you while the provider allows it.\n`],
        err,
      );
      assert.match(err, new RegExp(`^Open ${provider.issuer}/device and enter the code [A-Z]{4}-[A-Z]{4}\\n`));
      const { expiresAt, ...me } = await whoami(lena);
      assert.deepEqual(me, {
        ...{ store: api, id: 'lena', name: 'lena', role: 'support', labels: { team: 'payments' } },
        ...{ hosts: [], pathPrefixes: [], by: 'session' },
      });
      assert.ok(Math.abs(Date.parse(String(expiresAt)) - Date.now() - 3600_000) < 60_000, String(expiresAt));
      const { out: shown } = await runCli(['whoami'], lena);
      assert.match(shown, /role +support\n +labels +team=payments\n +by +a session\n +until +\S+ \S+ UTC \(in /);
    });

    it('names the person in the audit trail, and holds the role', async () => {
      await run('operator add olaf --role operator --no-token --subject sub-olaf');
      const olaf = newUser(api);
      await login(olaf, approve({ id: 'sub-olaf' }));
      const headers = {
        authorization: `Bearer ${(await tokenOf(olaf)) ?? assert.fail()}`,
        'content-type': 'application/json',
      };
      const post = async (path: string, body: object): Promise<number> =>
        (await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
      assert.equal(await post('/v1/consumers', { id: 'by-olaf' }), 201);
      const endpoint = { id: 'e', match: { paths: [{ prefix: '/e' }] }, authentication: 'key' };
      assert.equal(await post('/v1/endpoints', endpoint), 403);
      assert.match(await run('audit list --consumer by-olaf'), /olaf/);
    });

    it('keeps the file for its owner, and takes none that others can read', async () => {
      await run('operator add mia --role viewer --no-token --subject sub-mia');
      const mia = newUser(api);
      await login(mia, approve({ id: 'sub-mia' }));
      const path = sessionFileOf(mia);
      const modes = [path, dirname(path)].map((each) => (statSync(each).mode & 0o777).toString(8));
      assert.deepEqual(modes, ['600', '700']);
      chmodSync(path, 0o640);
      const message = `${path} has the permissions 0640, so that others may have its tokens: run "chmod 600 ${path}" and "postern logout", and sign in again`;
      for (const command of ['login', 'whoami', 'logout']) {
        const { code, err } = await runCli([command], mia);
        assert.deepEqual([code, err], [1, `postern ${command}: ${message}\n`]);
      }
      await assert.rejects(tokenOf(mia), { name: 'FileFault', message });
    });

    it('says that a file is none of sessions, and shows nothing of it', async () => {
      const user = newUser(api);
      const path = sessionFileOf(user);
      mkdirSync(dirname(path), { recursive: true });
      for (const text of [
        'hunter2',
        '{"version":1,"sessions":{"x":{"token":"hunter2"}}}',
        '{"version":2,"sessions":{}}',
      ]) {
        writeFileSync(path, text, { mode: 0o600 });
        const message = `${path} is no file of sessions: delete it, and sign in again`;
        await assert.rejects(tokenOf(user), { name: 'FileFault', message });
      }
    });

    it('is refused to people without an operator as to disabled ones, and keeps nothing', async () => {
      await run('operator add dora --role viewer --no-token --subject sub-dora');
      await run('operator disable dora');
      for (const id of ['sub-dora', 'sub-nobody']) {
        const user = newUser(api);
        const { code, err } = await login(user, approve({ id }));
        const reason = `no operator has the subject "${id}"; an admin can add it on the page of an operator`;
        assert.equal(code, 1);
        assert.ok(err.endsWith(`postern login: ${api} does not let you in: ${reason}\n`), err);
        assert.equal(keptOf(user), undefined);
      }
    });

    it('says that the person refused', async () => {
      const user = newUser(api);
      const { code, err } = await login(user, async (userCode) => {
        await provider.deny(userCode);
      });
      assert.equal(code, 1);
      assert.ok(err.endsWith('postern login: the sign-in was denied at the provider\n'), err);
    });

    it('says that the code expired, also while it is asked to slow down', async () => {
      provider.manners.codeSeconds = 1;
      const before = provider.asked.length;
      provider.manners.nextError = 'slow_down';
      const { code, err } = await login(newUser(api), () => Promise.resolve());
      assert.equal(code, 1);
      assert.ok(err.endsWith('postern login: the code expired before it was entered: sign in again\n'), err);
      assert.equal(provider.asked.length - before, 1, 'slow_down adds five seconds (RFC 8628 §3.5)');
    });

    it('says so when the provider says that the code expired', async () => {
      provider.manners.nextError = 'expired_token';
      const { code, err } = await login(newUser(api), () => Promise.resolve());
      assert.equal(code, 1);
      assert.ok(err.endsWith('postern login: the code expired before it was entered: sign in again\n'), err);
    });

    it('says that the provider is down', async () => {
      provider.manners.isDown = true;
      const { code, err } = await login(newUser(api), () => Promise.resolve());
      assert.equal(code, 5);
      assert.match(err, /^postern login: the provider http:\/\/127\.0\.0\.1:\d+ does not answer as it must \(\w+\)\n$/);
    });

    it('ends at once when the subject is taken, or the operator disabled', async () => {
      await run('operator add rita --role viewer --no-token --subject sub-rita');
      const rita = newUser(api);
      await login(rita, approve({ id: 'sub-rita' }));
      await run('operator edit rita --unset subject');
      const { code, err } = await runCli(['whoami'], rita);
      assert.deepEqual(
        [code, err],
        [1, `postern whoami: ${api}: the token is not that of an operator, has ended, or was revoked\n`],
      );
      endSoon(rita, 10);
      const advice = `does not let you in: no operator has the subject "sub-rita"; an admin can add it on the page of an operator; run "postern login --store ${api}"`;
      await assert.rejects(tokenOf(rita), {
        name: 'SignInRefused',
        message: `your sign-in at ${api} has ended: ${api} ${advice}`,
      });
      assert.equal(keptOf(rita)?.renewal, undefined, 'it is not tried again');
    });

    it('is renewed once for all who need it at the same time', async () => {
      await run('operator add paul --role viewer --no-token --subject sub-paul');
      const paul = newUser(api);
      await login(paul, approve({ id: 'sub-paul' }));
      const former = keptOf(paul) ?? assert.fail();
      assert.equal(await tokenOf(paul), former.token, 'an hour is left');
      endSoon(paul, 59);
      const renewals = (): number => provider.asked.filter(({ grant }) => grant === 'refresh_token').length;
      const before = renewals();
      const here = await Promise.all(Array.from({ length: 8 }, async () => await tokenOf(paul)));
      const there = await startChild({
        command: process.execPath,
        args: [executable, 'whoami', '-o', 'json'],
        env: paul,
      });
      assert.equal((await there.ended).code, 0, there.stderr());
      assert.equal(renewals() - before, 1);
      const [token] = here;
      assert.ok(here.every((each) => each === token) && token !== former.token);
      assert.deepEqual([keptOf(paul)?.token, keptOf(paul)?.operator], [token, 'paul']);
      assert.notEqual(keptOf(paul)?.renewal?.refreshToken, former.renewal?.refreshToken, 'a refresh token works once');
      secrets.push(token ?? '');
      assert.ok(!existsSync(`${sessionFileOf(paul)}.lock`));
    });

    it('is renewed although a process was killed while it renewed', async () => {
      await run('operator add kim --role viewer --no-token --subject sub-kim');
      const kim = newUser(api);
      await login(kim, approve({ id: 'sub-kim' }));
      endSoon(kim, -1);
      const lock = `${sessionFileOf(kim)}.lock`;
      writeFileSync(lock, 'of a process that was killed');
      utimesSync(lock, Date.now() / 1000 - 121, Date.now() / 1000 - 121);
      assert.equal(await tokenOf(kim), keptOf(kim)?.token);
      assert.ok(!existsSync(lock));
    });

    it('goes on with what is left of a session while the provider is down, and no longer', async () => {
      await run('operator add ulf --role viewer --no-token --subject sub-ulf');
      const ulf = newUser(api);
      await login(ulf, approve({ id: 'sub-ulf' }));
      const kept = keptOf(ulf) ?? assert.fail();
      provider.manners.isDown = true;
      endSoon(ulf, 30);
      assert.equal(await tokenOf(ulf), kept.token);
      endSoon(ulf, -1);
      await assert.rejects(tokenOf(ulf), { name: 'StoreUnavailable' });
      provider.manners.isDown = false;
      assert.notEqual(await tokenOf(ulf), kept.token);
    });

    it('ends with "logout" here, at the API and at the provider', async () => {
      await run('operator add nils --role viewer --no-token --subject sub-nils');
      const nils = newUser(api);
      await login(nils, approve({ id: 'sub-nils' }));
      const { token, renewal } = keptOf(nils) ?? assert.fail();
      const refreshToken = renewal?.refreshToken ?? assert.fail();
      assert.ok(await provider.isLive(refreshToken));
      const { code, out, err } = await runCli(['logout'], nils);
      assert.deepEqual([code, out, err], [0, `Signed out of ${api}.\n`, '']);
      const answer = await fetch(`${api}/v1/operators/me`, { headers: { authorization: `Bearer ${token}` } });
      assert.deepEqual([answer.status, await provider.isLive(refreshToken)], [401, false]);
      assert.deepEqual([keptOf(nils), await tokenOf(nils)], [undefined, undefined]);
      assert.equal((await runCli(['logout'], nils)).out, `Nobody is signed in at ${api}.\n`);
      const { code: nobody, err: advice } = await runCli(['whoami'], nils);
      assert.deepEqual(
        [nobody, advice],
        [1, `postern whoami: nobody is signed in at ${api}; run "postern login --store ${api}"\n`],
      );
    });

    it('forgets also while the provider is down, and says what was not ended', async () => {
      await run('operator add vera --role viewer --no-token --subject sub-vera');
      const vera = newUser(api);
      await login(vera, approve({ id: 'sub-vera' }));
      provider.manners.isDown = true;
      const { code, out, err } = await runCli(['logout'], vera);
      assert.deepEqual([code, out, keptOf(vera)], [5, `Signed out of ${api}.\n`, undefined]);
      assert.match(err, /^postern logout: not ended: the provider \S+ does not answer as it must \(\w+\)\n$/);
    });

    it('gives back a former sign-in when the same person signs in again', async () => {
      await run('operator add wanda --role viewer --no-token --subject sub-wanda');
      const wanda = newUser(api);
      await login(wanda, approve({ id: 'sub-wanda' }));
      const former = keptOf(wanda)?.renewal?.refreshToken ?? assert.fail();
      assert.equal((await login(wanda, approve({ id: 'sub-wanda' }))).code, 0);
      assert.equal(await provider.isLive(former), false);
      assert.equal((await whoami(wanda))['id'], 'wanda');
    });

    it('takes an ID token for a session only, and the token of a session in no cookie', async () => {
      await run('operator add xena --role admin --no-token --subject sub-xena');
      const xena = newUser(api);
      await login(xena, approve({ id: 'sub-xena' }));
      const idToken = provider.tokens.findLast((each) => each.split('.').length === 3) ?? assert.fail();
      const ask = async (method: string, path: string, token: string): Promise<number> =>
        (await fetch(`${api}${path}`, { method, headers: { authorization: `Bearer ${token}` } })).status;
      assert.equal(await ask('GET', '/v1/operators/me', idToken), 401);
      assert.equal(await ask('POST', '/v1/consumers', idToken), 401);
      const session = (await tokenOf(xena)) ?? assert.fail();
      assert.equal(await ask('POST', '/v1/sessions', session), 403);
      const cookie = `__Host-postern=${session.slice('pos_'.length)}`;
      const page = await fetch(`${api}/consumers`, { headers: { cookie }, redirect: 'manual' });
      assert.equal(page.status, 303);
      assert.equal(await ask('DELETE', '/v1/sessions/current', session), 200);
      assert.equal(await ask('GET', '/v1/operators/me', session), 401);
    });
  });

  it('takes the verified e-mail address of UserInfo, where the setting says so', async () => {
    const api = await start({ POSTERN_MANAGE_OIDC_CLAIM: 'email' });
    await run('operator add olga --role support --no-token --subject olga@example.com');
    for (const [emailVerified, code] of [
      [false, 1],
      [true, 0],
    ] as const) {
      const account = { id: `olga-${String(emailVerified)}`, email: 'olga@example.com', emailVerified };
      const olga = newUser(api);
      const result = await login(olga, approve(account));
      assert.equal(result.code, code, result.err);
      if (code === 1) continue;
      endSoon(olga, 10);
      assert.notEqual(await tokenOf(olga), undefined, 'the renewal asks UserInfo too');
    }
  });

  it('is refused where the provider is not the one that it says it is', async () => {
    const { port } = new URL(provider.issuer);
    const api = await start({ POSTERN_MANAGE_OIDC_ISSUER: `http://localhost:${port}` });
    const { code, err } = await login(newUser(api), approve({ id: 'sub-lena' }));
    assert.equal(code, 1);
    assert.match(err, /^postern login: the provider http:\/\/localhost:\d+\/? refused: \w+\n$/);
  });

  it('is refused at another address than the API says that it has', async () => {
    const api = await start({ POSTERN_MANAGE_URL: 'https://postern.example.com' });
    const { code, err } = await login(newUser(api), approve({ id: 'sub-lena' }));
    const advice = 'give that one as --store, or set POSTERN_MANAGE_URL there';
    const message = `postern login: ${api} says that its address is https://postern.example.com: ${advice}\n`;
    assert.deepEqual([code, err], [1, message]);
  });

  describe('with an own token', () => {
    async function newToken(id: string, flags = '--role viewer'): Promise<string> {
      const { token } = JSON.parse(await run(`operator add ${id} ${flags} -o json`)) as { token: { token: string } };
      return token.token;
    }

    it('is checked, kept, used and forgotten; no argument holds it', async () => {
      const api = await start();
      const text = await newToken('abel');
      const abel = { ...newUser(api), TOKEN: text };
      const { code, out, err } = await runCli(['login', '--token-from', 'env:TOKEN'], abel);
      assert.equal(code, 0, err);
      assert.match(
        out,
        new RegExp(`^Signed in at ${api} as abel \\(viewer\\)\\. It ends .* UTC \\(in 90 days\\)\\.\\n$`),
      );
      assert.deepEqual([await tokenOf(abel), (await whoami(abel))['by']], [text, 'token']);
      const { out: left } = await runCli(['logout'], abel);
      const advice = 'The token itself works until it ends; to end it now: postern operator token revoke abel ID';
      assert.equal(left, `Signed out of ${api}.\n${advice}\n`);
      assert.equal(await tokenOf(abel), undefined);
      const wrong = { ...abel, TOKEN: `pot_abel.${'A'.repeat(43)}` };
      const refused = await runCli(['login', '--token-from', 'env:TOKEN'], wrong);
      const reason = 'the token is not that of an operator, has ended, or was revoked';
      assert.deepEqual(
        [refused.code, refused.err, keptOf(wrong)],
        [1, `postern login: ${api}: ${reason}\n`, undefined],
      );
      const argument = await runCli(['login', '--token-from', text], abel);
      assert.equal(argument.code, 2);
      assert.ok(!argument.err.includes(text));
    });

    it('is asked for where the API has no provider for commands', async () => {
      const api = await start({ POSTERN_MANAGE_OIDC_DEVICE_CLIENT_ID: '' });
      const text = await newToken('berta');
      const user = newUser(api);
      const { code, err } = await runCli(['login'], user, { ask: async () => await Promise.resolve(` ${text} `) });
      assert.deepEqual([code, await tokenOf(user)], [0, text], err);
      const alone = await runCli(['login'], newUser(api));
      const message = `postern login: ${api} takes own tokens only, and there is no terminal to ask at: give --token-from\n`;
      assert.deepEqual([alone.code, alone.err], [2, message]);
      const session = await fetch(`${api}/v1/sessions`, { method: 'POST', headers: { authorization: 'Bearer a.b.c' } });
      assert.equal(session.status, 401);
    });

    it('says that it ended', async () => {
      const api = await start();
      const user = { ...newUser(api), TOKEN: await newToken('carl') };
      await runCli(['login', '--token-from', 'env:TOKEN'], user);
      endSoon(user, -1);
      const message = `your sign-in at ${api} has ended; run "postern login --store ${api}"`;
      await assert.rejects(tokenOf(user), { name: 'SignInRefused', message });
    });
  });

  it('needs the address of an API, over TLS unless it is this machine', async () => {
    const cases = [
      ['', 'POSTERN_STORE names no store: people sign in there only; give --store https://HOST:9004'],
      [
        'mongodb://127.0.0.1/x',
        'POSTERN_STORE is not the address of a management API: people sign in there only; give --store https://HOST:9004',
      ],
      [
        'http://postern.example.com',
        'POSTERN_STORE must begin with https:// where it is another machine: tokens would be readable on the way',
      ],
    ] as const;
    for (const [address, message] of cases) {
      const { code, err } = await runCli(['whoami'], newUser(address));
      assert.deepEqual([code, err], [2, `postern whoami: ${message}\n`]);
    }
    const nowhere = `http://127.0.0.1:${String(await freePort())}`;
    const { code, err } = await runCli(['login'], newUser(nowhere));
    assert.deepEqual(
      [code, err],
      [
        5,
        `postern login: ${nowhere} does not answer (ECONNREFUSED): check that "postern manage" runs there, and that this machine reaches it\n`,
      ],
    );
  });

  it('trusts the certificate of the API that POSTERN_STORE_CA or the system vouches for, and no other', async () => {
    const authority = makeCertificate('operators');
    const own = makeCertificate('127.0.0.1', authority);
    const paths = {
      cert: join(folder.path, 'api.pem'),
      key: join(folder.path, 'api.key'),
      ca: join(folder.path, 'ca.pem'),
    };
    writeFileSync(paths.cert, own.cert);
    writeFileSync(paths.key, own.key);
    writeFileSync(paths.ca, authority.cert);
    const files = { POSTERN_MANAGE_TLS_CERTIFICATE: paths.cert, POSTERN_MANAGE_TLS_KEY: paths.key };
    const api = await start(files, 'https');
    await run('operator add tina --role viewer --no-token --subject sub-tina');
    const tina = { ...newUser(api), POSTERN_STORE_CA: paths.ca };
    await using child = await startChild({ command: process.execPath, args: [executable, 'login'], env: tina });
    const code = await child.line('stderr', (line) => CODE.exec(line)?.[1] ?? null);
    await provider.approve(code, { id: 'sub-tina' });
    assert.equal((await child.ended).code, 0, child.stderr());
    assert.match(child.stdout(), new RegExp(`^Signed in at ${api} as tina \\(viewer\\)`));
    assert.equal((await whoami(tina))['id'], 'tina');
    const { code: untrusted, err } = await runCli(['whoami'], { ...tina, POSTERN_STORE_CA: '' });
    assert.equal(untrusted, 5);
    assert.match(
      err,
      /^postern whoami: \S+ does not answer \(\w+\): .*\. Check the name in POSTERN_STORE, and POSTERN_STORE_CA\n$/,
    );
    const { code: unread, err: why } = await runCli(['whoami'], { ...tina, POSTERN_STORE_CA: `${paths.ca}.none` });
    assert.deepEqual([unread, why.includes('POSTERN_STORE_CA: ') && why.includes('(ENOENT)')], [2, true]);
  });

  describe('in the log', () => {
    it('has the person, and no token', () => {
      const lines = log.join('');
      assert.ok(/"operator":"lena","by":"openid",.*"message":"signed in"/.test(lines));
      assert.match(lines, /"message":"a sign-in was refused"/);
      assert.ok(secrets.length > 10 && provider.tokens.length > 20);
      for (const secret of [...secrets, ...provider.tokens]) assert.ok(!lines.includes(secret));
    });
  });
});

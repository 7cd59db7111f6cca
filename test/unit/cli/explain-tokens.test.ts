import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KeyRing } from '../../../src/model/keyring/key-ring.ts';
import { AccessTokens } from '../../../src/check/tokens/access-tokens.ts';
import { ringText, testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { fixedClock } from '../../support/time/fixed-clock.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, endpointsYaml, runCli } from './run-cli.ts';

const issuer = 'http://127.0.0.1:10000';
const at = '2026-11-07T02:40:00Z';
const atSeconds = Date.parse(at) / 1000;

const storeYaml = `${endpointsYaml}
  - id: guarded
    scenario: partner-openapi
    match: { paths: [{ prefix: /guarded }] }
    authentication: oauth2
    accessCondition: authenticated-and-authorized
    options: { tokenInQuery: true }
  - { id: watched, scenario: open, match: { paths: [{ prefix: /watched }], methods: [GET] } }
consumers:
  - id: acme
    credentials:
      - { id: client, method: oauth2, appKey: client-of-acme, appSecret: the-secret-of-acme-for-tests }
      - { id: signer, method: hmac, appKey: signer-of-acme, appSecret: the-secret-of-acme-for-tests }
      - { id: gone, method: oauth2, appKey: former-client, appSecret: the-secret-of-acme-for-tests, state: revoked }
`;

interface Subject {
  readonly clientId?: string;
  readonly credentialId?: string;
  readonly issuedAt?: number;
  readonly ring?: KeyRing;
  readonly from?: string;
}

function token({ clientId, credentialId, issuedAt, ring = testKeyRing(), from = issuer }: Subject = {}): string {
  const tokens = new AccessTokens({ issuer: from, ring: () => ring, clock: fixedClock(issuedAt ?? atSeconds - 60) });
  const subject = { consumerId: 'acme', expiresAt: null };
  return tokens.issue({
    ...subject,
    clientId: clientId ?? 'client-of-acme',
    credentialId: credentialId ?? 'client',
  }).text;
}

describe('postern explain on endpoints without signatures', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    writeFileSync(join(folder.path, 'postern.yaml'), storeYaml);
    writeFileSync(join(folder.path, 'keyring.yaml'), ringText(1), { mode: 0o600 });
  });
  after(() => folder[Symbol.asyncDispose]());

  async function explain(request: string, args: readonly string[] = [], more = {}): Promise<CommandResult> {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, request);
    return await runCli(['explain', file, '--at', at, ...args], {
      POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}`,
      POSTERN_KEYRING: join(folder.path, 'keyring.yaml'),
      ...more,
    });
  }
  const bearer = (text: string, path = '/stock'): string => `curl http://h${path} -H 'Authorization: Bearer ${text}'`;

  /** The names of the mistakes, and the answer. */
  async function faultsOf(request: string, more = {}, args: readonly string[] = []): Promise<readonly string[]> {
    const { code, out, err } = await explain(request, ['-o', 'json', ...args], more);
    assert.deepEqual([code, err], [1, ''], out);
    const { verdict, mistakes, answer } = JSON.parse(out) as {
      verdict: string;
      mistakes: readonly { name: string }[];
      answer: { status: number; code: string };
    };
    assert.equal(verdict, 'wrong', out);
    return [...mistakes.map(({ name }) => name), `${String(answer.status)} ${answer.code}`];
  }

  describe('that are open', () => {
    it('says that there is nothing to authenticate', async () => {
      assert.deepEqual(await explain('curl http://h/status'), {
        code: 0,
        out: 'Right: the endpoint is open: nothing is authenticated, and no grant is needed.\nThe gateway lets it pass, to the limits.\n',
        err: '',
      });
      const { out } = await explain('curl http://h/status', ['-o', 'json']);
      const { authentication, answer } = JSON.parse(out) as Record<string, unknown>;
      assert.equal(authentication, null);
      assert.deepEqual(answer, {
        status: null,
        code: 'ALLOWED',
        detail: 'nothing is authenticated, and no grant is needed',
        isAccessChecked: true,
      });
    });

    it('says what the gateway refuses there all the same', async () => {
      const doubled = await faultsOf('curl --path-as-is http://h/status//x', {}, ['--endpoint', 'status']);
      assert.deepEqual(doubled, ['path-not-normal', '400 PATH_NOT_NORMAL']);
      const { code, out } = await explain('curl -X POST http://h/watched', ['--endpoint', 'watched']);
      assert.equal(code, 1);
      assert.match(out, /^Wrong: .*\[endpoint-not-found\]\nThe gateway answers 404 ENDPOINT_NOT_FOUND/);
    });
  });

  describe('that take access tokens', () => {
    it('calls a token right that the gateway takes, in each place that it may stand in', async () => {
      assert.deepEqual(await explain(bearer(token())), {
        code: 0,
        out: 'Right: the access token is valid.\nThe gateway lets it pass, to the limits.\n\nNote: Whether its client revoked the token is known only to the service that runs.\n',
        err: '',
      });
    });

    it('names a token that is expired, foreign, changed or of a caller that is not let in', async () => {
      const foreign = token({ ring: testKeyRing(2) });
      const changed = token().replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      const cases: readonly (readonly [string, string, string])[] = [
        [token({ issuedAt: atSeconds - 3600 }), 'token-expired', '401 TOKEN_INVALID'],
        [token({ issuedAt: atSeconds + 120 }), 'token-not-yet-valid', '401 TOKEN_INVALID'],
        [foreign, 'token-not-issued-here', '401 TOKEN_INVALID'],
        [changed, 'token-not-issued-here', '401 TOKEN_INVALID'],
        ['eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'token-not-issued-here', '401 TOKEN_INVALID'],
        [token({ from: 'https://api.example.com' }), 'token-of-another-issuer', '401 TOKEN_INVALID'],
        [token({ credentialId: 'other' }), 'token-of-another-credential', '401 TOKEN_INVALID'],
        [token({ clientId: 'nobody' }), 'app-key-unknown', '401 TOKEN_INVALID'],
        [token({ clientId: 'former-client', credentialId: 'gone' }), 'credential-revoked', '401 TOKEN_INVALID'],
        [
          token({ clientId: 'signer-of-acme', credentialId: 'signer' }),
          'credential-of-another-method',
          '401 TOKEN_INVALID',
        ],
      ];
      for (const [text, ...expected] of cases) assert.deepEqual(await faultsOf(bearer(text)), expected);
      const moved = await explain(bearer(token({ from: 'https://api.example.com' })), [], {
        POSTERN_PUBLIC_URL: 'https://api.example.com',
      });
      assert.match(moved.out, /^Right: /);
    });

    it('names a token that is missing, or not where it is looked for', async () => {
      const good = token();
      const missing = '401 CREDENTIALS_MISSING';
      const malformed = '401 CREDENTIALS_MALFORMED';
      const cases: readonly (readonly [string, string, string])[] = [
        ['curl http://h/stock', 'token-missing', missing],
        [`curl 'http://h/stock?access_token=${good}'`, 'token-in-query', missing],
        [`curl http://h/stock -d access_token=${good}`, 'token-in-body', missing],
        [`curl http://h/stock -H 'X-Access-Token: ${good}'`, 'token-header-name', missing],
        [`curl http://h/stock -H 'Authorization: ${good}'`, 'token-without-bearer', missing],
        [`curl http://h/stock -H 'Authorization: Token ${good}'`, 'token-without-bearer', missing],
        ['curl http://h/stock -u client-of-acme:the-secret', 'client-secret-for-token', missing],
        [`curl http://h/stock -H 'Authorization: hmac appkey="k"'`, 'other-scheme-for-token', missing],
        [`curl http://h/stock -H 'Authorization: Bearer "${good}"'`, 'token-malformed', malformed],
        [`curl http://h/stock -H 'Authorization: Bearer'`, 'token-malformed', '401 TOKEN_INVALID'],
        [bearer(good, `/guarded?access_token=${good}`), 'token-malformed', '400 MALFORMED_REQUEST'],
      ];
      for (const [request, ...expected] of cases) {
        assert.deepEqual(await faultsOf(request), expected, request.replaceAll(good, 'TOKEN'));
      }
    });

    it('says that the grant is missing', async () => {
      const request = `curl 'http://h/guarded?access_token=${token()}'`;
      assert.deepEqual(await faultsOf(request), ['not-authorized', '403 NOT_AUTHORIZED']);
    });

    it('says what cannot be judged without the key ring, and what is wrong all the same', async () => {
      const without = { POSTERN_KEYRING: '' };
      const { code, out, err } = await explain(bearer(token()), [], without);
      assert.deepEqual([code, err], [1, '']);
      assert.match(out, /^Not judged: nothing is wrong with the access token as far as can be seen here\.\n/);
      assert.match(out, /\nWhether the gateway lets it pass is not known\.\n/);
      assert.match(
        out,
        /Note: Whether the gateway issued .* cannot be judged without the key ring \(POSTERN_KEYRING\)\.\n/,
      );
      assert.deepEqual(await faultsOf(bearer(token({ issuedAt: atSeconds - 3600 })), without), [
        'token-expired',
        '401 TOKEN_INVALID',
      ]);
      assert.deepEqual(await faultsOf(bearer(token(), '/guarded'), without), ['not-authorized', '403 NOT_AUTHORIZED']);
      const shown = JSON.parse((await explain(bearer(token()), ['-o', 'json'], without)).out) as {
        verdict: string;
        answer: unknown;
      };
      assert.equal(shown.verdict, 'unjudged');
      const detail = 'whether the gateway issued the token is not known';
      assert.deepEqual(shown.answer, { status: null, code: null, detail, isAccessChecked: true });
    });

    it('works without a store, for partners', async () => {
      const alone = { POSTERN_STORE: 'file:/nowhere', POSTERN_KEYRING: '/nowhere' };
      const { code, out, err } = await explain(bearer(token()), ['--method', 'oauth2'], alone);
      assert.deepEqual([code, err], [1, '']);
      assert.match(out, /^Not judged: /);
      assert.match(out, /Note: .* cannot be judged without the store and the key ring of the gateway\.\n/);
      const late = await explain(bearer(token({ issuedAt: atSeconds - 7200 })), ['--method', 'oauth2'], alone);
      assert.match(late.out, /^Wrong: the token has expired\. \[token-expired\]\n/);
      const query = `curl 'http://h/x?access_token=${token()}'`;
      assert.match((await explain(query, ['--method', 'oauth2'], alone)).out, /\[token-in-query\]/);
      const taken = await explain(query, ['--method', 'oauth2', '--option', 'tokenInQuery=true'], alone);
      assert.match(taken.out, /^Not judged: /);
    });

    it('prints no token', async () => {
      const good = token();
      const requests = [bearer(good), bearer(`${good}x`), `curl 'http://h/stock?access_token=${good}'`];
      for (const request of requests) {
        for (const format of ['table', 'json']) {
          const { out, err } = await explain(request, ['-o', format]);
          for (const part of good.split('.')) assert.ok(!(out + err).includes(part), out);
        }
      }
    });

    it('says why a key ring cannot be used', async () => {
      const { code, out, err } = await explain(bearer(token()), [], { POSTERN_KEYRING: '/nowhere/ring' });
      assert.deepEqual([code, out], [1, '']);
      assert.match(err, /POSTERN_KEYRING names no key ring that can be used/);
    });
  });
});

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { derOf } from '../../support/certificate/certificate-credential.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { AUDIENCE, IDP, issuerToken } from '../../support/jwt/issuer-token.ts';
import { jwksOf } from '../../support/jwt/jwks-server.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useManagement } from '../../support/management/use-management.ts';
import { basic, form } from '../../support/oauth2/oauth2-request.ts';
import type { RequestParts } from '../../support/pipeline/check-request.ts';
import { poll } from '../../support/time/poll.ts';
import { type GatewayUnderTest, startTestGateway } from '../mongodb/gateway-under-test.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';

const nowSeconds = Math.floor(Date.now() / 1000);
const inFiveDays = new Date((nowSeconds + 5 * 86_400) * 1000);
const HOME = '203.0.113.7';
const ELSEWHERE = '198.51.100.0/24';
const mine = makeCertificate('mine', undefined, {
  ...{ names: ['mine.partner.example'], isAuthority: false, notAfter: inFiveDays },
});
const sha256 = (encoding: 'hex' | 'base64url'): string => hash('sha256', derOf(mine), encoding);

const idp = { id: 'idp', issuer: IDP, audiences: [AUDIENCE], jwks: jwksOf() };
const byClaims = { id: 'by-claims', method: 'jwt', issuer: 'idp', claims: { azp: 'acme-batch' } };
const certificate = { sha256: sha256('hex'), notAfter: inFiveDays.toISOString().replace('.000', '') };
const byCertificate = { id: 'by-certificate', method: 'certificate', certificate };
/** An App Key is never given twice: each way to make the client has its own. */
const clientKeys = ['client-by-command', 'client-by-file', 'client-by-api'] as const;
const client = { id: 'client', appSecret: 'the secret of acme, for tests' };
const key = { id: 'acme-key', method: 'key', appKey: 'key-of-acme' };
const gold = { id: 'gold', consumerSelector: { tier: 'gold' }, limits: [{ requests: 1, unit: 'month' }] };

const methods = ['key', 'jwt', 'certificate', 'oauth2'] as const;
const acme = { id: 'acme', name: 'Acme Ltd', labels: { tier: 'gold' } };

/** What is always there: an endpoint of each method and one that observes, and a consumer with an App Key. */
const ground = {
  version: 1,
  endpoints: methods.flatMap((authentication) =>
    (['enforce', 'observe'] as const).map((mode) => ({
      ...{ id: `${authentication}-${mode}`, scenario: 'partner-openapi', authentication },
      match: { paths: [{ prefix: `/${authentication}-${mode}` }] },
      options: { mode },
    })),
  ),
  consumers: [{ ...acme, credentials: [key] }],
};

function withCredential(credential: object): object {
  return { ...ground, consumers: [{ ...acme, credentials: [key, credential] }] };
}

/** A bearer token that is as good as new. */
function tokenOfIdp(): string {
  return issuerToken({ claims: { iat: nowSeconds, exp: nowSeconds + 3600 } });
}

/** What `apply` says where the store is so already. */
const NOTHING = /^Nothing to change/m;

const bearer = (token: string): RequestParts => ({ headers: [['authorization', `Bearer ${token}`]] });
const withKey: RequestParts = { headers: [['x-app-key', key.appKey]] };

/** One resource, and what the stations of its life look like. */
interface Life {
  readonly what: string;
  readonly method: (typeof methods)[number];
  /** Each way to make it; the first commands make what it needs. */
  readonly commands: readonly string[];
  readonly document: object;
  readonly api: readonly (readonly [method: 'POST' | 'PATCH', path: string, body: object])[];
  /** What callers get without it, with it, and when the command `end` has ended it. */
  readonly absent: string;
  readonly present: string;
  readonly end: string;
  readonly ended: string;
  readonly request: (replica: GatewayUnderTest) => RequestParts | Promise<RequestParts>;
  /** Who a back end is told calls, where it is let in by this; else null. */
  readonly credential: string | null;
  /** Commands, and what they print while it is there. */
  readonly prints: readonly (readonly [command: string, output: RegExp])[];
  /** What is kept of a refusal that it, or its end, has caused; null where nobody knows then who calls. */
  readonly refusal: readonly [code: string, detail: RegExp] | null;
}

const url = 'https://api.example.com';
const addIdp = `issuer add idp --issuer ${IDP} --jwks JWKS --audience ${AUDIENCE}`;
const issueClaims = 'credential issue --consumer acme --method jwt --issuer idp --claim azp=acme-batch --id by-claims';
const unsigned = (id: string): string => `sign GET ${url}/${id} --endpoint ${id}`;

const lives: readonly Life[] = [
  {
    what: 'an issuer',
    method: 'jwt',
    commands: [addIdp, issueClaims],
    document: { ...withCredential(byClaims), issuers: [idp] },
    api: [
      ['POST', '/v1/issuers', idp],
      ['POST', '/v1/credentials:issue', { consumer: 'acme', ...byClaims }],
    ],
    absent: '401 TOKEN_INVALID',
    present: 'ALLOWED',
    end: 'issuer disable idp',
    ended: '401 TOKEN_INVALID',
    request: () => bearer(tokenOfIdp()),
    credential: 'by-claims',
    prints: [
      ['issuer list', /^idp +https:\/\/idp\.partner\.example +1 of its own/m],
      ['issuer show idp', /audiences +https:\/\/api\.example\.com/],
      ['audit list', /issuer/],
      [unsigned('jwt-enforce'), /takes tokens of an issuer, which the partner gets there/],
      [`handover --credential by-claims --url ${url}`, /https:\/\/idp\.partner\.example/],
    ],
    refusal: null,
  },
  {
    what: 'a credential for claims',
    method: 'jwt',
    commands: [addIdp, `${issueClaims} --expires 5d`],
    document: { ...withCredential(byClaims), issuers: [idp] },
    api: [
      ['POST', '/v1/issuers', idp],
      ['POST', '/v1/credentials:issue', { consumer: 'acme', ...byClaims, expiresAt: certificate.notAfter }],
    ],
    absent: '401 TOKEN_INVALID',
    present: 'ALLOWED',
    end: 'credential revoke by-claims --yes',
    ended: '401 TOKEN_INVALID',
    request: () => bearer(tokenOfIdp()),
    credential: 'by-claims',
    prints: [
      ['credential list', /^by-claims +acme +jwt/m],
      ['credential show by-claims', /claims +azp=acme-batch/],
      ['credential list --expiring 7d', /^by-claims +acme +jwt/m],
      ['audit list', /credential/],
      [unsigned('jwt-enforce'), /takes tokens of an issuer, which the partner gets there/],
      [`handover --credential by-claims --url ${url}`, /acme-batch/],
    ],
    refusal: ['TOKEN_INVALID', /the credential by-claims is revoked/],
  },
  {
    what: 'a credential for a certificate',
    method: 'certificate',
    commands: ['credential issue --consumer acme --method certificate --certificate CERTIFICATE --id by-certificate'],
    document: withCredential(byCertificate),
    api: [['POST', '/v1/credentials:issue', { consumer: 'acme', ...byCertificate }]],
    absent: '401 AUTHENTICATION_FAILED',
    present: 'ALLOWED',
    end: 'credential revoke by-certificate --yes',
    ended: '401 AUTHENTICATION_FAILED',
    request: () => ({ certificate: mine.cert }),
    credential: 'by-certificate',
    prints: [
      ['credential list', /^by-certificate +acme +certificate/m],
      ['credential show by-certificate', new RegExp(certificate.sha256)],
      ['credential list --expiring 7d', /^by-certificate +acme +certificate/m],
      ['audit list', /credential/],
      [unsigned('certificate-enforce'), /takes client certificates: send one with "curl --cert FILE --key FILE"/],
      [`handover --credential by-certificate --url ${url}`, /certificate/],
    ],
    refusal: ['AUTHENTICATION_FAILED', /the credential by-certificate is revoked/],
  },
  {
    what: 'the address list of a consumer',
    method: 'key',
    commands: [`consumer edit acme --allow-from ${ELSEWHERE}`],
    document: { ...ground, consumers: [{ ...acme, allowFrom: [ELSEWHERE], credentials: [key] }] },
    api: [['PATCH', '/v1/consumers/acme', { allowFrom: [ELSEWHERE] }]],
    absent: 'ALLOWED',
    present: '403 ADDRESS_NOT_ALLOWED',
    end: 'consumer edit acme --unset allow-from',
    ended: 'ALLOWED',
    request: () => withKey,
    credential: null,
    prints: [
      ['consumer show acme', /198\.51\.100\.0\/24/],
      ['consumer list -o json', /198\.51\.100\.0\/24/],
      [`may acme key-enforce --from ${HOME}`, /ADDRESS_NOT_ALLOWED|address/],
      ['audit list', /consumer/],
      [`handover --credential acme-key --url ${url}`, /198\.51\.100\.0\/24/],
    ],
    refusal: ['ADDRESS_NOT_ALLOWED', /acme/],
  },
  {
    what: 'the address list of a credential',
    method: 'key',
    commands: [`credential edit acme-key --allow-from ${ELSEWHERE}`],
    document: { ...ground, consumers: [{ ...acme, credentials: [{ ...key, allowFrom: [ELSEWHERE] }] }] },
    api: [['PATCH', '/v1/credentials/acme-key', { allowFrom: [ELSEWHERE] }]],
    absent: 'ALLOWED',
    present: '403 ADDRESS_NOT_ALLOWED',
    end: 'credential edit acme-key --unset allow-from',
    ended: 'ALLOWED',
    request: () => withKey,
    credential: null,
    prints: [
      ['credential show acme-key', /198\.51\.100\.0\/24/],
      ['credential list -o json', /198\.51\.100\.0\/24/],
      ['audit list', /credential/],
      [`handover --credential acme-key --url ${url}`, /198\.51\.100\.0\/24/],
    ],
    refusal: ['ADDRESS_NOT_ALLOWED', /acme-key/],
  },
  {
    what: 'a plan',
    method: 'key',
    commands: ['plan create gold --label tier=gold --limit 1/month'],
    document: { ...ground, plans: [gold] },
    api: [['POST', '/v1/plans', gold]],
    absent: 'ALLOWED',
    present: '429 RATE_LIMITED',
    end: 'plan delete gold --yes',
    ended: 'ALLOWED',
    request: () => withKey,
    credential: null,
    prints: [
      ['plan list', /^gold .*tier=gold .*1\/month/m],
      ['plan show gold', /1\/month/],
      ['audit list', /plan/],
      [`handover --credential acme-key --url ${url}`, /month/],
    ],
    refusal: ['RATE_LIMITED', /over 1\/month\/plan \(gold\)/],
  },
  {
    what: 'a token that is bound to a certificate',
    method: 'oauth2',
    commands: [
      'credential import --consumer acme --method oauth2 --app-key client-by-command --secret-from file:SECRET --id client',
    ],
    document: withCredential({ ...client, method: 'oauth2', appKey: 'client-by-file' }),
    api: [
      ['POST', '/v1/credentials:import', { consumer: 'acme', ...client, methods: ['oauth2'], appKey: 'client-by-api' }],
    ],
    absent: '401 TOKEN_INVALID',
    present: 'ALLOWED',
    end: 'credential revoke client --yes',
    ended: '401 TOKEN_INVALID',
    request: async (replica) => ({ ...bearer(await boundToken(replica)), certificate: mine.cert }),
    credential: 'client',
    prints: [
      ['credential show client', /oauth2/],
      ['credential list', /^client +acme +oauth2/m],
      ['audit list', /credential/],
      [unsigned('oauth2-enforce'), /takes access tokens, which are fetched, not signed/],
      [`handover --credential client --url ${url}`, /oauth2\/token/],
    ],
    refusal: ['TOKEN_INVALID', /the credential client is revoked/],
  },
];

let lastToken = 'none';

/** A token for the certificate; the last one where no client gets one. */
async function boundToken(replica: GatewayUnderTest): Promise<string> {
  const { http } = await replica.line('ready');
  for (const appKey of clientKeys) {
    const answer = await fetch(`http://${String(http)}/oauth2/token`, {
      method: 'POST',
      headers: [
        ['content-type', 'application/x-www-form-urlencoded'],
        ['x-forwarded-client-cert', `Hash=${sha256('hex')}`],
        [...basic(appKey, client.appSecret)],
      ],
      body: form({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await answer.json()) as { readonly access_token?: string };
    if (token !== undefined) lastToken = token;
  }
  return lastToken;
}

describe('the life of what partners bring, and of plans, on MongoDB with two replicas', function () {
  this.timeout(120_000);
  const management = useManagement();
  const { database } = management;
  let folder: TemporaryDirectory;
  let alice = '';
  const replicas: GatewayUnderTest[] = [];
  let asked = 0;

  before(async () => {
    folder = await temporaryDirectory();
    await file('JWKS', JSON.stringify(jwksOf()));
    await file('CERTIFICATE', mine.cert);
    await file('SECRET', client.appSecret);
    await apply(ground);
    alice = await management.newOperator('alice', '--role admin');
    const settings = {
      ...{ KEY_RING: readFileSync(management.ring(), 'utf8'), POSTERN_PUBLIC_URL: url },
      POSTERN_OAUTH2_CLIENT_CERTIFICATES: 'true',
    };
    for (const name of ['pod-a', 'pod-b']) {
      replicas.push(await startTestGateway(database.uri(), { ...settings, POSTERN_REPLICA_NAME: name }));
    }
    await Promise.all(replicas.map(({ gateway }) => gateway.ready));
  });
  after(() => release(...replicas, folder));

  async function file(name: string, text: string): Promise<string> {
    const path = join(folder.path, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  async function run(command: string): Promise<CommandResult> {
    const args = command
      .split(' ')
      .map((each) => each.replace(/(^|file:)(JWKS|CERTIFICATE|SECRET)$/, `$1${folder.path}/$2`));
    return await runCli(args, {
      ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: management.ring(), POSTERN_ACTOR: 'ada' },
      POSTERN_PUBLIC_URL: url,
    });
  }

  async function done(command: string): Promise<string> {
    const { code, out, err } = await run(command);
    assert.equal(code, 0, `${command}: ${err}${out}`);
    return out;
  }

  async function apply(document: object): Promise<string> {
    return await done(`apply -f ${await file('postern.json', JSON.stringify(document))} --prune --revive --yes`);
  }

  /** Asks twice, as a limit of one request refuses the second only; gives what came second, and its request id. */
  async function ask({ request, method }: Life, mode: 'enforce' | 'observe', replica: GatewayUnderTest) {
    const [first = replica] = replicas;
    const parts = await request(first);
    const id = `life-${String((asked += 1))}`;
    const send = async () =>
      await replica.ask({
        ...{ ...parts, path: `/${method}-${mode}/1`, peer: HOME },
        headers: [...(parts.headers ?? []), ['x-request-id', id], ['x-consumer-id', 'forged']],
      });
    await send();
    const answer = await send();
    const outcome = answer.kind === 'allowed' ? 'ALLOWED' : `${String(answer.status)} ${answer.body.code}`;
    return { id, answer, outcome };
  }

  async function everywhere(life: Life, expected: string): Promise<void> {
    for (const replica of replicas) assert.equal((await ask(life, 'enforce', replica)).outcome, expected);
  }

  async function untilEverywhere(life: Life, expected: string): Promise<void> {
    for (const replica of replicas) {
      await poll(`"${expected}"`, async () =>
        (await ask(life, 'enforce', replica)).outcome === expected ? true : null,
      );
    }
  }

  /** The newest first. */
  async function events(): Promise<readonly { readonly event: string; readonly action: string }[]> {
    return JSON.parse(await done('audit list -o json')) as { event: string; action: string }[];
  }

  for (const life of lives) {
    describe(life.what, () => {
      beforeEach(async () => {
        await apply(ground);
      });

      it('is made by commands, shown, audited, exported and applied without a change, and reverted', async () => {
        await untilEverywhere(life, life.absent);
        const former = await events();
        for (const command of life.commands) await done(`${command} --wait`);
        await everywhere(life, life.present);
        for (const [command, output] of life.prints) {
          const { out, err } = await run(command);
          assert.match(`${out}${err}`, output, command);
        }
        const exported = join(folder.path, 'exported.yaml');
        await done(`export --to ${exported}`);
        assert.equal((await run(`diff -f ${exported}`)).code, 0);
        assert.match(await done(`apply -f ${exported} --prune --yes`), NOTHING);
        const made = (await events()).filter(({ event }) => !former.some((each) => each.event === event));
        assert.equal(made.length, life.commands.length);
        for (const { event } of made) await done(`audit revert ${event} --yes --wait`);
        await everywhere(life, life.absent);
      });

      it('is made by a file, which changes nothing a second time, and deleted without it', async () => {
        await apply(life.document);
        await untilEverywhere(life, life.present);
        assert.match(await apply(life.document), NOTHING);
        await apply(ground);
        await untilEverywhere(life, life.absent);
      });

      it('is made over the API, tells back ends who calls, and is ended for every replica at once', async () => {
        for (const [method, path, body] of life.api) {
          const headers = method === 'PATCH' ? { 'if-match': '*' } : {};
          const answer = await management.ask(method, path, { token: alice, body, headers });
          assert.ok(answer.status < 300, answer.text);
        }
        await untilEverywhere(life, life.present);
        for (const replica of replicas) {
          const { answer } = await ask(life, 'observe', replica);
          assert.ok(answer.kind === 'allowed');
          if (life.credential === null) continue;
          const sent = new Map(answer.upstream);
          const told = ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier'].map((name) =>
            sent.get(name),
          );
          assert.deepEqual(told, ['acme', 'Acme Ltd', life.credential]);
          if (life.method !== 'certificate') assert.ok(answer.removed.includes('authorization'));
        }
        const whilePresent = await ask(life, 'enforce', replicas[1] ?? assert.fail());
        await done(`${life.end} --wait`);
        await everywhere(life, life.ended);
        const whenEnded = await ask(life, 'enforce', replicas[1] ?? assert.fail());
        const { answer } = await ask(life, 'observe', replicas[0] ?? assert.fail());
        assert.ok(answer.kind === 'allowed');
        if (life.credential !== null) assert.equal(new Map(answer.upstream).get('x-consumer-id'), undefined);
        if (life.refusal === null) {
          const request = `curl ${url}/jwt-enforce/1 -H 'Authorization: Bearer ${tokenOfIdp()}'`;
          const explained = await run(`explain ${await file('request.txt', request)}`);
          assert.match(explained.out, /no issuer of the store has the iss of the token, or it is disabled/);
          return;
        }
        const { id } = life.credential === null ? whilePresent : whenEnded;
        const [code, detail] = life.refusal;
        const kept = await poll('the refusal', async () => {
          const { code: exit, out } = await run(`refusals --request-id ${id} -o json`);
          return exit === 0 ? out : null;
        });
        assert.ok(kept.includes(code), kept);
        assert.match(kept, detail);
        const explained = await run(`explain --request-id ${id}`);
        assert.match(explained.out, detail);
      });
    });
  }
});

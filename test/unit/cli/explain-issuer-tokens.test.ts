import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { AUDIENCE, IDP, issuerToken } from '../../support/jwt/issuer-token.ts';
import { jwksOf } from '../../support/jwt/jwks-server.ts';
import { partnerKey } from '../../support/oauth2/client-assertion.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { NOON } from '../../support/time/fixed-clock.ts';
import { runCli } from './run-cli.ts';

const at = new Date(NOON * 1000).toISOString();
const OTHER = 'https://other.example';

const store = stringify({
  version: 1,
  issuers: [
    { id: 'partner-idp', issuer: IDP, jwks: jwksOf(), audiences: [AUDIENCE] },
    { id: 'other-idp', issuer: OTHER, jwksUri: 'https://other.example/keys', audiences: [AUDIENCE] },
  ],
  endpoints: [
    {
      id: 'shipments',
      scenario: 'partner-openapi',
      authentication: 'jwt',
      match: { paths: [{ prefix: '/shipments' }] },
    },
  ],
  consumers: [
    {
      id: 'acme',
      credentials: [
        { id: 'acme-jwt', method: 'jwt', issuer: 'partner-idp', claims: { azp: 'acme-batch' } },
        { id: 'acme-former', method: 'jwt', issuer: 'partner-idp', claims: { azp: 'former' }, state: 'revoked' },
        { id: 'acme-other', method: 'jwt', issuer: 'other-idp', claims: { azp: 'acme-batch', tenant: 'a' } },
      ],
    },
  ],
});

interface Explained {
  readonly verdict: string;
  readonly mistakes: readonly { readonly name: string }[];
  readonly answer: { readonly code: string | null };
  readonly notes: readonly string[];
}

describe('postern explain on an endpoint that takes tokens of issuers', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    writeFileSync(join(folder.path, 'postern.yaml'), store);
  });
  after(() => folder[Symbol.asyncDispose]());

  async function explain(header: string, args: readonly string[] = []): Promise<Explained> {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, `curl http://h/shipments ${header === '' ? '' : `-H '${header}'`}`);
    const { out } = await runCli(['explain', file, '--at', at, '-o', 'json', ...args], {
      POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}`,
    });
    return JSON.parse(out) as Explained;
  }
  const bearer = async (token: string): Promise<Explained> => await explain(`Authorization: Bearer ${token}`);

  it('says that a token is right', async () => {
    const { verdict, mistakes, answer } = await bearer(issuerToken());
    assert.deepEqual([verdict, mistakes, answer.code], ['right', [], 'ALLOWED']);
  });

  it('names what is wrong with one', async () => {
    const other = partnerKey('p-256', 'another').privateKey;
    for (const [token, name] of [
      ['abc', 'token-no-jwt'],
      [issuerToken({ header: { typ: 'logout+jwt' } }), 'token-type'],
      [issuerToken({ claims: { iss: `${IDP}/` } }), 'token-issuer-unknown'],
      [issuerToken({ claims: { aud: 'https://wrong.example' } }), 'token-audience'],
      [issuerToken({ claims: { exp: NOON - 100 } }), 'token-expired'],
      [issuerToken({ claims: { nbf: NOON + 100 } }), 'token-not-yet-valid'],
      [issuerToken({ header: { kid: 'other' } }), 'token-key-unknown'],
      [issuerToken({ key: other }), 'token-signature'],
      [issuerToken({ claims: { azp: 'nobody' } }), 'token-of-nobody'],
      [issuerToken({ claims: { azp: 'former' } }), 'credential-revoked'],
      [issuerToken({ claims: { iss: OTHER, aud: 'x' } }), 'token-audience'],
    ] as const) {
      const { verdict, mistakes, answer } = await bearer(token);
      assert.deepEqual([verdict, answer.code], ['wrong', 'TOKEN_INVALID'], name);
      assert.deepEqual(
        mistakes.map((mistake) => mistake.name),
        [name],
      );
    }
  });

  it('names where it was looked for in vain', async () => {
    const token = issuerToken();
    for (const [header, name] of [
      ['', 'token-missing'],
      [`Authorization: ${token}`, 'token-without-bearer'],
      ['Authorization: Basic abc', 'other-scheme-for-token'],
      [`X-Token: ${token}`, 'token-header-name'],
      ['Authorization: Bearer a b', 'token-malformed'],
    ] as const) {
      assert.deepEqual(
        (await explain(header)).mistakes.map((mistake) => mistake.name),
        [name],
      );
    }
  });

  it('verifies no signature whose key is elsewhere, and says so', async () => {
    const token = issuerToken({ claims: { iss: OTHER, tenant: 'a' } });
    for (const explained of [
      await bearer(token),
      await explain(`Authorization: Bearer ${token}`, ['--method', 'jwt']),
    ]) {
      assert.deepEqual([explained.verdict, explained.answer.code], ['unjudged', null]);
      assert.match(explained.notes.join(' '), /The signature of the token was not verified/);
    }
  });
});

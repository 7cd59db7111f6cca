import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AuthenticationMethod, authenticationMethods } from '../../../../src/model/endpoint.ts';
import { type MaterialKind, materialKindOf } from '../../../../src/model/material.ts';
import { refusalAnswers } from '../../../../src/check/refusal.ts';
import { projectRoot } from '../../../support/docs/documents.ts';
import { codesOf, credentialYaml, hmacYaml, pageOf } from './handover-cli.ts';

/** Refusals that the files of a method make. */
function namedBy(method: string): ReadonlySet<string> {
  const folder = join(projectRoot, 'src/check/methods', method);
  const texts = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('explain'))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/refuse\(\s*'([A-Z_]+)'/g)].map(([, code = '']) => code));
  return new Set(named.filter((code) => Object.hasOwn(refusalAnswers, code)));
}

const endpointOf = (method: string, more = ''): string =>
  `{ id: api, scenario: partner-openapi, match: { paths: [{ prefix: /a }] }, authentication: ${method}${more} }`;

/** The test key of RFC 9421 B.1.4. */
const PUBLIC_KEY = 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs';
const materials: Readonly<Record<MaterialKind, string>> = {
  'app-key': ', appKey: K',
  'shared-secret': ', appKey: K, appSecret: the-secret-of-acme',
  'public-key': `, appKey: K, publicKey: { jwk: { kty: OKP, crv: Ed25519, x: ${PUBLIC_KEY} } }`,
  'token-claims': ', issuer: partner-idp, claims: { azp: acme-batch }',
  certificate: `, certificate: { sha256: ${'ab'.repeat(32)} }`,
};

const ISSUERS =
  'issuers: [{ id: partner-idp, issuer: https://idp.example, jwksUri: https://idp.example/keys, audiences: [a] }]\n';

async function pageFor(method: AuthenticationMethod): Promise<string> {
  const material = materials[materialKindOf([method])];
  const document = credentialYaml(`{ id: c, method: ${method}${material} }`, [endpointOf(method)]);
  return await pageOf(`${document}\n${method === 'jwt' ? ISSUERS : ''}`, 'c');
}

describe('the codes that postern handover explains', () => {
  for (const method of authenticationMethods) {
    it(`are those that ${method} refuses with`, async () => {
      const codes = codesOf(await pageFor(method));
      const named = namedBy(method);
      assert.ok(named.size >= 1);
      assert.deepEqual(
        [...named].filter((code) => !codes.includes(code)),
        [],
      );
    });
  }

  it('stand beside the issuer, the claims and the audience of tokens, as tokens have them', async () => {
    const page = await pageFor('jwt');
    assert.match(page, /\| Issuer \| `https:\/\/idp\.example` \|/);
    assert.match(page, /\| Claims \| `azp=acme-batch` \|/);
    assert.match(page, /\| Audience \| `a` \|/);
    assert.doesNotMatch(page, /partner-idp/);
  });

  it('are none that a method cannot refuse with', async () => {
    const only: Readonly<Record<string, readonly string[]>> = {
      TOKEN_INVALID: ['oauth2', 'jwt'],
      DIGEST_MISMATCH: ['hmac', 'http-message-signature'],
      REQUEST_EXPIRED: ['hmac', 'parameter-signature', 'http-message-signature'],
      AUTHENTICATION_FAILED: ['key', 'hmac', 'parameter-signature', 'http-message-signature', 'certificate'],
      TOO_MANY_PARAMETERS: ['parameter-signature'],
      AMBIGUOUS_PARAMETERS: ['parameter-signature'],
      MALFORMED_WRAPPER: ['parameter-signature'],
      BODY_NOT_VERIFIABLE: ['parameter-signature'],
      REQUEST_REPLAYED: [],
      NOT_AUTHORIZED: [],
      RATE_LIMITED: [],
      LIMITER_UNAVAILABLE: [],
    };
    for (const method of authenticationMethods) {
      const codes = codesOf(await pageFor(method));
      for (const [code, owners] of Object.entries(only)) {
        assert.equal(codes.includes(code), owners.includes(method), `${method} ${code}`);
      }
    }
  });

  it('depend on limits, on grants and on replay protection', async () => {
    const codes = async (more: string, grants: readonly string[] = []): Promise<readonly string[]> =>
      codesOf(await pageOf(hmacYaml([endpointOf('hmac', more)], grants), 'acme-hmac'));
    const limited = ', trafficControl: { limits: [{ requests: 1, unit: day, per: endpoint }] }';
    assert.ok((await codes(limited)).includes('RATE_LIMITED'));
    assert.ok(!(await codes(limited)).includes('LIMITER_UNAVAILABLE'));
    assert.ok((await codes(`${limited}, options: { onLimiterFailure: deny }`)).includes('LIMITER_UNAVAILABLE'));
    const replay = await codes(', options: { replayProtection: true }');
    assert.ok(replay.includes('REQUEST_REPLAYED') && replay.includes('RATE_LIMITED'));
    const granted = ', accessCondition: authenticated-and-authorized';
    assert.ok((await codes(granted, ['{ endpoint: api, consumer: acme }'])).includes('NOT_AUTHORIZED'));
  });

  it('are in the order of their statuses', async () => {
    const statuses = [...(await pageFor('hmac')).matchAll(/^\| (\d{3}) \|/gm)].map(([, status]) => Number(status));
    assert.ok(statuses.length > 8);
    assert.deepEqual(
      statuses,
      [...statuses].sort((a, b) => a - b),
    );
  });
});

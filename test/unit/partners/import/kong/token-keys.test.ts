import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { compileCatalog } from '../../../../../src/check/route/endpoint-table.ts';
import { MAX_ISSUERS } from '../../../../../src/model/bounds.ts';
import { jwtAlgorithms, keyKindOf } from '../../../../../src/model/jwt-algorithms.ts';
import type { PublicKeyKind } from '../../../../../src/model/public-key/public-key.ts';
import { buildState } from '../../../../../src/resources/build-state.ts';
import { parseDocument } from '../../../../../src/resources/parse-document.ts';
import { AUDIENCE, issuerToken, withToken } from '../../../../support/jwt/issuer-token.ts';
import { partnerKey } from '../../../../support/oauth2/client-assertion.ts';
import { headerOf } from '../../../../support/pipeline/answer.ts';
import { type TestGateway, testGateway } from '../../../../support/pipeline/gateway.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';
import { endpointOf, importText, type Imported, linesOf } from './import-text.ts';

const audiences = [AUDIENCE];

/** The public key of a partner as Kong has it. */
function pemOf(kind: PublicKeyKind, name: string): string {
  return partnerKey(kind, name).publicKey.object.export({ format: 'pem', type: 'spki' }).toString();
}

/** A route with the plugin, and consumers with these lists of credentials. */
function imported(
  secrets: Readonly<Record<string, readonly object[]>>,
  { config = {}, given = audiences }: { readonly config?: object; readonly given?: readonly string[] } = {},
): Imported {
  return importText(
    {
      _format_version: '3.0',
      routes: [{ name: 'orders', paths: ['/orders'], plugins: [{ name: 'jwt', config }] }],
      consumers: Object.entries(secrets).map(([username, list]) => ({ username, jwt_secrets: list })),
    },
    { audiences: given },
  );
}

function gatewayOf({ text }: Imported): TestGateway {
  const parsed = parseDocument([{ file: 'document', text }], { isComplete: true, readSecret: () => ({ fault: '' }) });
  assert.ok('content' in parsed, JSON.stringify(parsed));
  const catalog = compileCatalog(buildState(parsed.content));
  return testGateway({ clock: fixedClock(), catalog: () => catalog });
}

/** The consumer that a token stands for; null when it is refused. */
async function callerOf(gateway: TestGateway, token: string): Promise<string | null> {
  const answer = await gateway.send(withToken(token));
  return answer.kind === 'allowed' ? (headerOf(answer.upstream, 'x-consumer-id') ?? '') : null;
}

describe('a jwt_secret of Kong with a public key', () => {
  const acme = { key: 'acme-idp', algorithm: 'ES256', rsa_public_key: pemOf('p-256', 'acme'), secret: 'unused' };
  const globex = { key: 'https://idp.globex.example/', algorithm: 'RS256', rsa_public_key: pemOf('rsa', 'globex') };

  it('becomes an issuer of its "key" and a credential for the same "iss"', () => {
    const { issuers, consumers, counts, holdsSecrets } = imported({ acme: [acme], globex: [globex] });
    const jwkOf = (kind: PublicKeyKind, name: string): object => partnerKey(kind, name).publicKey.jwk;
    const common = { description: 'Kong jwt_secret', audiences, clockSkewSeconds: 0 };
    assert.deepEqual(issuers, [
      {
        ...common,
        id: 'acme-idp',
        issuer: 'acme-idp',
        jwks: { keys: [{ alg: 'ES256', ...jwkOf('p-256', 'acme') }] },
        algorithms: ['ES256'],
      },
      {
        ...common,
        id: 'https-idp-globex-example',
        issuer: 'https://idp.globex.example/',
        jwks: { keys: [{ alg: 'RS256', ...jwkOf('rsa', 'globex') }] },
        algorithms: ['RS256'],
      },
    ]);
    assert.deepEqual(
      consumers.map(({ credentials }) => credentials),
      [
        [{ id: 'acme-idp', method: 'jwt', issuer: 'acme-idp', claims: { iss: 'acme-idp' } }],
        [
          {
            method: 'jwt',
            issuer: 'https-idp-globex-example',
            claims: { iss: 'https://idp.globex.example/' },
          },
        ],
      ],
    );
    assert.deepEqual([counts.error, holdsSecrets], [0, false]);
  });

  it('lets in the tokens that Kong takes, of each algorithm', async () => {
    for (const algorithm of jwtAlgorithms.filter((each) => each !== 'Ed25519')) {
      const kind = keyKindOf(algorithm);
      const secret = { key: 'acme-idp', algorithm, rsa_public_key: pemOf(kind, 'acme') };
      const gateway = gatewayOf(imported({ acme: [secret] }));
      const key = partnerKey(kind, 'acme').privateKey;
      const token = issuerToken({ algorithm, key, header: { kid: undefined }, claims: { iss: 'acme-idp' } });
      assert.equal(await callerOf(gateway, token), 'acme', algorithm);
    }
  });

  it('lets no token in that Kong refuses', async () => {
    const gateway = gatewayOf(imported({ acme: [acme], globex: [globex] }));
    const own = partnerKey('p-256', 'acme').privateKey;
    const tokenOf = (claims: object, key: KeyObject = own): string =>
      issuerToken({ key, header: { kid: undefined }, claims: { iss: 'acme-idp', ...claims } });
    assert.equal(await callerOf(gateway, tokenOf({})), 'acme');
    assert.equal(await callerOf(gateway, tokenOf({ exp: NOON })), null, 'it has ended');
    assert.equal(await callerOf(gateway, tokenOf({ nbf: NOON + 1 })), null, 'it has not begun');
    assert.equal(await callerOf(gateway, tokenOf({ iss: globex.key })), null, 'the key is that of another consumer');
    assert.equal(await callerOf(gateway, tokenOf({ iss: 'nobody' })), null, 'nobody has this key');
    assert.equal(await callerOf(gateway, tokenOf({}, partnerKey('p-256', 'other').privateKey)), null, 'another key');
    const other = { algorithm: 'RS512', header: { kid: undefined }, claims: { iss: globex.key } } as const;
    const rsa = issuerToken({ ...other, key: partnerKey('rsa', 'globex').privateKey });
    assert.equal(await callerOf(gateway, rsa), null, 'another algorithm');
  });

  it('at the top of the file is the same', () => {
    const nested = imported({ acme: [acme] });
    const { issuers, consumers } = importText(
      {
        _format_version: '3.0',
        consumers: [{ username: 'acme' }],
        jwt_secrets: [{ consumer: 'acme', ...acme }],
      },
      { audiences },
    );
    assert.deepEqual([issuers, consumers], [nested.issuers, nested.consumers]);
  });

  const rsa = pemOf('rsa', 'acme');
  for (const [what, secret, message] of [
    ['a shared secret', { key: 'a', algorithm: 'HS256', secret: 'hush-hush' }, 'signs tokens with a shared secret'],
    ['no algorithm, which is HS256', { key: 'a', rsa_public_key: rsa }, 'signs tokens with a shared secret'],
    ['another algorithm', { key: 'a', algorithm: 'ES512', rsa_public_key: rsa }, 'with another algorithm than'],
    ['a key that Kong generates', { algorithm: 'RS256', rsa_public_key: rsa }, 'has no "key" in this file'],
    ['no public key', { key: 'a', algorithm: 'ES256' }, 'has no "rsa_public_key" in this file'],
    ['a key for another algorithm', { key: 'a', algorithm: 'ES256', rsa_public_key: rsa }, 'that is not for its alg'],
    ['no key at all', { key: 'a', algorithm: 'RS256', rsa_public_key: 'hush' }, '"rsa_public_key" that is neither PEM'],
    [
      'a key in a vault',
      { key: 'a', algorithm: 'RS256', rsa_public_key: '{vault://hcv/hush/key}' },
      'has a placeholder in its "rsa_public_key"',
    ],
    ['a name in a vault', { key: '{vault://env/hush}', algorithm: 'RS256', rsa_public_key: rsa }, 'in its "key"'],
    ['an "iss" that none can be', { key: 'k'.repeat(513), algorithm: 'RS256', rsa_public_key: rsa }, 'that no "iss"'],
    ['an unknown field', { key: 'a', algorithm: 'RS256', rsa_public_key: rsa, kid: 'hush' }, 'has "kid", which'],
  ] as const) {
    it(`is left out with an error, which does not repeat it: ${what}`, () => {
      const { issuers, consumers, findings, text } = imported({ acme: [secret] });
      const errors = linesOf(findings, 'error');
      assert.equal(errors.length, 1, errors.join('\n'));
      assert.match(
        errors[0] ?? '',
        /^error 1: consumer "acme": has a credential \(jwt_secrets\) that .* was left out$/,
      );
      assert.ok(errors[0]?.includes(message), errors[0]);
      assert.deepEqual([issuers, consumers], [[], [{ id: 'acme' }]]);
      assert.ok(!(JSON.stringify(findings) + text).includes('hush'));
    });
  }

  it('is left out where no audience is given, which Kong does not ask for', () => {
    const { issuers, endpoints, findings } = imported({ acme: [acme] }, { given: [] });
    assert.deepEqual(issuers, []);
    assert.equal(endpoints[0]?.['authentication'], 'jwt');
    const [error] = findings.filter(({ level }) => level === 'error');
    assert.match(error?.what ?? '', /takes tokens for any audience, and an issuer here names those that are yours/);
    assert.match(error?.instead ?? '', /import again with --audience/);
  });

  it('is left out where another has its "key", and beyond the issuers that a store has', () => {
    const twice = imported({ acme: [acme], globex: [{ ...globex, key: acme.key }] });
    assert.equal(twice.issuers.length, 1);
    assert.match(linesOf(twice.findings, 'error').join(), /"globex": .* has the same "key" as another credential has/);
    const many = Array.from({ length: MAX_ISSUERS + 1 }, (_, index) => ({ ...acme, key: `k${String(index)}` }));
    const most = imported({ acme: many });
    assert.equal(most.issuers.length, MAX_ISSUERS);
    assert.match(linesOf(most.findings, 'error').join(), /is beyond the 100 issuers that a store has/);
    assert.equal(gatewayOf(most).defects.length, 0);
  });

  it('says that an audience changes nothing where no credential became an issuer', () => {
    const { findings } = imported({});
    assert.match(linesOf(findings, 'note').join('\n'), /--audience: changes nothing: no credential/);
  });
});

describe('the plugin jwt of Kong', () => {
  const read = (config: object): { readonly endpoint: object; readonly lines: string; readonly errors: number } => {
    const result = imported({}, { config, given: [] });
    return {
      endpoint: endpointOf(result, 'orders'),
      lines: linesOf(result.findings).join('\n'),
      errors: result.counts.error,
    };
  };

  it('becomes the method jwt, and leaves the token to back ends as Kong does', () => {
    const { endpoint, lines, errors } = read({});
    const { authentication, options, enabled } = endpoint as Readonly<Record<string, unknown>>;
    assert.deepEqual([authentication, options, enabled, errors], ['jwt', { hideCredentials: false }, undefined, 0]);
    for (const part of [
      'also takes tokens from query parameters ("jwt"), which Postern does not',
      'does not verify "exp", "nbf"; Postern refuses tokens without "exp"',
      'takes tokens whatever their "aud" and "iat"',
      'ignores "kid", "typ" and "crit" of tokens',
    ]) {
      assert.ok(lines.includes(part), lines);
    }
  });

  it('says nothing of places where it does not look, and of claims that it verifies', () => {
    const { lines, errors } = read({ uri_param_names: [], claims_to_verify: ['exp', 'nbf'], maximum_expiration: 0 });
    assert.doesNotMatch(lines, /also takes tokens|does not verify/);
    assert.equal(errors, 0);
  });

  for (const [config, line] of [
    [{ cookie_names: ['session'] }, 'also takes tokens from cookies ("session")'],
    [{ header_names: ['authorization', 'x-token'] }, 'also takes tokens from headers ("x-token")'],
    [{ run_on_preflight: false }, 'lets every OPTIONS request through'],
    [{ anonymous: 'guest' }, 'lets callers without valid credentials in as an anonymous consumer'],
  ] as const) {
    it(`warns of ${JSON.stringify(config)}`, () => {
      const { endpoint, lines, errors } = read(config);
      assert.ok(lines.includes(line), lines);
      assert.deepEqual([errors, 'enabled' in endpoint], [0, false]);
    });
  }

  for (const [config, line] of [
    [{ key_claim_name: 'kid' }, 'knows credentials by the claim or header "kid"'],
    [{ maximum_expiration: 900, claims_to_verify: ['exp'] }, 'refuses tokens whose "exp" is more than 900 s ahead'],
    [{ header_names: ['x-token'] }, 'does not take the token from Authorization'],
    [{ header_names: [] }, 'does not take the token from Authorization'],
    [{ only_on_sundays: true }, 'has the setting "only_on_sundays", which the importer does not know'],
  ] as const) {
    it(`refuses everything, with an error: ${JSON.stringify(config)}`, () => {
      const { endpoint, lines, errors } = read(config);
      assert.ok(lines.includes(line), lines);
      assert.deepEqual([errors, (endpoint as { enabled?: boolean }).enabled], [1, false]);
    });
  }

  it('lets nobody in by a token where another method was chosen, and is chosen before keys', () => {
    const both = (plugins: string): unknown =>
      endpointOf(
        importText(`_format_version: "3.0"\nroutes: [{ name: a, paths: [/a], plugins: [${plugins}] }]\n`),
        'a',
      )['authentication'];
    const any = 'config: { anonymous: g }';
    assert.equal(both(`{ name: key-auth, ${any} }, { name: jwt, ${any} }`), 'jwt');
    assert.equal(both(`{ name: key-auth }, { name: jwt, ${any} }`), 'key');
  });
});

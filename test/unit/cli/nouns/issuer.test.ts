import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { claimsAppKey } from '../../../../src/model/derived-app-key.ts';
import { tokenClaimsMaterial } from '../../../../src/model/material.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { issuer } from '../../../support/pipeline/resources.ts';
import { memoryCli, type MemoryCli } from './memory-cli.ts';
import { prepare } from './resources.ts';

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const URI = 'https://idp.partner.example/keys';
const add = `issuer add partner-idp --issuer https://idp.partner.example --jwks-uri ${URI} --audience https://api.example.com`;

describe('commands for issuers', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  const done = async (line: string): Promise<string> => await cli.done(...line.split(' '));
  const fails = async (line: string): Promise<readonly [number, string]> => {
    const { code, err } = await cli.run(line.split(' '));
    return [code, err];
  };
  const stored = async (): Promise<unknown> => (await cli.store.find('issuer', 'partner-idp'))?.resource ?? null;

  it('add one, change it, stop it, and remove it', async () => {
    assert.match(await done(add), /^\+ issuer partner-idp\n(?: {4}.*\n)+Issuer partner-idp added\.\n$/);
    assert.deepEqual(await stored(), issuer());
    await done(
      'issuer set partner-idp --required-claim roles=a --required-claim roles=b --clock-skew 5 --label team=a --algorithm RS256',
    );
    const requiredClaims = { roles: ['a', 'b'] };
    const labels = { team: 'a' };
    assert.deepEqual(await stored(), issuer({ requiredClaims, clockSkewSeconds: 5, labels, algorithms: ['RS256'] }));
    await done('issuer set partner-idp --unset required-claim --unset clock-skew --unset label.team --unset algorithm');
    assert.deepEqual(await stored(), issuer());
    assert.equal(
      await done('issuer disable partner-idp'),
      '~ issuer partner-idp\n    enabled: true → false\nIssuer partner-idp disabled.\n',
    );
    assert.deepEqual(await stored(), issuer({ enabled: false }));
    await done('issuer enable partner-idp');
    assert.match(await done('issuer remove partner-idp --yes'), /Issuer partner-idp removed\.\n$/);
    assert.equal(await stored(), null);
  });

  it('read keys from a file, and never a private one', async () => {
    await using folder = await temporaryDirectory();
    const file = join(folder.path, 'keys.json');
    const jwk = ec.publicKey.export({ format: 'jwk' });
    writeFileSync(file, JSON.stringify({ keys: [{ ...jwk, kid: 'k1' }] }));
    await done(add);
    await done(`issuer set partner-idp --jwks ${file}`);
    assert.match(await done('issuer show partner-idp'), /keys +k1: ECDSA P-256, 256 bits/);
    await done(`issuer set partner-idp --jwks-uri ${URI}`);
    assert.deepEqual(await stored(), issuer());
    const hidden = ec.privateKey.export({ format: 'jwk' });
    writeFileSync(file, JSON.stringify({ keys: [hidden] }));
    const [code, err] = await fails(`issuer set partner-idp --jwks ${file}`);
    assert.equal(code, 2);
    assert.match(err, /--jwks: this is a private key: it must never leave the partner/);
    assert.equal(err.includes(String(hidden.d)), false);
    writeFileSync(file, JSON.stringify({ keys: [{ ...jwk, x: 'AAAA' }] }));
    const wrong = await fails(`issuer set partner-idp --jwks ${file}`);
    assert.match(wrong.join(), /^2,.*--jwks: key 1 has no "x" and "y" of 32 bytes in base64url each\n/);
  });

  it('refuse what is taken, wrong or missing', async () => {
    await done(add);
    assert.match(
      (await fails(add)).join(),
      /^4,.*the issuer "partner-idp" already exists; change it with "postern issuer set partner-idp"\n$/,
    );
    const same = await fails(add.replace('partner-idp', 'other'));
    assert.match(same.join(), /^4,.*the issuer "partner-idp" has this "issuer" already; one is enough for all its/);
    const wrong = await fails(
      `issuer add x --issuer x --jwks-uri http://x.example/keys --audience a --algorithm HS256`,
    );
    assert.equal(wrong[0], 2);
    assert.match(wrong[1], /--jwks-uri: "jwksUri" must be an https address/);
    assert.match(wrong[1], /--algorithm: "algorithms" must be a list of different algorithms/);
    assert.match(
      (await fails('issuer add x --issuer x')).join(),
      /--audience: |"audiences" is missing|--audience is missing/,
    );
    assert.match((await fails('issuer show nowhere')).join(), /^3,.*there is no issuer "nowhere"/);
  });

  it('keep one that credentials name, and say which', async () => {
    await done(add);
    const claims = { azp: 'acme-batch' };
    const credential = {
      ...{ id: 'acme-jwt', consumerId: 'acme', methods: ['jwt'] as const, appKey: null },
      ...{ material: tokenClaimsMaterial('partner-idp', claims), state: 'active' as const },
      ...{ appKeyHash: hashAppKey(claimsAppKey('partner-idp', claims)) },
      ...{ notBefore: null, expiresAt: null, allowFrom: null, labels: {}, description: '' },
    };
    const change = { kind: 'credential', id: 'acme-jwt', before: null, after: credential } as never;
    await cli.store.commit([change], { actor: 'test', action: 'test' });
    for (const line of ['issuer remove partner-idp --yes', 'issuer remove partner-idp --yes --dry-run']) {
      assert.match(
        (await fails(line)).join(),
        /^4,.*credentials name the issuer "partner-idp": acme-jwt; revoking does not free it, delete them first \("postern apply --prune"\);/,
      );
    }
    assert.match(
      (await fails('audit revert 7 --yes')).join(),
      /^4,.*the credential "acme-jwt" names the issuer "partner-idp" since; delete such credentials first/s,
    );
    assert.notEqual(await stored(), null);
  });

  it('list and show them, and export them again', async () => {
    await done(`${add} --label team=payments --description Batch --disabled`);
    assert.match(
      await done('issuer list'),
      /^ID +ISSUER +KEYS +LABELS +STATE\npartner-idp +https:.* team=payments +disabled\n$/,
    );
    const [listed] = JSON.parse(await done('issuer list --label team=payments -o json')) as { id: string }[];
    assert.equal(listed?.id, 'partner-idp');
    assert.match(
      await done('issuer show partner-idp'),
      /^issuer partner-idp \(disabled\)\n(?:.*\n)*.*clock skew +60 s\n/,
    );
    assert.match(await done('export'), /\nissuers:\n {2}- id: partner-idp\n {4}description: Batch\n/);
  });
});

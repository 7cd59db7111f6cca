import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ManagedCredential } from '../../../../src/resources/resource.ts';
import { sampleAuthority, sampleCertificate } from '../../../support/certificates/samples.ts';
import { memoryCli, type MemoryCli } from './memory-cli.ts';
import { prepare } from './resources.ts';

describe('postern credential, for one without an App Key', () => {
  let cli: MemoryCli;
  const folder = mkdtempSync(join(tmpdir(), 'postern-known-by-'));
  const [pem, ca] = [join(folder, 'acme.pem'), join(folder, 'ca.pem')];
  writeFileSync(pem, sampleCertificate.pem);
  writeFileSync(ca, sampleAuthority.pem);
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
    const keys = 'https://idp.partner.example/keys';
    const issuer = ['--issuer', 'https://idp.partner.example', '--jwks-uri', keys, '--audience', 'orders'];
    await cli.done('issuer', 'add', 'partner-idp', ...issuer);
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  async function credential(id: string): Promise<ManagedCredential> {
    const stored = await cli.store.find('credential', id);
    assert.ok(stored !== null);
    return stored.resource;
  }

  async function issue(...flags: readonly string[]): Promise<string> {
    return await cli.done('credential', 'issue', '--consumer', 'acme', ...flags);
  }

  const jwt = ['--method', 'jwt', '--issuer', 'partner-idp'] as const;
  const certificate = ['--method', 'certificate'] as const;

  it('issues, shows and lists claims of an issuer', async () => {
    const out = await issue(...jwt, '--claim', 'azp=acme-batch', '--claim', 'tid=7', '--id', 'a');
    assert.match(out, /\n {2}issuer {6}partner-idp\n {2}claims {6}azp=acme-batch, tid=7\n/);
    assert.ok(!out.includes('App Key  ') && out.includes('there is no App Key'));
    const { material, appKey } = await credential('a');
    assert.deepEqual(material, {
      kind: 'token-claims',
      issuerId: 'partner-idp',
      claims: { azp: 'acme-batch', tid: '7' },
    });
    assert.equal(appKey, null);
    const shown = await cli.done('credential', 'show', 'a');
    assert.match(shown, /\n *issuer +partner-idp\n *claims +azp=acme-batch, tid=7\n/);
    assert.ok(!shown.includes('App Key  '));
    assert.match(await cli.done('credential', 'list'), /azp=acme-batch, tid=7 \(partner-idp\)/);
    const data = JSON.parse(await cli.done('credential', 'show', 'a', '-o', 'json')) as Record<string, unknown>;
    assert.deepEqual(
      [data['issuer'], data['claims'], data['appKey']],
      ['partner-idp', { azp: 'acme-batch', tid: '7' }, undefined],
    );
  });

  it('issues a certificate from a file, and knows when it ends', async () => {
    const out = await issue(...certificate, '--certificate', pem, '--id', 'c');
    assert.ok(out.includes(`SHA-256 ${sampleCertificate.sha256}`));
    assert.match(await cli.done('credential', 'show', 'c'), /\n *it ends +2051-07-21T/);
    assert.match(await cli.done('credential', 'list', '--expiring', '20000d'), /\n *c +acme/);
    const { err } = await cli.run(['credential', 'list', '--expiring', '30d']);
    assert.match(err, /No credential fits these flags/);
    const data = JSON.parse(await cli.done('credential', 'show', 'c', '-o', 'json')) as Record<string, unknown>;
    assert.match(String(data['certificateEndsAt']), /^2051-07-21T/);
  });

  it('issues a public key, a SHA-256, a URI and a DNS name', async () => {
    await issue(...certificate, '--certificate', pem, '--match', 'public-key', '--id', 'a');
    await issue(...certificate, '--certificate-sha256', sampleCertificate.fingerprint, '--id', 'b');
    await issue(...certificate, '--certificate-uri', sampleCertificate.uri, '--authority', ca, '--id', 'c');
    await issue(...certificate, '--certificate-dns', sampleCertificate.dns, '--authority', ca, '--id', 'd');
    const made = await Promise.all(['a', 'b', 'c', 'd'].map(credential));
    assert.deepEqual(
      made.map(({ material }) => (material.kind === 'certificate' ? material.identity.by : null)),
      ['public-key', 'certificate', 'uri', 'dns'],
    );
    const shown = await cli.done('credential', 'show', 'c');
    assert.match(shown, /\n *URI +spiffe:\/\/acme\.example\/batch\n *issued by +SHA-256 [0-9a-f]{64}, ends 2054/);
  });

  it('names the flag of what is wrong', async () => {
    const wrong: readonly (readonly [flags: readonly string[], message: RegExp])[] = [
      [[...jwt, '--id', 'a'], /--claim is missing/],
      [['--method', 'jwt', '--claim', 'a=b'], /--issuer is missing/],
      [[...jwt, '--claim', 'a=b', '--claim', 'a=c'], /The claim a is given twice/],
      [[...jwt, '--claim', 'a=b', '--hash-only'], /--hash-only: only the App Key of method key/],
      [[...jwt, '--claim', 'a=b', '--app-key', 'k'], /--app-key goes with --public-key/],
      [
        [...jwt, '--claim', 'a=b', '--certificate', pem],
        /--certificate: "certificate" is not for a credential of method/,
      ],
      [[...certificate], /--certificate is missing/],
      [[...certificate, '--certificate-uri', 'spiffe://a/b'], /--authority is missing/],
      [[...certificate, '--certificate-sha256', 'abc'], /--certificate-sha256: "sha256" must be a SHA-256/],
      [[...certificate, '--certificate', join(folder, 'none')], /--certificate: .* cannot be read \(ENOENT\)/],
      [['--method', 'hmac', '--issuer', 'i'], /--issuer: "issuer" is not for a credential with an App Secret/],
    ];
    for (const [flags, message] of wrong) {
      const { code, err } = await cli.run(['credential', 'issue', '--consumer', 'acme', ...flags]);
      assert.match(err, message);
      assert.equal(code, 2);
    }
  });

  it('needs the issuer that it names', async () => {
    const claims = ['--method', 'jwt', '--issuer', 'partner-ipd', '--claim', 'azp=x'];
    const { code, err } = await cli.run(['credential', 'issue', '--consumer', 'acme', ...claims]);
    assert.equal(code, 3);
    assert.match(err, /there is no issuer "partner-ipd"; did you mean "partner-idp"\?/);
  });

  it('refuses what another credential is known by, in those words', async () => {
    await issue(...jwt, '--claim', 'azp=x', '--id', 'a');
    const { code, err } = await cli.run(['credential', 'issue', '--consumer', 'acme', ...jwt, '--claim', 'azp=x']);
    assert.equal(code, 4);
    assert.match(
      err,
      /"a" is known by the claims azp=x of the issuer partner-idp; no two credentials are known by the/,
    );
  });

  it('rotates by a second credential, and never without what that is known by', async () => {
    await issue(...jwt, '--claim', 'azp=x', '--id', 'a');
    const without = await cli.run(['credential', 'rotate', 'a']);
    assert.equal(without.code, 4);
    assert.match(without.err, /say what the one after it is known by; --claim, --certificate and the like do that/);
    const same = await cli.run(['credential', 'rotate', 'a', '--claim', 'azp=x']);
    assert.equal(same.code, 4);
    const out = await cli.done('credential', 'rotate', 'a', '--claim', 'azp=y', '--id', 'b', '--grace', '1d', '--yes');
    assert.match(out, /Credential a rotated: b follows it/);
    const [former, next] = [await credential('a'), await credential('b')];
    assert.deepEqual([former.state, next.state], ['retiring', 'active']);
    assert.deepEqual(next.material, { kind: 'token-claims', issuerId: 'partner-idp', claims: { azp: 'y' } });
    const other = await cli.run(['credential', 'rotate', 'b', '--certificate', pem]);
    assert.equal(other.code, 2);
    assert.match(other.err, /--certificate: "certificate" is not for a credential of method jwt/);
  });

  it('is not imported', async () => {
    const flags = ['--consumer', 'acme', '--method', 'jwt', '--secret-from', 'env:X'];
    const { code, err } = await cli.run(['credential', 'import', ...flags]);
    assert.equal(code, 2);
    assert.match(err, /import is for secrets, and jwt has none: use "credential issue"/);
  });
});

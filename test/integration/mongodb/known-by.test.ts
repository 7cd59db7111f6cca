import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { certificateAppKey, claimsAppKey } from '../../../src/model/derived-app-key.ts';
import { declareTime } from '../../../src/resources/declared.ts';
import { readEndings } from '../../../src/stores/mongodb/endings.ts';
import { sampleAuthority, sampleCertificate } from '../../support/certificates/samples.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const day = 86_400;

describe('credentials without an App Key, in MongoDB', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  const now = systemClock.nowSeconds();
  before(async () => {
    folder = await temporaryDirectory();
    await done(`keyring create ${join(folder.path, 'keyring.yaml')}`);
    await done('consumer create acme');
    await done('issuer add idp --issuer https://idp.example --jwks-uri https://idp.example/jwks --audience orders');
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(line: string): Promise<Awaited<ReturnType<typeof runCli>>> {
    const ring = join(folder.path, 'keyring.yaml');
    const environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
    return await runCli(line.split(' '), environment);
  }

  async function done(line: string): Promise<string> {
    const { code, out, err } = await run(line);
    assert.deepEqual([code, err], [0, ''], line);
    return out;
  }

  function file(name: string, text: string): string {
    const path = join(folder.path, name);
    writeFileSync(path, text);
    return path;
  }

  it('live through issue, edit, rotation and revocation', async () => {
    await done('credential issue --consumer acme --method jwt --issuer idp --claim azp=x --claim tid=7 --id jwt');
    const stored = await database
      .db()
      .collection<{ _id: string; [field: string]: unknown }>('credentials')
      .findOne({ _id: 'jwt' });
    assert.deepEqual(
      [stored?.['issuer'], stored?.['claimNames'], stored?.['appKeyHash'], stored?.['appKey']],
      ['idp', '["azp","tid"]', hashAppKey(claimsAppKey('idp', { azp: 'x', tid: '7' })), undefined],
    );
    await done('credential edit jwt --allow-from 10.0.0.0/8');
    const taken = await run('credential issue --consumer acme --method jwt --issuer idp --claim tid=7 --claim azp=x');
    assert.equal(taken.code, 4);
    assert.match(taken.err, /"jwt" is known by the claims azp=x, tid=7 of the issuer idp/);
    await done('credential rotate jwt --claim azp=y --id jwt-2 --grace 1d');
    assert.match(await done('credential show jwt'), /state +retiring/);
    assert.match(await done('credential show jwt-2'), /claims +azp=y/);
    await done('credential revoke jwt-2 --yes');
    assert.match(await done('credential show jwt-2'), /state +revoked/);
  });

  it('keep what they are known by when they are revoked, until they are deleted', async () => {
    const issued = 'credential issue --consumer acme --method jwt --issuer idp --claim azp=stopped';
    await done(`${issued} --id stopped`);
    await done('credential revoke stopped --yes');
    const taken = await run(issued);
    assert.equal(taken.code, 4);
    assert.match(taken.err, /"stopped" is known by .*; it is revoked, and keeps that: "postern apply" brings it back/);
    const exported = await done('export');
    const path = file('renamed.yaml', exported.replace(/id: stopped([^]*?)state: revoked/, 'id: anew$1state: active'));
    const kept = await run(`apply -f ${path} --yes`);
    assert.notEqual(kept.code, 0);
    assert.match(`${kept.err}${kept.out}`, /"stopped" in the store is known by .*--prune/);
    await done(`apply -f ${path} --prune --yes`);
    assert.equal((await run('credential show stopped')).code, 3);
    assert.match(await done('credential show anew'), /state +active/);
  });

  it('are exported and applied again without a difference, and differ where they do', async () => {
    const [pem, ca] = [file('acme.pem', sampleCertificate.pem), file('ca.pem', sampleAuthority.pem)];
    await done(`credential issue --consumer acme --method certificate --certificate ${pem} --id whole`);
    await done(
      `credential issue --consumer acme --method certificate --certificate-uri ${sampleCertificate.uri} --authority ${ca} --id named`,
    );
    const found = await database
      .db()
      .collection<{ _id: string; [field: string]: unknown }>('credentials')
      .findOne({ _id: 'whole' });
    assert.equal(found?.['appKeyHash'], hashAppKey(certificateAppKey('certificate', sampleCertificate.sha256)));
    const exported = await done('export');
    assert.ok(!exported.includes('crt.') && !exported.includes('jwt.'));
    const path = file('exported.yaml', exported);
    assert.equal((await run(`diff -f ${path}`)).code, 0);
    const other = file('other.yaml', exported.replace('azp: x', 'azp: z'));
    const differs = await run(`diff -f ${other}`);
    assert.notEqual(differs.code, 0);
    assert.match(differs.out, /claims/);
    assert.ok(!differs.out.includes('BEGIN CERTIFICATE'));
  });

  it('are among what runs out by the end of their certificate', async () => {
    const soon = declareTime(now + 5 * day);
    const document = {
      version: 1,
      consumers: [
        {
          id: 'globex',
          credentials: [
            { id: 'soon', method: 'certificate', certificate: { sha256: 'ab'.repeat(32), notAfter: soon } },
          ],
        },
      ],
    };
    await done(`apply -f ${file('soon.json', JSON.stringify(document))} --yes`);
    const endings = await readEndings(database.db(), { nowSeconds: now, withinSeconds: 30 * day, limit: 10 });
    assert.deepEqual(
      endings.filter(({ kind }) => kind === 'certificate').map(({ id, expiresAt }) => [id, expiresAt]),
      [['soon', now + 5 * day]],
    );
    assert.match(await done('credential list --expiring 7d --consumer globex'), /soon +globex +certificate/);
  });
});

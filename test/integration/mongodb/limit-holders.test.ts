import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findLimitHolders } from '../../../src/stores/mongodb/doctor/limit-holders.ts';
import { findNamingCredentials } from '../../../src/stores/mongodb/doctor/naming-credentials.ts';
import { readEndpoints } from '../../../src/stores/mongodb/doctor/read-endpoints.ts';
import { sampleAuthority, sampleCertificate } from '../../support/certificates/samples.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

describe('the endpoints, grants and credentials that doctor finds in MongoDB', () => {
  const database = useDatabase();

  it('are those with limits of their own, and no others', async () => {
    await database.db().dropDatabase();
    await using folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    await writeFile(ring, ringText(1), { mode: 0o600 });
    const environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
    const run = async (command: string): Promise<void> => {
      const { code, err } = await runCli(command.split(' '), environment);
      assert.equal(code, 0, err);
    };
    const find = async () => await findLimitHolders(database.uri());

    await run('endpoint create orders --path /orders --authentication key');
    await run('endpoint create reports --path /reports --authentication key');
    await run('consumer create acme');
    await run('consumer create beta');
    await run('grant add --endpoint orders --consumer beta');
    assert.deepEqual(await find(), []);
    await run('limit set 5/minute/endpoint --endpoint reports');
    await run('grant add --endpoint orders --consumer acme --limit 5/minute');
    assert.deepEqual(await find(), ['endpoint reports', 'grant of acme on orders']);
    const endpoints = await readEndpoints(database.uri());
    assert.deepEqual(
      endpoints?.map(({ id, authentication }) => [id, authentication]),
      [
        ['orders', 'key'],
        ['reports', 'key'],
      ],
    );
    const authority = join(folder.path, 'authority.crt');
    await writeFile(authority, sampleAuthority.pem);
    const issue = 'credential issue --consumer acme --method certificate';
    await run(`${issue} --id named --certificate-dns acme.example --authority ${authority}`);
    await run(`${issue} --id digest --certificate-sha256 ${sampleCertificate.sha256}`);
    await run(`${issue} --id gone --certificate-uri spiffe://acme.example/x --authority ${authority}`);
    await run('credential revoke gone --yes');
    assert.deepEqual(await findNamingCredentials(database.uri()), [
      { id: 'named', authorities: [{ ...sampleAuthority }] },
    ]);
    await run('limit clear --endpoint reports');
    assert.deepEqual(await find(), ['grant of acme on orders']);
    await run('grant add --endpoint orders --label tier=gold --limit 5/minute');
    assert.deepEqual(await find(), ['grant of acme on orders', 'grant for tier=gold on orders']);
    await run('limit set 5/day/endpoint --endpoint reports');
    assert.deepEqual(await findLimitHolders(database.uri(), ['hour', 'day']), ['endpoint reports']);
  });

  it('are unknown when the database cannot be reached', async () => {
    const uri = 'mongodb://127.0.0.1:1/postern';
    assert.equal(await findLimitHolders(uri), null);
    assert.equal(await readEndpoints(uri), null);
    assert.equal(await findNamingCredentials(uri), null);
  });
});

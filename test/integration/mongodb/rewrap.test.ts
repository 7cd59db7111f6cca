import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.ts';
import type { CredentialDocument } from '../../../src/stores/mongodb/documents.ts';
import { rewrapCredential, rewrapSecrets } from '../../../src/stores/mongodb/rewrap-secrets.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { keyRingAt, openedCredential } from './opened-credential.ts';

const SECRET = 'a secret for tests, 32 characters';

const credentials = [
  `{ id: a, method: hmac, appKey: ka, appSecret: "${SECRET} a", retiringSecret: { appSecret: "${SECRET} former", expiresAt: 2030-01-01T00:00:00Z } }`,
  '{ id: b, method: key, appKey: kb }',
  `{ id: c, method: oauth2, appKey: kc, appSecret: "${SECRET} c" }`,
  `{ id: d, method: key, appKeyHash: ${'0f'.repeat(32)} }`,
];

describe('postern keyring rewrap', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let environment: Record<string, string> = {};
  let ring = '';
  before(async () => {
    folder = await temporaryDirectory();
    ring = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', ring])).code, 0);
    environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
  });
  beforeEach(async () => {
    await emptyCollections(database.db());
    const file = join(folder.path, 'document.yaml');
    writeFileSync(file, `version: 1\nconsumers: [{ id: acme, credentials: [${credentials.join(', ')}] }]\n`);
    await done('apply', '-f', file);
    await done('keyring', 'rotate');
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function run(...args: readonly string[]): Promise<CommandResult> {
    return await runCli(args, environment);
  }

  async function done(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await run(...args);
    assert.deepEqual([code, err], [0, ''], out);
    return out;
  }

  async function documents(): Promise<readonly CredentialDocument[]> {
    return await database.db().collection<CredentialDocument>('credentials').find().sort({ _id: 1 }).toArray();
  }

  function keyIdsOf(stored: readonly CredentialDocument[]): readonly string[] {
    return [...new Set([...JSON.stringify(stored).matchAll(/"keyId":"([^"]*)"/g)].map(([, id = '']) => id))];
  }

  it('seals every secret again, and changes nothing that callers see', async () => {
    const { currentKeyId } = await keyRingAt(ring);
    const before = await documents();
    const [former = ''] = keyIdsOf(before);
    assert.notEqual(former, currentKeyId);
    const out = await done('keyring', 'rewrap');
    assert.match(
      out,
      new RegExp(`^KEY +STATE +SECRETS\n${currentKeyId} +current +4\nThe secrets of 3 credentials were sealed again`),
    );
    assert.match(out, new RegExp(`postern keyring remove ${former}\n`));
    const after = await documents();
    assert.deepEqual(keyIdsOf(after), [currentKeyId]);
    const keys = await keyRingAt(ring);
    assert.deepEqual(
      after.map((each) => openedCredential({ ...each }, keys)),
      before.map((each) => openedCredential({ ...each }, keys)),
    );
    assert.match(await done('keyring', 'rewrap'), /No secret was sealed again\. All secrets are sealed with it/);
  });

  it('is one event in the audit trail, without a revision of its own', async () => {
    const revision = await database
      .db()
      .collection('meta')
      .findOne({ _id: 'state' as never });
    await done('keyring', 'rewrap');
    const { currentKeyId } = await keyRingAt(ring);
    const events = JSON.parse(await done('audit', 'list', '--limit', '1', '-o', 'json')) as Record<string, unknown>[];
    const [event] = events;
    assert.match(String(event?.['at']), /^\d{4}-/);
    assert.match(String(event?.['event']), /^[0-9a-f]{24}$/);
    assert.deepEqual(event, {
      at: event?.['at'],
      event: event?.['event'],
      actor: 'ada',
      action: 'keyring rewrap',
      storeRevision: 1,
      kind: 'credential',
      id: '*',
      before: { sealedWithOtherKeys: 3 },
      after: { sealedWith: currentKeyId },
    });
    assert.deepEqual(
      await database
        .db()
        .collection('meta')
        .findOne({ _id: 'state' as never }),
      revision,
    );
  });

  it('counts on a dry run, and changes nothing', async () => {
    const before = await documents();
    const out = await done('keyring', 'rewrap', '--dry-run');
    assert.match(out, /former +4\nThe secrets of 3 credentials would be sealed again/);
    assert.deepEqual(await documents(), before);
    const data = JSON.parse(await done('keyring', 'rewrap', '--dry-run', '-o', 'json')) as Record<string, unknown>;
    assert.deepEqual([data['dryRun'], data['due']], [true, 3]);
  });

  it('reports what does not open, and seals the rest', async () => {
    await database
      .db()
      .collection('credentials')
      .updateOne({ _id: 'c' as never }, { $set: { 'appSecret.keyId': 'lost' } });
    const { code, out, err } = await run('keyring', 'rewrap');
    assert.equal(code, 1);
    assert.match(out, /lost +not in the ring +1\n/);
    assert.match(
      out,
      /2 credentials were sealed again with \S+ 1 secret left that other keys sealed\. 1 credential cannot be opened:\n$/,
    );
    assert.equal(err, 'credential c: the key ring has no key "lost"\n');
  });

  it('overwrites nothing that was changed at the same time', async () => {
    const collection = database.db().collection<CredentialDocument>('credentials');
    const document = await collection.findOne({ _id: 'c' });
    assert.ok(document !== null);
    const operation = rewrapCredential(document, await keyRingAt(ring));
    assert.ok(operation !== null);
    await done('credential', 'rotate', 'c', '--grace', '1d');
    const rotated = await collection.findOne({ _id: 'c' });
    assert.equal((await collection.bulkWrite([operation])).modifiedCount, 0);
    assert.deepEqual(await collection.findOne({ _id: 'c' }), rotated);
  });

  it('can be stopped and gone on with', async () => {
    const ports = {
      db: database.db(),
      sealer: await keyRingAt(ring),
      clock: systemClock,
      actor: 'ada',
      onProgress: () => undefined,
    };
    assert.deepEqual(await rewrapSecrets({ ...ports, isStopped: () => true }), {
      count: 3,
      unopened: [],
      isStopped: true,
    });
    assert.deepEqual(await rewrapSecrets({ ...ports, isStopped: () => false }), {
      count: 0,
      unopened: [],
      isStopped: false,
    });
  });

  it('refuses a store without sealed secrets, and a ring that is not there', async () => {
    const file = await runCli(['keyring', 'rewrap'], { ...environment, POSTERN_STORE: 'file:postern.yaml' });
    assert.equal(file.code, 2);
    assert.match(file.err, /only the secrets of a MongoDB store are sealed/);
    assert.equal((await runCli(['keyring', 'rewrap', join(folder.path, 'no.yaml')], environment)).code, 3);
  });
});

import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MongoClient } from 'mongodb';
import { connectMongodb } from '../../../src/stores/mongodb/connect.ts';
import { checkEndings } from '../../../src/stores/mongodb/doctor/check-endings.ts';
import { readEndings } from '../../../src/stores/mongodb/endings.ts';
import { EndingReader } from '../../../src/stores/mongodb/feed/ending-reader.ts';
import { MongodbUnavailable } from '../../../src/stores/mongodb/faults.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { createUsageSink } from '../../../src/stores/mongodb/usage.ts';
import { spki } from '../../support/keys/bad-keys.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const day = 86_400;

describe('what runs out, in MongoDB', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let client: MongoClient;
  const now = systemClock.nowSeconds();
  before(async () => {
    folder = await temporaryDirectory();
    const ring = join(folder.path, 'keyring.yaml');
    const environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: ring, POSTERN_ACTOR: 'ada' };
    const keyFile = (): string => {
      const path = join(folder.path, `${randomUUID()}.pem`);
      writeFileSync(path, spki(generateKeyPairSync('ed25519').publicKey));
      return path;
    };
    const commands = [
      `keyring create ${ring}`,
      'endpoint create orders --path /orders --authentication hmac --access-condition authenticated-and-authorized',
      'consumer create acme',
      'grant add --endpoint orders --consumer acme --expires 6d',
      'credential issue --consumer acme --method hmac --id lasting',
      'credential issue --consumer acme --method hmac --id rotated',
      'credential issue --consumer acme --method hmac --id left',
      'credential issue --consumer acme --method key --id keyed',
      'credential issue --consumer acme --method hmac --id ends --expires 5d',
      'credential issue --consumer acme --method hmac --id later --expires 90d',
      'credential issue --consumer acme --method hmac --id revoked --expires 5d',
      'credential revoke revoked --yes',
      'credential rotate rotated --grace 1d',
      'credential rotate left --grace 2d',
      'credential rotate keyed --grace 3d --id keyed-2',
      `credential issue --consumer acme --method oauth2 --id signer --public-key ${keyFile()}`,
      `credential rotate signer --public-key ${keyFile()} --grace 4d`,
    ];
    for (const command of commands) {
      const { code, err } = await runCli(command.split(' '), environment);
      assert.deepEqual([code, err], [0, ''], command);
    }
    client = connectMongodb(database.uri(), 'changes');
    await createUsageSink(database.db()).write([
      { credentialId: 'rotated', lastUsedAt: now - 60, retiringSecretLastUsedAt: now - 3600 },
      { credentialId: 'left', lastUsedAt: now - 60, retiringSecretLastUsedAt: now - 3 * day },
      { credentialId: 'keyed', lastUsedAt: now - 60, retiringSecretLastUsedAt: null },
      { credentialId: 'signer', lastUsedAt: now - 60, retiringSecretLastUsedAt: now - 3600 },
    ]);
  });
  after(async () => {
    await client.close();
    await folder[Symbol.asyncDispose]();
  });

  const wish = { nowSeconds: now, withinSeconds: 30 * day, limit: 100 };

  it('is read with who has it, in the order of the ends, and whether it is in use', async () => {
    const found = await readEndings(client.db(), wish);
    assert.deepEqual(
      found.map(({ kind, id, consumerId, isInUse, expiresAt }) => [
        ...[kind, id, consumerId, isInUse, Math.round((expiresAt - now) / day)],
      ]),
      [
        ['retiring-credential', 'keyed', 'acme', true, 3],
        ['credential', 'ends', 'acme', false, 5],
        ['former-secret', 'rotated', 'acme', true, 1],
        ['former-secret', 'left', 'acme', false, 2],
        ['former-secret', 'signer', 'acme', true, 4],
        ['grant', 'orders/acme', null, null, 6],
      ],
    );
    assert.doesNotMatch(JSON.stringify(found), /ciphertext|keyId/, 'no secret, sealed or not');
  });

  it('is bounded, and has what ends first', async () => {
    const found = await readEndings(client.db(), { ...wish, limit: 1 });
    assert.deepEqual(
      found.map(({ id }) => id),
      ['keyed', 'rotated', 'signer', 'orders/acme'],
    );
  });

  it('is what doctor warns of, where it is in use', async () => {
    const found = await checkEndings(client.db(), { nowSeconds: () => now });
    assert.deepEqual(
      found.map(({ level, subject, message }) => [level, subject, message.replace(/at \S+Z/, 'at TIME')]),
      [
        ['warning', 'ends soon', 'former secret or key of rotated of acme ends at TIME, and is in use'],
        ['warning', 'ends soon', 'retiring credential keyed of acme ends at TIME, and is in use'],
        ['warning', 'ends soon', 'former secret or key of signer of acme ends at TIME, and is in use'],
        ['warning', 'ends soon', 'grant orders/acme ends at TIME'],
      ],
    );
  });

  it('is kept while MongoDB does not answer, and read again after it', async () => {
    const defects: unknown[] = [];
    const observer = { defect: (error: unknown) => defects.push(error) };
    const ports = { client, clock: systemClock, ready: Promise.resolve(), observer, intervalMs: 20 };
    await using reader = new EndingReader(ports);
    const first = await poll('the first reading', () => Promise.resolve(reader.current()));
    assert.equal(first.endings.length, 6);
    {
      const data = { failCommands: ['aggregate'], errorCode: 189 };
      await using failing = await database.failPoint({ mode: 'alwaysOn', data });
      assert.ok(failing);
      await database
        .db()
        .collection('grants')
        .updateOne({}, { $set: { expiresAt: new Date((now + 90 * day) * 1000) } });
      const kept = await readEndings(client.db(), wish).catch((error: unknown) => error);
      assert.ok(kept instanceof MongodbUnavailable && kept.reason === 'no-primary', 'it cannot be read');
      assert.equal(reader.current()?.endings.length, 6);
    }
    await poll('another reading', () => Promise.resolve(reader.current()?.endings.length === 5 ? true : null));
    assert.deepEqual(defects, []);
  });

  it('is never read without its indexes, which a large database would feel', async () => {
    await database.db().collection('credentials').dropIndex('retiringSecret.expiresAt_1__id_1');
    await assert.rejects(
      readEndings(client.db(), wish),
      (error) =>
        error instanceof MongodbUnavailable &&
        error.reason === 'schema' &&
        error.message === 'credentials lacks its index on retiringSecret.expiresAt; run "postern doctor --fix"',
    );
  });
});

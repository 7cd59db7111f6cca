import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Fleet, startFleet } from '../../test/support/fleet/fleet.ts';
import { handOver, keyed, makeEndpoints, makePartner, signed } from '../../test/support/fleet/partners.ts';
import { poll } from '../../test/support/time/poll.ts';
import type { Drill } from '../framework/drill.ts';
import type { Stage } from '../framework/stage.ts';
import { expectCall, untilCall } from '../framework/traffic.ts';

/**
 * The key ring is lost, and no copy is left: what must be stopped is stopped, and partners get back in with a new ring.
 */
export const keyRingLost: Drill = {
  name: 'key-ring-lost',
  title: 'the key ring is lost without a copy, and a new one takes its place',
  services: ['envoy', 'mongodb'],
  isQuick: false,
  run: async (stage) => {
    await using fleet = await startFleet({ replicas: 1, prepare: makeEndpoints });
    const { folder, environment } = fleet;
    const [replica] = fleet.replicas;
    const acme = await makePartner(fleet);
    const leaked = await handOver(fleet, 'credential issue --consumer acme --method key --id acme-leaked');

    stage.step('A backup is made; two partners are added after it');
    await stage.postern(fleet, 'export --with-secrets --to backup.yaml');
    for (const id of ['globex', 'initech', 'hooli']) await fleet.postern('consumer', 'create', id);
    await fleet.postern(...'endpoint create legacy --path /legacy --authentication key'.split(' '));
    const globex = await handOver(fleet, 'credential issue --consumer globex --method hmac --id globex-hmac');
    const initech = await handOver(fleet, 'credential issue --consumer initech --method hmac --id initech-hmac');
    await handOver(fleet, 'credential issue --consumer hooli --method hmac --id hooli-hmac');
    await expectCall(stage, fleet, 'a partner in the backup, hmac', signed(acme.hmac), '200');
    await expectCall(stage, fleet, 'one added after it, hmac', signed(globex), '200');
    await expectCall(stage, fleet, 'another one, hmac', signed(initech), '200');
    await expectCall(stage, fleet, 'an App Key of method key', keyed(leaked), '200');

    stage.step('The key ring is lost');
    await rm(environment.POSTERN_KEYRING);
    await replica?.process.logLine(({ level, message }) => level === 'error' && /key ring/.test(String(message)));
    stage.expect('the replica logs an error, and keeps the ring it has read', true);
    await expectCall(stage, fleet, 'a caller from before, hmac', signed(acme.hmac), '200');

    stage.step('Stop what must be stopped: this needs no key ring');
    const ringless = { folder, environment: { ...environment, POSTERN_KEYRING: '' } };
    await stage.postern(ringless, 'credential revoke acme-leaked --yes');
    await untilCall(stage, fleet, 'the leaked App Key', () => keyed(leaked), '401 AUTHENTICATION_FAILED');
    await stage.postern(ringless, 'consumer disable initech');
    await untilCall(stage, fleet, 'the disabled partner', () => signed(initech), '401 AUTHENTICATION_FAILED');
    await stage.postern(ringless, 'consumer delete hooli --yes');
    await stage.postern(ringless, 'endpoint disable legacy');
    await stage.postern(ringless, 'endpoint delete legacy --yes');

    stage.step('Create a new key ring; nothing is sealed with it without a flag');
    await makeRing(stage, fleet);
    await stage.postern(fleet, 'credential rotate globex-hmac', { code: 1 });

    stage.step('Seal the secrets of the backup with it, and keep stopped what was stopped since');
    await stage.postern(fleet, 'apply -f backup.yaml --new-key-ring', { code: 4 });
    await writeRevoked(join(folder, 'backup.yaml'), leaked.id);
    stage.note('In backup.yaml, acme-leaked gets "state: revoked".');
    await stage.postern(fleet, 'apply -f backup.yaml --new-key-ring');
    await stage.postern(fleet, 'diff -f backup.yaml');
    await untilCall(
      stage,
      fleet,
      'a partner in the backup, hmac, with its former secret',
      () => signed(acme.hmac),
      '200',
    );
    await expectCall(stage, fleet, 'the leaked App Key', keyed(leaked), '401 AUTHENTICATION_FAILED');

    stage.step('Give partners who are not in the backup a new secret');
    await stage.postern(fleet, 'keyring rewrap --dry-run');
    const rotated = await handOver(fleet, 'credential rotate globex-hmac --new-key-ring');
    stage.show('$ postern credential rotate globex-hmac --new-key-ring');
    await untilCall(stage, fleet, 'with the new secret', () => signed(rotated), '200');
    await untilCall(stage, fleet, 'with the former one', () => signed(globex), '401 AUTHENTICATION_FAILED');
    stage.note('The secret of the disabled partner is left: rotate it, or delete the partner.');
    await stage.postern(fleet, 'consumer delete initech --yes');

    stage.step('Restart the replica: it no longer needs the former ring');
    await replica?.stop();
    await replica?.start();
    await fleet.healthy(1);
    await expectCall(stage, fleet, 'a partner in the backup, hmac', signed(acme.hmac), '200');
    await expectCall(stage, fleet, 'a partner in the backup, key', keyed(acme.key), '200');
    await expectCall(stage, fleet, 'the one with a new secret', signed(rotated), '200');

    stage.step('Do not lose it again: a key that seals secrets is not removed');
    const ring = JSON.parse(await fleet.postern('keyring', 'show', '-o', 'json')) as {
      readonly keys: readonly { readonly id: string }[];
    };
    const former = ring.keys[0]?.id ?? '';
    await stage.postern(fleet, 'keyring rotate');
    await stage.postern(fleet, `keyring remove ${former} --yes`, { code: 4 });
    await stage.postern(fleet, 'keyring rewrap');
    await stage.postern(fleet, `keyring remove ${former} --yes`);
    await untilCall(stage, fleet, 'partners are served, hmac', () => signed(rotated), '200');
  },
};

/** Makes a ring where the lost one was, and waits until the replica has read it. */
async function makeRing(stage: Stage, fleet: Fleet): Promise<void> {
  const loaded = (): number =>
    (fleet.replicas[0]?.process.logs() ?? []).filter(({ message }) => message === 'the key ring is in force').length;
  const before = loaded();
  await stage.postern(fleet, 'keyring create keyring.yaml');
  await poll('the ring to be in force', () => Promise.resolve(loaded() > before ? true : null));
  stage.expect('the replica logs: the key ring is in force', true);
}

/** Edits a file as an operator does: its credential of this id is revoked there, too. */
async function writeRevoked(path: string, id: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const edited = text.replace(new RegExp(`(id: ${id}\\n[^]*?state: )active`), '$1revoked');
  await writeFile(path, edited);
}

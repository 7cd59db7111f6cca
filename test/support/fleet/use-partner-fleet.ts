import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireAll } from '../lifetime/release.ts';
import { useStarted } from '../lifetime/use-started.ts';
import { type Fleet, startFleet } from './fleet.ts';
import { makeEndpoints, makePartner, type Partner } from './partners.ts';

/**
 * A fleet of two replicas with the endpoints of {@link makeEndpoints}, and its one partner. Each replica reads its own
 * copy of the key ring.
 */
export interface PartnerFleet extends Fleet {
  readonly partner: Partner;
}

/** Where a replica of a {@link PartnerFleet} reads its key ring. */
export function ringOf(replica: number, folder: string): string {
  return join(folder, `keyring-of-replica-${String(replica)}.yaml`);
}

let started: Promise<PartnerFleet> | undefined;

/**
 * Gives the tests of the calling `describe` the fleet with a partner that all files of tests of one process share; it
 * ends with the process. Who stops a replica starts it again, who changes resources restores them, and who
 * changes the key ring brings it to all replicas.
 */
export function usePartnerFleet(): PartnerFleet {
  return useStarted(async () => {
    const fleet = await (started ??= start());
    await fleet.healthy(fleet.replicas.length);
    fleet.backend.reset();
    return { ...fleet, [Symbol.asyncDispose]: () => Promise.resolve() };
  });
}

async function start(): Promise<PartnerFleet> {
  return await acquireAll(async (keep) => {
    const fleet = keep(
      await startFleet({
        ringOf,
        prepare: async (parts) => {
          await makeEndpoints(parts);
          for (const replica of [0, 1]) {
            await copyFile(parts.environment.POSTERN_KEYRING, ringOf(replica, parts.folder));
          }
        },
      }),
    );
    fleet.unref();
    return { ...fleet, partner: await makePartner(fleet) };
  });
}

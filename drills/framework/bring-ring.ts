import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fleet } from '../../test/support/fleet/fleet.ts';
import type { LogLine } from '../../test/support/stack/postern-process.ts';

/** Where a replica that has a copy of the key ring reads it. */
export const ringOf = (replica: number, folder: string): string =>
  join(folder, `keyring-of-replica-${String(replica)}.yaml`);

/** Gives each replica its copy before it is started. */
export async function giveRings({ environment, folder }: Pick<Fleet, 'environment' | 'folder'>): Promise<void> {
  for (const at of [0, 1]) await copyFile(environment.POSTERN_KEYRING, ringOf(at, folder));
}

/** Copies the operator's ring to a replica, and waits until it is in force there. */
export async function bringRing({ replicas, environment, folder }: Fleet, at: number): Promise<void> {
  const path = ringOf(at, folder);
  const replace = async (): Promise<void> => {
    await copyFile(environment.POSTERN_KEYRING, `${path}.next`);
    await rename(`${path}.next`, path);
  };
  const isLoaded = ({ message }: LogLine): boolean => message === 'the key ring is in force';
  await Promise.all([replicas[at]?.process.nextLogLine(isLoaded), replace()]);
}

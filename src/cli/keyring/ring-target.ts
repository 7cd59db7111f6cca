import { settings } from '../../config.ts';
import type { ChangedRing, RingContent } from '../../keyring/ring-content.ts';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import { formatKeyRing } from '../../keyring/ring-document.ts';
import { replaceRingFile, withRingLock } from '../../keyring/ring-file.ts';
import { type KeyRingLocation, parseKeyRingLocation } from '../../keyring/ring-location.ts';
import { UsageError } from '../partner/usage-error.ts';
import type { Terminal } from '../terminal.ts';
import { RingNotChanged } from './ring-failure.ts';

/** The key ring that a command means: its argument, or `POSTERN_KEYRING`. Throws {@link UsageError}. */
export function findRing(argument: string | undefined, environment: Terminal['environment']): KeyRingLocation {
  const { name } = settings.keyring;
  const text = argument ?? (environment[name] || undefined);
  if (text === undefined) throw new UsageError(`name the file of the key ring, or set ${name}`);
  const location = parseKeyRingLocation(text);
  if ('fault' in location) throw new UsageError(`${argument === undefined ? name : 'FILE'}: ${location.fault}`);
  return location;
}

/** The same for commands that write. */
export function findRingFile(argument: string | undefined, environment: Terminal['environment']): string {
  const location = findRing(argument, environment);
  if (location.kind === 'file') return location.path;
  throw new UsageError(
    `this changes a file, and env:${location.name} is none: change the file whose text goes into ${location.name}`,
  );
}

/** What a change makes, or would make, of a key ring. */
export interface RingChange {
  readonly before: RingContent;
  readonly after: RingContent;
  /** The key that was added, promoted or removed. */
  readonly keyId: string;
}

/**
 * Changes a key ring file under its lock; a dry run only tells what would come of it. Rejects with `FaultyKeyRing`,
 * {@link RingNotChanged} or `RingFileFault`, and the file is as it was.
 */
export async function changeRing(
  path: string,
  { environment }: Pick<Terminal, 'environment'>,
  isDryRun: boolean,
  change: (ring: RingContent) => ChangedRing,
): Promise<RingChange> {
  const plan = async (): Promise<RingChange> => {
    const { content: before } = await loadKeyRing({ kind: 'file', path }, environment);
    const changed = change(before);
    if ('kind' in changed) throw new RingNotChanged(path, changed);
    return { before, after: changed.content, keyId: changed.keyId };
  };
  // Without the lock first: a ring that is not there or cannot be changed so needs none.
  const planned = await plan();
  if (isDryRun) return planned;
  return await withRingLock(path, async () => {
    const made = await plan();
    await replaceRingFile(path, formatKeyRing(made.after));
    return made;
  });
}

import type { Command } from 'commander';
import { settings } from '../../gateway/config.ts';
import { formatProblem } from '../../model/document/problem.ts';
import type { ChangedRing, RingContent } from '../../model/keyring/ring-content.ts';
import { FaultyKeyRing, loadKeyRing } from '../../model/keyring/read-key-ring.ts';
import { formatKeyRing, formatSeconds } from '../../model/keyring/ring-document.ts';
import { replaceRingFile, RingFileFault, withRingLock } from '../../model/keyring/ring-file.ts';
import { type KeyRingLocation, parseKeyRingLocation } from '../../model/keyring/ring-location.ts';
import { Conflict, NotFound } from '../../resources/changes/resource-store.ts';
import { addAction, type CommandContext, type CommandWork } from '../command.ts';
import { UsageError } from '../failure.ts';
import { renderTable } from '../render/list.ts';
import { exitCodes, type Terminal } from '../terminal.ts';

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
    `env:${location.name} is not a file that a command can change: change the file whose text goes into ${location.name}`,
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
 * Changes a key ring file under its lock; a dry run only gives what would come of it. Rejects with `FaultyKeyRing`,
 * `NotFound`, `Conflict` or `RingFileFault`, and the file is as it was.
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
    if ('kind' in changed) {
      const message = `${path}: ${changed.message}`;
      throw changed.kind === 'not-found' ? new NotFound(message) : new Conflict(message);
    }
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

/** Runs a command on a key ring, as {@link addAction}: a wrong ring is shown problem by problem (interfaces §5). */
export function addRingAction(command: Command, context: CommandContext, work: CommandWork): void {
  const { err } = context.terminal;
  addAction(command, context, async (...parameters) => {
    try {
      return await work(...parameters);
    } catch (error) {
      if (error instanceof RingFileFault && error.kind === 'conflict')
        throw new Conflict(error.message, { cause: error });
      if (!(error instanceof FaultyKeyRing)) throw error;
      for (const problem of error.problems) err.write(`${formatProblem(problem)}\n`);
      if (!error.isMissing) return exitCodes.failed;
      err.write('"postern keyring create FILE" creates a key ring\n');
      return exitCodes.notFound;
    }
  });
}

/** A key as it is shown: everything but the key itself. */
interface ShownKey {
  readonly id: string;
  readonly createdAt: string;
  /** `current` seals and signs, `staged` will, `former` only opens and verifies. */
  readonly state: 'current' | 'staged' | 'former';
  readonly ageSeconds: number;
}

/** A key ring as scripts get it. */
export function describeRing(ring: RingContent, nowSeconds: number): readonly ShownKey[] {
  return ring.keys.map(({ id, createdAt }) => ({
    id,
    createdAt: formatSeconds(createdAt),
    state: id === ring.currentKeyId ? 'current' : id === ring.stagedKeyId ? 'staged' : 'former',
    ageSeconds: Math.max(0, nowSeconds - createdAt),
  }));
}

/** Key rings as people get them. */
export function renderKeys(keys: readonly ShownKey[]): string {
  const rows = keys.map(({ id, createdAt, state, ageSeconds }) => [id, state, formatAge(ageSeconds), createdAt]);
  return renderTable(['KEY', 'STATE', 'AGE', 'CREATED'], rows);
}

const SECONDS_PER = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
] as const;

function formatAge(seconds: number): string {
  const unit = SECONDS_PER.find(([, length]) => seconds >= length);
  return unit === undefined ? `${String(seconds)} s` : `${String(Math.floor(seconds / unit[1]))} ${unit[0]}`;
}

import { setTimeout as delay } from 'node:timers/promises';
import {
  isStale,
  knows,
  type Replica,
  type ReplicaDirectory,
  type WantedRevision,
} from '../../resources/changes/replicas.ts';
import { count, printable } from '../../base/text/printable.ts';
import { wholeRevision } from '../../model/store-revision.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { CommandContext } from '../command.ts';
import type { ChangeFlags } from '../flags/options.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import type { OpenedStore } from '../opened-store.ts';

/** How a wait ended, and with which replicas. */
export interface Waited {
  /**
   * `in-force`: every replica decides by it. `behind`: some do not, or were not heard of. `none`: no replica reports.
   * `unknown`: the store did not answer.
   */
  readonly outcome: 'in-force' | 'behind' | 'none' | 'unknown';
  readonly replicas: readonly Replica[];
}

const LOOK_EVERY_MS = 100;

/**
 * Waits until every replica that reports decides by what is wanted, at most so long. A replica that was not heard of
 * for a while counts until its entry is gone: it may be cut off and serve. What it had in force when it was last heard
 * of still is.
 */
export async function waitForReplicas(
  directory: Pick<ReplicaDirectory, 'list'>,
  wanted: WantedRevision,
  timeoutMs: number,
): Promise<Waited> {
  const deadline = AbortSignal.timeout(timeoutMs);
  for (;;) {
    const waited = await look(directory, wanted);
    if (waited.outcome === 'in-force' || deadline.aborted) return waited;
    await delay(LOOK_EVERY_MS, undefined, { signal: deadline }).catch(() => undefined);
  }
}

async function look(directory: Pick<ReplicaDirectory, 'list'>, wanted: WantedRevision): Promise<Waited> {
  try {
    const replicas = await directory.list();
    if (replicas.every(isStale)) return { outcome: 'none', replicas };
    return { outcome: replicas.every((each) => knows(each, wanted)) ? 'in-force' : 'behind', replicas };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    return { outcome: 'unknown', replicas: [] };
  }
}

/** What a wait found, a sentence a line. */
export function describeWaited({ outcome, replicas }: Waited, wanted: WantedRevision): readonly string[] {
  const missing = replicas.filter((each) => !knows(each, wanted)).map(describeMissing);
  const known = replicas.length - missing.length;
  switch (outcome) {
    case 'in-force':
      return [`In force on ${known === 1 ? 'the one replica that reports' : `all ${String(known)} replicas`}.`];
    case 'unknown':
      return ['MongoDB did not answer, so it is not known which replicas decide by it.'];
    case 'none':
      return [
        replicas.length === 0
          ? 'No replica reports, so it is not known whether it is in force anywhere: "postern serve" reports with the role posternService of deploy/mongodb/roles.js.'
          : 'No replica reports any more, so it is not known whether it is in force anywhere:',
        ...missing,
        ...adviceFor(replicas),
      ];
    case 'behind':
      return [
        `Not in force on ${String(missing.length)} of ${count(replicas.length, 'replica')}:`,
        ...missing,
        ...adviceFor(replicas),
      ];
  }
}

function describeMissing(replica: Replica): string {
  const { id, revision, silentMs, servesForMs, mode, unreadiness } = replica;
  const name = `  ${printable(replica.name)} (${printable(id)})`;
  const has = revision === null ? 'no revision yet' : `revision ${String(wholeRevision(revision))}`;
  if (isStale(replica)) {
    const forLong = `for ${count(Math.ceil(servesForMs / 60_000), 'minute')} more at most`;
    return `${name} has not reported for ${String(Math.floor(silentMs / 1000))} s; it may serve ${has} from memory, ${forLong}`;
  }
  const why = unreadiness === null ? (mode === 'waiting' ? ', and no changes reach it' : '') : ', and is not ready';
  return `${name} decides by ${has}${why}`;
}

function adviceFor(replicas: readonly Replica[]): readonly string[] {
  return replicas.some(isStale) ? ['If such a process is gone for good: postern replicas --forget ID'] : [];
}

/**
 * Where a changing command was given `--wait`: waits for the revision of its commit, or for everything that had ended
 * when it changed nothing; then says what came of it. That goes to the output of a table, and else to the error stream.
 * Ctrl-C ends the wait; the change stays.
 */
export async function waitWhereWished(
  revision: number | null,
  { replicas: directory }: Pick<OpenedStore, 'replicas'>,
  { wait, waitTimeout: timeoutMs, output }: Pick<ChangeFlags, 'wait' | 'waitTimeout' | 'output'>,
  { terminal }: Pick<CommandContext, 'terminal'>,
): Promise<ExitCode> {
  if (wait !== true || directory === null) return exitCodes.done;
  terminal.onStopSignal(() => {
    terminal.err.write('Stopped waiting; what was changed stays changed.\n');
    terminal.exit(exitCodes.failed);
  });
  const wanted = revision ?? (await directory.storeRevision());
  const waited = await waitForReplicas(directory, wanted, timeoutMs);
  const lines = describeWaited(waited, wanted);
  if (waited.outcome === 'in-force') {
    if (output === 'table') terminal.out.write(`${lines.join('\n')}\n`);
    return exitCodes.done;
  }
  const changed = revision === null ? '' : 'The change is made. ';
  terminal.err.write(`${changed}${lines.join('\n')}\n`);
  return exitCodes.failed;
}

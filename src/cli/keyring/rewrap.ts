import { settings } from '../../config.ts';
import { KeyRing } from '../../keyring/key-ring.ts';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import type { Rewrapped } from '../../manage/resource-store.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { startProgress, watchForStop } from '../interaction.ts';
import { grouped } from '../render/text.ts';
import { renderTable } from '../render/list.ts';
import { findStore } from '../store/open-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import type { OutputFormat } from '../flags/options.ts';
import { findRing, renderResult } from './ring.ts';

/** The options of the command, as commander gives them. */
export interface RewrapOptions {
  readonly store?: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** Records that do not open and are told one by one. */
const MAX_TOLD = 20;

/** Seals the secrets of a store anew with the current key of the ring. */
export async function rewrapStore(
  argument: string | undefined,
  { store, timeout: timeoutMs, dryRun = false, output }: RewrapOptions,
  { terminal, clock, openStore }: CommandContext,
): Promise<ExitCode> {
  const { environment, err, out } = terminal;
  const location = findStore(store, environment);
  if (location.kind === 'file') {
    const name = store === undefined ? settings.store.name : '--store';
    throw new UsageError(`${name}: only the secrets of a MongoDB store are sealed; ${location.path} is a file`);
  }
  const { content, warnings } = await loadKeyRing(findRing(argument, environment), environment);
  const warn = (warning: string): void => {
    err.write(`warning: ${warning}\n`);
  };
  warnings.forEach(warn);
  const sealer = new KeyRing(content);
  const wish = { command: 'keyring rewrap', store, environment, needsSecrets: false, timeoutMs, warn } as const;
  await using opened = await openStore(wish);
  const { sealed, actor } = opened;
  if (sealed === null) throw new Error('the store seals no secrets');
  let done: Rewrapped = { count: 0, unopened: [], isStopped: false };
  if (!dryRun) {
    // Nothing is lost whenever it ends: between batches only the account of it is better.
    const isStopped = watchForStop(terminal, {
      first: 'Stopping after the batch under way.\n',
      exitCode: exitCodes.failed,
    });
    using progress = startProgress('sealing anew', err, clock);
    const onProgress = (seen: number, total: number): void => {
      progress.update(seen, total);
    };
    done = await sealed.rewrap({ sealer, actor, onProgress, isStopped });
  }
  const due = dryRun ? await sealed.countDue(sealer.currentKeyId) : null;
  const secrets = await sealed.countByKey();
  const left = leftOver(secrets, sealer.currentKeyId);
  const value = {
    currentKeyId: sealer.currentKeyId,
    dryRun,
    ...(due === null ? { rewrapped: done.count } : { due }),
    secrets: Object.fromEntries(secrets),
    unopened: done.unopened,
  };
  const text = describe({ ...done, due, secrets, sealer, left });
  out.write(renderResult(output, value, text));
  for (const { id, reason } of done.unopened.slice(0, MAX_TOLD)) err.write(`credential ${id}: ${reason}\n`);
  if (done.isStopped) err.write('Stopped. Run the same command again: it does what is left.\n');
  return dryRun || left === 0 ? exitCodes.done : exitCodes.failed;
}

function leftOver(secrets: ReadonlyMap<string, number>, currentKeyId: string): number {
  return [...secrets].reduce((sum, [keyId, number]) => (keyId === currentKeyId ? sum : sum + number), 0);
}

interface Account extends Rewrapped {
  /** On a dry run, the credentials that are due. */
  readonly due: number | null;
  readonly secrets: ReadonlyMap<string, number>;
  readonly sealer: KeyRing;
  readonly left: number;
}

function describe({ count: rewrapped, due, secrets, sealer, left, unopened }: Account): string {
  const { currentKeyId } = sealer;
  const isCurrent = (keyId: string): string => (keyId === currentKeyId ? 'current' : stateOf(keyId, sealer));
  const rows = [...secrets].map(([keyId, number]) => [keyId, isCurrent(keyId), grouped(number)]);
  const table = rows.length === 0 ? '' : `${renderTable(['KEY', 'STATE', 'SECRETS'], rows)}\n`;
  if (due !== null) {
    return `${table}The secrets of ${number(due, 'credential')} would be sealed anew with ${currentKeyId}.\nNothing was changed (--dry-run).\n`;
  }
  const made =
    rewrapped === 0
      ? 'No secret was sealed anew.'
      : `The secrets of ${number(rewrapped, 'credential')} were sealed anew with ${currentKeyId}.`;
  if (left === 0) {
    const former = sealer.keyIds.filter((keyId) => keyId !== currentKeyId && keyId !== sealer.stagedKeyId);
    const next = former.map((keyId) => `  $ postern keyring remove ${keyId}\n`).join('');
    return `${table}${made} All secrets are sealed with it.\n${next === '' ? '' : `Former keys are needed for these no more. Backups and access tokens made before still need them:\n${next}`}`;
  }
  const unopenedWord = unopened.length === 0 ? '' : ` ${number(unopened.length, 'credential')} cannot be opened:`;
  return `${table}${made} ${number(left, 'secret')} left that other keys sealed.${unopenedWord}\n`;
}

function stateOf(keyId: string, { keyIds }: KeyRing): string {
  return keyIds.includes(keyId) ? 'former' : 'not in the ring';
}

/** `1 secret`, `12 000 secrets`. */
function number(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}

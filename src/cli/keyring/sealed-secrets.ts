import { type Command, Option } from 'commander';
import { settings } from '../../gateway/config.ts';
import { KeyRing } from '../../model/keyring/key-ring.ts';
import { loadKeyRing } from '../../model/keyring/read-key-ring.ts';
import { removeKey } from '../../model/keyring/ring-content.ts';
import { Conflict, type Rewrapped } from '../../resources/changes/resource-store.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { addHelp, changeExits, type CommandContext, readExits } from '../command.ts';
import { UsageError } from '../failure.ts';
import { addStoreOptions, addYesOption, outputOption, type StoreFlags, timeoutOption } from '../flags/options.ts';
import { confirm, startProgress, watchForStop } from '../interaction.ts';
import { renderResult } from '../render/data.ts';
import { renderTable } from '../render/list.ts';
import { findStore } from '../store/open-store.ts';
import { openFor } from '../store/read-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { addRingAction, changeRing, describeRing, findRing, findRingFile } from './ring.ts';

interface RewrapFlags extends StoreFlags {
  readonly dryRun?: boolean;
}

/** Adds `postern keyring rewrap`. */
export function registerRewrap(group: Command, context: CommandContext): void {
  const command = group
    .command('rewrap')
    .description('Seal secrets of the store that were sealed with former keys again, with the current one.')
    .argument('[file]', 'the key ring, or env:NAME; POSTERN_KEYRING when left out')
    .option('--dry-run', 'count what would be sealed again, and change nothing');
  addStoreOptions(command);
  addHelp(command, {
    notes: `Replicas keep serving; each must have the current key already, or it cannot open what is sealed with it. The work can be
stopped and continued at any time. It changes no revision, and is one event in the audit trail.`,
    examples: ['postern keyring rewrap --dry-run', 'postern keyring rewrap'],
    exits: {
      ...changeExits,
      done: 'all secrets are sealed with the current key',
      failed: 'some are not',
      notFound: 'there is no such key ring',
    },
  });
  addRingAction(command, context, async (file: string | undefined, flags: RewrapFlags) => {
    return await rewrapStore(file, flags, context);
  });
}

/** More records that do not open are only counted. */
const MAX_SHOWN = 20;

async function rewrapStore(
  argument: string | undefined,
  flags: RewrapFlags,
  context: CommandContext,
): Promise<ExitCode> {
  const { store, dryRun = false, output } = flags;
  const { terminal, clock } = context;
  const { environment, err, out } = terminal;
  const location = findStore(store, environment);
  if (location.kind === 'api') {
    throw new UsageError(
      `"postern keyring" needs the database (mongodb://…), not the management API at ${location.origin}`,
    );
  }
  if (location.kind === 'file') {
    const name = store === undefined ? settings.store.name : '--store';
    throw new UsageError(`${name}: only the secrets of a MongoDB store are sealed; ${location.path} is a file`);
  }
  const { content, warnings } = await loadKeyRing(findRing(argument, environment), environment);
  for (const warning of warnings) err.write(`warning: ${warning}\n`);
  const sealer = new KeyRing(content);
  const { currentKeyId } = sealer;
  await using opened = await openFor(context, 'keyring rewrap', flags, false);
  const { sealed, actor } = opened;
  if (sealed === null) throw new Error('the store seals no secrets');
  let done: Rewrapped = { count: 0, unopened: [], isStopped: false };
  if (!dryRun) {
    // Every batch is complete when it ends, so that a stop loses nothing.
    const first = 'Stopping after the batch under way.\n';
    const isStopped = watchForStop(terminal, { first, exitCode: exitCodes.failed });
    using progress = startProgress('sealing again', err, clock);
    done = await sealed.rewrap({ sealer, actor, onProgress: progress.update, isStopped });
  }
  const due = dryRun ? await sealed.countDue(currentKeyId) : null;
  const secrets = await sealed.countByKey();
  const left = [...secrets].reduce((sum, [keyId, number]) => (keyId === currentKeyId ? sum : sum + number), 0);
  const value = {
    currentKeyId,
    dryRun,
    ...(due === null ? { rewrapped: done.count } : { due }),
    secrets: Object.fromEntries(secrets),
    unopened: done.unopened,
  };
  const text = `${renderCounts(secrets, sealer)}${due === null ? describeDone(done, left, sealer) : describeDue(due, sealer)}`;
  out.write(renderResult(output, value, text));
  for (const { id, reason } of done.unopened.slice(0, MAX_SHOWN)) err.write(`credential ${id}: ${reason}\n`);
  if (done.isStopped) err.write('Stopped. Run the same command again: it does what is left.\n');
  return dryRun || left === 0 ? exitCodes.done : exitCodes.failed;
}

function renderCounts(secrets: ReadonlyMap<string, number>, { currentKeyId, keyIds }: KeyRing): string {
  const stateOf = (keyId: string): string => (keyIds.includes(keyId) ? 'former' : 'not in the ring');
  const rows = [...secrets].map(([keyId, number]) => [
    keyId,
    keyId === currentKeyId ? 'current' : stateOf(keyId),
    grouped(number),
  ]);
  return rows.length === 0 ? '' : renderTable(['KEY', 'STATE', 'SECRETS'], rows);
}

function describeDue(due: number, { currentKeyId }: KeyRing): string {
  return `The secrets of ${counted(due, 'credential')} would be sealed again with ${currentKeyId}.\nNothing was changed (--dry-run).\n`;
}

function describeDone(
  { count: rewrapped, unopened }: Rewrapped,
  left: number,
  { currentKeyId, keyIds, stagedKeyId }: KeyRing,
): string {
  const sealed =
    rewrapped === 0
      ? 'No secret was sealed again.'
      : `The secrets of ${counted(rewrapped, 'credential')} were sealed again with ${currentKeyId}.`;
  if (left > 0) {
    const closed = unopened.length === 0 ? '' : ` ${counted(unopened.length, 'credential')} cannot be opened:`;
    return `${sealed} ${counted(left, 'secret')} left that other keys sealed.${closed}\n`;
  }
  const former = keyIds.filter((keyId) => keyId !== currentKeyId && keyId !== stagedKeyId);
  const next = former.map((keyId) => `  $ postern keyring remove ${keyId}\n`).join('');
  const advice = `Former keys are no longer needed for these. Backups and access tokens from before still need them:\n${next}`;
  return `${sealed} All secrets are sealed with it.\n${next === '' ? '' : advice}`;
}

/** `1 secret`, `12 000 secrets`. */
function counted(value: number, noun: string): string {
  return count(value, noun, grouped(value));
}

interface RemoveFlags extends RewrapFlags {
  readonly withoutStore?: boolean;
  readonly yes?: boolean;
}

/** Adds `postern keyring remove`. */
export function registerRemove(group: Command, context: CommandContext): void {
  const command = group
    .command('remove')
    .description('Remove a former key from a key ring, once nothing is sealed with it.')
    .argument('<file-or-key>', 'the key ring, and then the key; or only the key of the ring of POSTERN_KEYRING')
    .argument('[key]', 'id of the key');
  addYesOption(command)
    .option('--dry-run', 'print what would change, and change nothing')
    .addOption(outputOption())
    .option('--store <location>', 'whose secrets the key may have sealed, instead of POSTERN_STORE; no password')
    .addOption(new Option('--without-store', 'do not check a store').conflicts('store'))
    .addOption(timeoutOption());
  addHelp(command, {
    notes: `The store is checked first: while the key seals a secret there, nothing is removed; run "postern keyring rewrap" first.
Backups that it sealed can never be opened again, and tokens signed with it are refused. The current key cannot be removed.`,
    examples: [
      'postern keyring remove keyring.yaml k20260101-3f0c9a',
      'postern keyring remove k20260101-3f0c9a --yes',
      'postern keyring remove keyring.yaml k20260101-3f0c9a --without-store',
    ],
    exits: {
      ...readExits,
      failed: 'not confirmed, or the file is wrong or cannot be written',
      notFound: 'no such file or key',
      conflict: 'it is the current key, it still seals secrets, or another command changes the file',
    },
  });
  addRingAction(command, context, async (first: string, second: string | undefined, flags: RemoveFlags) => {
    const { terminal, clock } = context;
    const file = findRingFile(second === undefined ? undefined : first, terminal.environment);
    const keyId = second ?? first;
    const { yes = false, dryRun = false, output } = flags;
    const planned = await changeRing(file, terminal, true, (ring) => removeKey(ring, keyId));
    if (flags.withoutStore !== true) await requireUnused(keyId, flags, context);
    if (!yes && !dryRun) {
      const warning = planned.before.stagedKeyId === keyId ? STAGED_WARNING : FORMER_WARNING;
      if (!(await confirm(`${warning}\nRemove ${keyId} from ${file}?`, terminal))) {
        terminal.err.write('nothing was removed\n');
        return exitCodes.failed;
      }
    }
    const { before, after } = await changeRing(file, terminal, dryRun, (ring) => removeKey(ring, keyId));
    const keys = describeRing(dryRun ? before : after, clock.nowSeconds());
    const text = `${file}: ${keyId} ${dryRun ? 'would be' : 'was'} removed\n`;
    terminal.out.write(renderResult(output, { file, change: 'removed', keyId, dryRun, keys }, text));
    return exitCodes.done;
  });
}

/** Makes sure that the store has no secret that the key sealed. Rejects with `Conflict`, which says how many it has. */
async function requireUnused(keyId: string, flags: RemoveFlags, context: CommandContext): Promise<void> {
  const { store } = flags;
  const { environment } = context.terminal;
  const { name } = settings.store;
  if (store === undefined && (environment[name] ?? '') === '') {
    throw new UsageError(
      `name the store whose secrets the key may have sealed: --store, or ${name}; --without-store removes the key without a look at one`,
    );
  }
  // Nothing in a declarative file is sealed.
  if (findStore(store, environment).kind === 'file') return;
  await using opened = await openFor(context, 'keyring remove', flags, false);
  const sealed = (await opened.sealed?.countByKey())?.get(keyId) ?? 0;
  if (sealed === 0) return;
  throw new Conflict(
    `${count(sealed, 'secret')} of the store ${sealed === 1 ? 'is' : 'are'} still sealed with ${keyId}: run "postern keyring rewrap" first. Nothing was removed`,
  );
}

const FORMER_WARNING = 'Backups and access tokens that were made with this key can never be opened or verified again.';
const STAGED_WARNING =
  'This key is staged: nothing is sealed with it, unless another copy of the ring has promoted it.';

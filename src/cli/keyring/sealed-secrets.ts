import type { Command } from 'commander';
import { settings } from '../../config.ts';
import { KeyRing } from '../../keyring/key-ring.ts';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import { removeKey } from '../../keyring/ring-content.ts';
import { Conflict, type Rewrapped } from '../../manage/resource-store.ts';
import { changeExits, type CommandContext, helpText, readExits } from '../command.ts';
import { UsageError, writeSafely } from '../failure.ts';
import { addYesOption, type OutputFormat, outputOption, timeoutOption } from '../flags/options.ts';
import { confirm, startProgress, watchForStop } from '../interaction.ts';
import { renderResult } from '../render/data.ts';
import { renderTable } from '../render/list.ts';
import { count } from '../../printable.ts';
import { grouped } from '../render/text.ts';
import { findStore, type OpenedStore } from '../store/open-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { changeRing, describeRing, findRing, findRingFile, runOnRing } from './ring.ts';

/** What commands that look at the sealed secrets of a store have. */
interface StoreOptions {
  readonly store?: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

async function openDatabase(
  command: string,
  { store, timeout: timeoutMs }: StoreOptions,
  { openStore, terminal: { environment, err } }: CommandContext,
): Promise<OpenedStore> {
  const warn = (message: string): void => {
    writeSafely(err, `warning: ${message}\n`);
  };
  return await openStore({ command, store, environment, needsSecrets: false, timeoutMs, warn });
}

/** Adds `postern keyring rewrap`. */
export function registerRewrap(group: Command, context: CommandContext): void {
  group
    .command('rewrap')
    .description('Seal secrets of the store that were sealed with former keys again, with the current one.')
    .argument('[file]', 'the key ring, or env:NAME; POSTERN_KEYRING when left out')
    .option('--dry-run', 'count what would be sealed again, and change nothing')
    .addOption(outputOption())
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      helpText({
        notes: `Replicas keep serving; each must have the current key already, or it cannot open what is sealed with it. The work can be
stopped and continued at any time. It changes no revision, and is one event in the audit trail.`,
        examples: ['postern keyring rewrap --dry-run', 'postern keyring rewrap'],
        exits: {
          ...changeExits,
          done: 'all secrets are sealed with the current key',
          failed: 'some are not',
          notFound: 'there is no such key ring',
        },
      }),
    )
    .action(async (file: string | undefined, options: StoreOptions) => {
      await runOnRing(context, 'rewrap', async () => await rewrapStore(file, options, context));
    });
}

/** Records that do not open and are listed one by one. */
const MAX_TOLD = 20;

async function rewrapStore(
  argument: string | undefined,
  options: StoreOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { store, dryRun = false, output } = options;
  const { terminal, clock } = context;
  const { environment, err, out } = terminal;
  const location = findStore(store, environment);
  if (location.kind === 'file') {
    const name = store === undefined ? settings.store.name : '--store';
    throw new UsageError(`${name}: only the secrets of a MongoDB store are sealed; ${location.path} is a file`);
  }
  const { content, warnings } = await loadKeyRing(findRing(argument, environment), environment);
  for (const warning of warnings) err.write(`warning: ${warning}\n`);
  const sealer = new KeyRing(content);
  await using opened = await openDatabase('keyring rewrap', options, context);
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
    return `${table}The secrets of ${counted(due, 'credential')} would be sealed anew with ${currentKeyId}.\nNothing was changed (--dry-run).\n`;
  }
  const made =
    rewrapped === 0
      ? 'No secret was sealed anew.'
      : `The secrets of ${counted(rewrapped, 'credential')} were sealed anew with ${currentKeyId}.`;
  if (left === 0) {
    const former = sealer.keyIds.filter((keyId) => keyId !== currentKeyId && keyId !== sealer.stagedKeyId);
    const next = former.map((keyId) => `  $ postern keyring remove ${keyId}\n`).join('');
    return `${table}${made} All secrets are sealed with it.\n${next === '' ? '' : `Former keys are needed for these no more. Backups and access tokens made before still need them:\n${next}`}`;
  }
  const unopenedWord = unopened.length === 0 ? '' : ` ${counted(unopened.length, 'credential')} cannot be opened:`;
  return `${table}${made} ${counted(left, 'secret')} left that other keys sealed.${unopenedWord}\n`;
}

function stateOf(keyId: string, { keyIds }: KeyRing): string {
  return keyIds.includes(keyId) ? 'former' : 'not in the ring';
}

/** `1 secret`, `12 000 secrets`. */
function counted(value: number, noun: string): string {
  return count(value, noun, grouped(value));
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
    .option('--without-store', 'do not check a store')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      helpText({
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
      }),
    )
    .action(async (first: string, second: string | undefined, options: RemoveOptions) => {
      await runOnRing(context, 'remove', async () => await removeRingKey(first, second, options, context));
    });
}

interface RemoveOptions extends StoreOptions {
  readonly withoutStore?: boolean;
  readonly yes?: boolean;
}

async function removeRingKey(
  first: string,
  second: string | undefined,
  options: RemoveOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, clock } = context;
  const file = findRingFile(second === undefined ? undefined : first, terminal.environment);
  const keyId = second ?? first;
  const { yes = false, dryRun = false, output } = options;
  const planned = await changeRing(file, terminal, true, (ring) => removeKey(ring, keyId));
  if (options.withoutStore !== true) await requireUnused(keyId, options, context);
  const wasStaged = planned.before.stagedKeyId === keyId;
  if (!yes && !dryRun) {
    const question = `${wasStaged ? STAGED_WARNING : FORMER_WARNING}\nRemove ${keyId} from ${file}?`;
    if (!(await confirm(question, terminal))) {
      terminal.err.write('nothing was removed\n');
      return exitCodes.failed;
    }
  }
  const { before, after } = dryRun
    ? planned
    : await changeRing(file, terminal, false, (ring) => removeKey(ring, keyId));
  const keys = describeRing(dryRun ? before : after, clock.nowSeconds());
  const text = `${file}: ${keyId} ${dryRun ? 'would be' : 'was'} removed\n`;
  terminal.out.write(renderResult(output, { file, change: 'removed', keyId, dryRun, keys }, text));
  return exitCodes.done;
}

/** Makes sure that the store has no secret that the key sealed. Rejects with `Conflict`, which says how many it has. */
async function requireUnused(keyId: string, options: RemoveOptions, context: CommandContext): Promise<void> {
  const { store } = options;
  const { environment } = context.terminal;
  const { name } = settings.store;
  if (store === undefined && (environment[name] ?? '') === '') {
    throw new UsageError(
      `name the store whose secrets the key may have sealed: --store, or ${name}; --without-store removes the key without a look at one`,
    );
  }
  // Nothing in a declarative file is sealed.
  if (findStore(store, environment).kind === 'file') return;
  await using opened = await openDatabase('keyring remove', options, context);
  const sealed = (await opened.sealed?.countByKey())?.get(keyId) ?? 0;
  if (sealed === 0) return;
  throw new Conflict(
    `${count(sealed, 'secret')} of the store ${sealed === 1 ? 'is' : 'are'} still sealed with ${keyId}: run "postern keyring rewrap" first. Nothing was removed`,
  );
}

const FORMER_WARNING = 'Backups and access tokens that were made with this key can never be opened or verified again.';
const STAGED_WARNING =
  'This key is staged: nothing is sealed with it, unless another copy of the ring has promoted it.';

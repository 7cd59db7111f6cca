import { settings } from '../../config.ts';
import { removeKey } from '../../keyring/ring-content.ts';
import { Conflict } from '../../manage/resource-store.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { confirm } from '../interaction.ts';
import { count } from '../render/text.ts';
import { findStore } from '../store/open-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import type { OutputFormat } from '../flags/options.ts';
import { changeRing, describeRing, findRingFile, renderResult } from './ring.ts';

/** The options of the command, as commander gives them. */
export interface RemoveOptions {
  readonly withoutStore?: boolean;
  readonly store?: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** Takes a key out of a ring, after looking into the store and asking. */
export async function removeRingKey(
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

/** Makes sure that the store has no secret that the key sealed. Rejects with `Conflict`, which tells how many it has. */
async function requireUnused(
  keyId: string,
  { store, timeout: timeoutMs }: Pick<RemoveOptions, 'store' | 'timeout'>,
  { openStore, terminal: { environment, err } }: CommandContext,
): Promise<void> {
  const { name } = settings.store;
  if (store === undefined && (environment[name] ?? '') === '') {
    throw new UsageError(
      `name the store whose secrets the key may have sealed: --store, or ${name}; --without-store removes the key without a look at one`,
    );
  }
  // Nothing in a declarative file is sealed.
  if (findStore(store, environment).kind === 'file') return;
  const warn = (message: string): void => {
    err.write(`warning: ${message}\n`);
  };
  const wish = { command: 'keyring remove', store, environment, needsSecrets: false, timeoutMs, warn } as const;
  await using opened = await openStore(wish);
  const sealed = (await opened.sealed?.countByKey())?.get(keyId) ?? 0;
  if (sealed === 0) return;
  throw new Conflict(
    `${count(sealed, 'secret')} of the store ${sealed === 1 ? 'is' : 'are'} still sealed with ${keyId}: run "postern keyring rewrap" first. Nothing was removed`,
  );
}

const FORMER_WARNING = 'Backups and access tokens that were made with this key can never be opened or verified again.';
const STAGED_WARNING =
  'This key is staged: nothing is sealed with it, unless another copy of the ring has promoted it.';

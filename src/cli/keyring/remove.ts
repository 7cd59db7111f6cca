import { systemClock } from '../../clock.ts';
import { parseStore } from '../../config-values.ts';
import { settings } from '../../config.ts';
import { removeKey } from '../../keyring/ring-content.ts';
import { Conflict } from '../../manage/resource-store.ts';
import { connectMongodb } from '../../store/mongodb/connect.ts';
import { countSealed } from '../../store/mongodb/rewrap-secrets.ts';
import { readSchemaVersion } from '../../store/mongodb/schema/schema-version.ts';
import { UsageError } from '../failure.ts';
import { confirm } from '../interaction.ts';
import { count } from '../render/text.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
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
  terminal: Terminal,
): Promise<ExitCode> {
  const file = findRingFile(second === undefined ? undefined : first, terminal.environment);
  const keyId = second ?? first;
  const { yes = false, dryRun = false, output } = options;
  const planned = await changeRing(file, terminal, true, (ring) => removeKey(ring, keyId));
  if (options.withoutStore !== true) await requireUnused(keyId, options, terminal.environment);
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
  const keys = describeRing(dryRun ? before : after, systemClock.nowSeconds());
  const text = `${file}: ${keyId} ${dryRun ? 'would be' : 'was'} removed\n`;
  terminal.out.write(renderResult(output, { file, change: 'removed', keyId, dryRun, keys }, text));
  return exitCodes.done;
}

/** Makes sure that the store has no secret that the key sealed. Rejects with `Conflict`, which tells how many it has. */
async function requireUnused(
  keyId: string,
  { store, timeout }: Pick<RemoveOptions, 'store' | 'timeout'>,
  environment: Terminal['environment'],
): Promise<void> {
  const { name } = settings.store;
  const text = store ?? (environment[name] || undefined);
  if (text === undefined) {
    throw new UsageError(
      `name the store whose secrets the key may have sealed: --store, or ${name}; --without-store removes the key without a look at one`,
    );
  }
  const location = parseStore(text);
  if ('fault' in location) throw new UsageError(`${store === undefined ? name : '--store'}: ${location.fault}`);
  // Nothing in a declarative file is sealed.
  if (location.kind === 'file') return;
  const sealed = await readSealedWith(location.uri, keyId, timeout);
  if (sealed === 0) return;
  throw new Conflict(
    `${count(sealed, 'secret')} of the store ${sealed === 1 ? 'is' : 'are'} still sealed with ${keyId}: run "postern keyring rewrap" first. Nothing was removed`,
  );
}

async function readSealedWith(uri: string, keyId: string, timeoutMs: number): Promise<number> {
  // Counting secrets takes longer than an operator's usual question may.
  await using client = connectMongodb(uri, 'migration', { timeoutMs });
  // Whether it answers at all is found out in time.
  await readSchemaVersion(client.db(), AbortSignal.timeout(timeoutMs));
  return (await countSealed(client.db())).get(keyId) ?? 0;
}

const FORMER_WARNING = 'Backups and access tokens that were made with this key can never be opened or verified again.';
const STAGED_WARNING =
  'This key is staged: nothing is sealed with it, unless another copy of the ring has promoted it.';

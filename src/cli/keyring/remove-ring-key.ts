import { systemClock } from '../../clock.ts';
import { removeKey } from '../../keyring/change-ring.ts';
import { confirm } from '../confirm.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { describeRing, renderResult } from './render-ring.ts';
import type { OutputFormat } from './output-option.ts';
import { reportRingFailure } from './ring-failure.ts';
import { changeRing, findRingFile } from './ring-target.ts';

/** The options of the command, as commander gives them. */
export interface RemoveOptions {
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** Takes a key out of a ring, after asking. */
export async function removeRingKey(
  first: string,
  second: string | undefined,
  options: RemoveOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    return await remove(
      findRingFile(second === undefined ? undefined : first, terminal.environment),
      second ?? first,
      options,
      terminal,
    );
  } catch (error) {
    return reportRingFailure('postern keyring remove', error, terminal);
  }
}

async function remove(file: string, keyId: string, options: RemoveOptions, terminal: Terminal): Promise<ExitCode> {
  const { yes = false, dryRun = false, output } = options;
  const planned = await changeRing(file, terminal, true, (ring) => removeKey(ring, keyId));
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
  terminal.out.write(await renderResult(output, { file, change: 'removed', keyId, dryRun, keys }, text));
  return exitCodes.done;
}

const FORMER_WARNING =
  'Secrets that are still sealed with this key can never be opened again: "postern keyring rewrap" must have run before.';
const STAGED_WARNING =
  'This key is staged: nothing is sealed with it, unless another copy of the ring has promoted it.';

import { systemClock } from '../../clock.ts';
import { generateRingKey, newRing } from '../../keyring/ring-content.ts';
import { formatKeyRing } from '../../keyring/ring-document.ts';
import { checkAbsent, createRingFile } from '../../keyring/ring-file.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { describeRing, renderResult } from './render-ring.ts';
import type { OutputFormat } from './output-option.ts';
import { reportRingFailure } from './ring-failure.ts';
import { findRingFile } from './ring-target.ts';

/** The options of the command, as commander gives them. */
export interface CreateOptions {
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** Makes a key ring file and tells what it made. */
export async function createRing(
  argument: string | undefined,
  options: CreateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    return await create(findRingFile(argument, terminal.environment), options, terminal);
  } catch (error) {
    return reportRingFailure('postern keyring create', error, terminal);
  }
}

async function create(file: string, { dryRun = false, output }: CreateOptions, terminal: Terminal): Promise<ExitCode> {
  const nowSeconds = systemClock.nowSeconds();
  const ring = newRing(generateRingKey(nowSeconds));
  if (dryRun) await checkAbsent(file);
  else await createRingFile(file, formatKeyRing(ring));
  const keyId = dryRun ? null : ring.currentKeyId;
  const value = { file, change: 'created', keyId, dryRun, keys: dryRun ? [] : describeRing(ring, nowSeconds) };
  const text = dryRun
    ? `${file}: would be made, with one key\n`
    : `${file}: made, with the key ${ring.currentKeyId}
Keep a copy apart from the backups of the store. Whoever has both reads every App Secret; who loses it reads none.
`;
  terminal.out.write(await renderResult(output, value, text));
  return exitCodes.done;
}

import { systemClock } from '../../clock.ts';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import { formatKeyRingLocation } from '../../keyring/ring-location.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { describeRing, renderKeys, renderResult } from './render-ring.ts';
import type { OutputFormat } from './output-option.ts';
import { reportRingFailure } from './ring-failure.ts';
import { findRing } from './ring-target.ts';

/** Shows the keys of a ring without the keys themselves. */
export async function showRing(
  argument: string | undefined,
  format: OutputFormat,
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    return await show(argument, format, terminal);
  } catch (error) {
    return reportRingFailure('postern keyring show', error, terminal);
  }
}

async function show(argument: string | undefined, format: OutputFormat, terminal: Terminal): Promise<ExitCode> {
  const location = findRing(argument, terminal.environment);
  const { content, warnings } = await loadKeyRing(location, terminal.environment);
  for (const warning of warnings) terminal.err.write(`warning: ${warning}\n`);
  const keys = describeRing(content, systemClock.nowSeconds());
  const value = { file: formatKeyRingLocation(location), keys };
  terminal.out.write(await renderResult(format, value, renderKeys(keys)));
  return exitCodes.done;
}

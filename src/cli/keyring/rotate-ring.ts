import { systemClock } from '../../clock.ts';
import {
  addCurrentKey,
  addStagedKey,
  type ChangedRing,
  generateRingKey,
  promoteKey,
  type RingContent,
} from '../../keyring/ring-content.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { describeRing, renderResult } from './render-ring.ts';
import type { OutputFormat } from './output-option.ts';
import { reportRingFailure } from './ring-failure.ts';
import { changeRing, findRingFile, type RingChange } from './ring-target.ts';

/** The options of the command, as commander gives them. */
export interface RotateOptions {
  readonly stage?: boolean;
  readonly promote?: boolean;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** What `rotate` does with the ring. */
type Rotation = 'rotated' | 'staged' | 'promoted';

/** Adds or promotes a key, and tells what to do next. */
export async function rotateRing(
  argument: string | undefined,
  options: RotateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  try {
    return await rotate(findRingFile(argument, terminal.environment), options, terminal);
  } catch (error) {
    return reportRingFailure('postern keyring rotate', error, terminal);
  }
}

async function rotate(file: string, options: RotateOptions, terminal: Terminal): Promise<ExitCode> {
  const { dryRun = false, output } = options;
  const nowSeconds = systemClock.nowSeconds();
  const rotation = options.promote === true ? 'promoted' : options.stage === true ? 'staged' : 'rotated';
  const change = await changeRing(file, terminal, dryRun, (ring) => apply(rotation, ring, nowSeconds));
  const value = {
    file,
    change: rotation,
    // A dry run makes no key that anybody will see again.
    keyId: dryRun && rotation !== 'promoted' ? null : change.keyId,
    dryRun,
    keys: describeRing(dryRun ? change.before : change.after, nowSeconds),
  };
  terminal.out.write(await renderResult(output, value, describe(file, rotation, dryRun, change)));
  return exitCodes.done;
}

function apply(rotation: Rotation, ring: RingContent, nowSeconds: number): ChangedRing {
  switch (rotation) {
    case 'rotated':
      return addCurrentKey(ring, generateRingKey(nowSeconds));
    case 'staged':
      return addStagedKey(ring, generateRingKey(nowSeconds));
    case 'promoted':
      return promoteKey(ring);
  }
}

function describe(file: string, rotation: Rotation, isDryRun: boolean, { before, keyId }: RingChange): string {
  const former = before.currentKeyId;
  switch (rotation) {
    case 'rotated':
      return isDryRun
        ? `${file}: a new key would be added and become current instead of ${former}\n`
        : `${file}: ${keyId} was added and is current instead of ${former}\n${NEXT_REWRAP}`;
    case 'staged':
      return isDryRun
        ? `${file}: a new key would be added; ${former} would stay current\n`
        : `${file}: ${keyId} was added; ${former} stays current\n${NEXT_PROMOTE}`;
    case 'promoted':
      return isDryRun
        ? `${file}: ${keyId} would become current instead of ${former}\n`
        : `${file}: ${keyId} is current instead of ${former}\n${NEXT_REWRAP}`;
  }
}

const NEXT_REWRAP =
  'Next: bring the file to every replica, run "postern keyring rewrap", then remove the former key.\n';
const NEXT_PROMOTE = 'Next: bring the file to every replica, then run "postern keyring rotate --promote".\n';

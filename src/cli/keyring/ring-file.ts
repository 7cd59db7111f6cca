import { systemClock } from '../../clock.ts';
import {
  addCurrentKey,
  addStagedKey,
  type ChangedRing,
  generateRingKey,
  newRing,
  promoteKey,
  type RingContent,
} from '../../keyring/ring-content.ts';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import { formatKeyRing } from '../../keyring/ring-document.ts';
import { checkAbsent, createRingFile } from '../../keyring/ring-file.ts';
import { formatKeyRingLocation } from '../../keyring/ring-location.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import type { OutputFormat } from '../flags/options.ts';
import { changeRing, describeRing, findRing, findRingFile, renderKeys, renderResult, type RingChange } from './ring.ts';

/** The options of the command, as commander gives them. */
export interface CreateOptions {
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** Makes a key ring file and tells what it made. */
export async function createRing(
  argument: string | undefined,
  { dryRun = false, output }: CreateOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const file = findRingFile(argument, terminal.environment);
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
  terminal.out.write(renderResult(output, value, text));
  return exitCodes.done;
}

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
  const file = findRingFile(argument, terminal.environment);
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
  terminal.out.write(renderResult(output, value, describe(file, rotation, dryRun, change)));
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

/** Shows the keys of a ring without the keys themselves. */
export async function showRing(
  argument: string | undefined,
  format: OutputFormat,
  terminal: Terminal,
): Promise<ExitCode> {
  const location = findRing(argument, terminal.environment);
  const { content, warnings } = await loadKeyRing(location, terminal.environment);
  for (const warning of warnings) terminal.err.write(`warning: ${warning}\n`);
  const keys = describeRing(content, systemClock.nowSeconds());
  const value = { file: formatKeyRingLocation(location), keys };
  terminal.out.write(renderResult(format, value, renderKeys(keys)));
  return exitCodes.done;
}

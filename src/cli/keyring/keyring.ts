import { type Command, Option } from 'commander';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import {
  addCurrentKey,
  addStagedKey,
  type ChangedRing,
  generateRingKey,
  newRing,
  promoteKey,
  type RingContent,
} from '../../keyring/ring-content.ts';
import { formatKeyRing } from '../../keyring/ring-document.ts';
import { checkAbsent, createRingFile } from '../../keyring/ring-file.ts';
import { formatKeyRingLocation } from '../../keyring/ring-location.ts';
import { type CommandContext, helpText } from '../command.ts';
import { type OutputFormat, outputOption } from '../flags/options.ts';
import { renderResult } from '../render/data.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { changeRing, describeRing, findRing, findRingFile, renderKeys, type RingChange, runOnRing } from './ring.ts';
import { registerRemove, registerRewrap } from './sealed-secrets.ts';

/** Adds `postern keyring` with its commands. */
export function registerKeyring(program: Command, context: CommandContext): void {
  const group = program
    .command('keyring')
    .description('Look after the keys that encrypt App Secrets at rest and sign access tokens.')
    .addHelpText(
      'after',
      helpText({
        examples: [
          'postern keyring create keyring.yaml    make one; then POSTERN_KEYRING=keyring.yaml',
          'postern keyring rotate keyring.yaml    use a new key from now on',
          "postern keyring rewrap                 seal the store's secrets with it",
          'postern keyring show keyring.yaml      ids and ages, never keys',
        ],
      }),
    );
  for (const register of [registerCreate, registerRotate, registerRewrap, registerRemove, registerShow]) {
    register(group, context);
  }
}

function registerCreate(group: Command, context: CommandContext): void {
  group
    .command('create')
    .description('Create a key ring file with one random key. Only its owner can read the file.')
    .argument('[file]', 'where; POSTERN_KEYRING when left out')
    .option('--dry-run', 'print what would be created, and create nothing')
    .addOption(outputOption())
    .addHelpText(
      'after',
      helpText({
        notes: `An existing file is never replaced: without its keys, secrets that were sealed with them are lost.`,
        examples: [
          'postern keyring create /etc/postern/keyring.yaml',
          'POSTERN_KEYRING=keyring.yaml postern keyring create',
        ],
        exits: { done: 'created', failed: 'it cannot be written', conflict: 'the file exists' },
      }),
    )
    .action(async (file: string | undefined, options: CreateOptions) => {
      await runOnRing(context, 'create', async () => await createRing(file, options, context));
    });
}

interface CreateOptions {
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

async function createRing(
  argument: string | undefined,
  { dryRun = false, output }: CreateOptions,
  { terminal, clock }: CommandContext,
): Promise<ExitCode> {
  const file = findRingFile(argument, terminal.environment);
  const nowSeconds = clock.nowSeconds();
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

function registerRotate(group: Command, context: CommandContext): void {
  group
    .command('rotate')
    .description('Add a random key and make it the current one, at once or in two steps.')
    .argument('[file]', 'the key ring; POSTERN_KEYRING when left out')
    .addOption(new Option('--stage', 'only add the key, so that every replica has it before it is used'))
    .addOption(new Option('--promote', 'make the staged key the current one').conflicts('stage'))
    .option('--dry-run', 'print what would change, and change nothing')
    .addOption(outputOption())
    .addHelpText(
      'after',
      helpText({
        notes: `The former key stays: it opens what was sealed with it until "postern keyring rewrap" has run and "remove" removes it.
With several replicas that each have a copy of the file, rotate in two steps and bring the file to all of them after each:
a replica cannot open what was sealed with a key that it does not have yet.`,
        examples: [
          'postern keyring rotate keyring.yaml',
          'postern keyring rotate keyring.yaml --stage      then bring the file to every replica',
          'postern keyring rotate keyring.yaml --promote    then bring it there again',
        ],
        exits: {
          failed: 'the file is wrong or cannot be written',
          notFound: 'no such file',
          conflict: 'a key is staged already, none is, or another command changes the file',
        },
      }),
    )
    .action(async (file: string | undefined, options: RotateOptions) => {
      await runOnRing(context, 'rotate', async () => await rotateRing(file, options, context));
    });
}

interface RotateOptions {
  readonly stage?: boolean;
  readonly promote?: boolean;
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

/** What `rotate` does with the ring. */
type Rotation = 'rotated' | 'staged' | 'promoted';

async function rotateRing(
  argument: string | undefined,
  options: RotateOptions,
  { terminal, clock }: CommandContext,
): Promise<ExitCode> {
  const file = findRingFile(argument, terminal.environment);
  const { dryRun = false, output } = options;
  const nowSeconds = clock.nowSeconds();
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

function registerShow(group: Command, context: CommandContext): void {
  group
    .command('show')
    .description('Show the keys of a key ring by id, age and state, never the keys themselves.')
    .argument('[file]', 'the key ring, or env:NAME; POSTERN_KEYRING when left out')
    .addOption(outputOption())
    .addHelpText(
      'after',
      helpText({
        notes: `The current key seals and signs, a staged one is to become current, former ones only open and verify.`,
        examples: [
          'postern keyring show keyring.yaml',
          'postern keyring show -o json | jq -r \'.keys[] | select(.state == "former") | .id\'',
        ],
        exits: { done: 'shown', failed: 'the key ring is wrong', notFound: 'there is none' },
      }),
    )
    .action(async (file: string | undefined, { output }: { output: OutputFormat }) => {
      await runOnRing(context, 'show', async () => await showRing(file, output, context));
    });
}

async function showRing(
  argument: string | undefined,
  format: OutputFormat,
  { terminal, clock }: CommandContext,
): Promise<ExitCode> {
  const location = findRing(argument, terminal.environment);
  const { content, warnings } = await loadKeyRing(location, terminal.environment);
  for (const warning of warnings) terminal.err.write(`warning: ${warning}\n`);
  const keys = describeRing(content, clock.nowSeconds());
  const value = { file: formatKeyRingLocation(location), keys };
  terminal.out.write(renderResult(format, value, renderKeys(keys)));
  return exitCodes.done;
}

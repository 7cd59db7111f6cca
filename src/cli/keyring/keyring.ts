import { type Command, Option } from 'commander';
import { loadKeyRing } from '../../model/keyring/read-key-ring.ts';
import {
  addKey,
  type ChangedRing,
  generateRingKey,
  newRing,
  promoteKey,
  type RingContent,
} from '../../model/keyring/ring-content.ts';
import { formatKeyRing } from '../../model/keyring/ring-document.ts';
import { checkAbsent, createRingFile } from '../../model/keyring/ring-file.ts';
import { formatKeyRingLocation } from '../../model/keyring/ring-location.ts';
import { addHelp, type CommandContext } from '../command.ts';
import { type OutputFormat, outputOption } from '../flags/options.ts';
import { renderResult } from '../render/data.ts';
import { exitCodes } from '../terminal.ts';
import { addRingAction, changeRing, describeRing, findRing, findRingFile, renderKeys } from './ring.ts';
import { registerRemove, registerRewrap } from './sealed-secrets.ts';

/** Adds `postern keyring` with its commands. */
export function registerKeyring(program: Command, context: CommandContext): void {
  const group = program
    .command('keyring')
    .description('Look after the keys that encrypt App Secrets at rest and sign access tokens.');
  addHelp(group, {
    examples: [
      'postern keyring create keyring.yaml    create one; then POSTERN_KEYRING=keyring.yaml',
      'postern keyring rotate keyring.yaml    use a new key from now on',
      "postern keyring rewrap                 seal the store's secrets with it",
      'postern keyring show keyring.yaml      ids and ages, never keys',
    ],
  });
  for (const register of [registerCreate, registerRotate, registerRewrap, registerRemove, registerShow]) {
    register(group, context);
  }
}

interface CreateFlags {
  readonly dryRun?: boolean;
  readonly output: OutputFormat;
}

function registerCreate(group: Command, context: CommandContext): void {
  const { terminal, clock } = context;
  const command = group
    .command('create')
    .description('Create a key ring file with one random key. Only its owner can read the file.')
    .argument('[file]', 'where; POSTERN_KEYRING when left out')
    .option('--dry-run', 'print what would be created, and create nothing')
    .addOption(outputOption());
  addHelp(command, {
    notes: `An existing file is never replaced: without its keys, secrets that were sealed with them are lost.`,
    examples: [
      'postern keyring create /etc/postern/keyring.yaml',
      'POSTERN_KEYRING=keyring.yaml postern keyring create',
    ],
    exits: { done: 'created', failed: 'it cannot be written', conflict: 'the file exists' },
  });
  addRingAction(command, context, async (argument: string | undefined, { dryRun = false, output }: CreateFlags) => {
    const file = findRingFile(argument, terminal.environment);
    const nowSeconds = clock.nowSeconds();
    const ring = newRing(generateRingKey(nowSeconds));
    if (dryRun) await checkAbsent(file);
    else await createRingFile(file, formatKeyRing(ring));
    const keyId = dryRun ? null : ring.currentKeyId;
    const value = { file, change: 'created', keyId, dryRun, keys: dryRun ? [] : describeRing(ring, nowSeconds) };
    const text = dryRun
      ? `${file}: would be created, with one key\n`
      : `${file}: created, with the key ${ring.currentKeyId}
Keep a copy apart from the backups of the store. Anyone who has both reads every App Secret; without it, you read none.
`;
    terminal.out.write(renderResult(output, value, text));
    return exitCodes.done;
  });
}

interface RotateFlags extends CreateFlags {
  readonly stage?: boolean;
  readonly promote?: boolean;
}

function registerRotate(group: Command, context: CommandContext): void {
  const { terminal, clock } = context;
  const command = group
    .command('rotate')
    .description('Add a random key and make it the current one, at once or in two steps.')
    .argument('[file]', 'the key ring; POSTERN_KEYRING when left out')
    .option('--stage', 'only add the key, so that every replica has it before it is used')
    .addOption(new Option('--promote', 'make the staged key the current one').conflicts('stage'))
    .option('--dry-run', 'print what would change, and change nothing')
    .addOption(outputOption());
  addHelp(command, {
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
  });
  addRingAction(command, context, async (argument: string | undefined, flags: RotateFlags) => {
    const file = findRingFile(argument, terminal.environment);
    const { dryRun = false, output } = flags;
    const nowSeconds = clock.nowSeconds();
    const change = flags.promote === true ? 'promoted' : flags.stage === true ? 'staged' : 'rotated';
    const { apply, would, did } = rotations[change];
    const { before, after, keyId } = await changeRing(file, terminal, dryRun, (ring) => apply(ring, nowSeconds));
    const value = {
      file,
      change,
      // The key of a dry run is not kept.
      keyId: dryRun && change !== 'promoted' ? null : keyId,
      dryRun,
      keys: describeRing(dryRun ? before : after, nowSeconds),
    };
    const text = (dryRun ? would : did)(keyId, before.currentKeyId);
    terminal.out.write(renderResult(output, value, `${file}: ${text}\n`));
    return exitCodes.done;
  });
}

/** What `rotate` does with a ring. `would` and `did` say it of a dry run and of a change. */
interface Rotation {
  readonly apply: (ring: RingContent, nowSeconds: number) => ChangedRing;
  readonly would: (keyId: string, formerId: string) => string;
  readonly did: (keyId: string, formerId: string) => string;
}

const NEXT_REWRAP = 'Next: bring the file to every replica, run "postern keyring rewrap", then remove the former key.';
const NEXT_PROMOTE = 'Next: bring the file to every replica, then run "postern keyring rotate --promote".';

const rotations: Readonly<Record<'rotated' | 'staged' | 'promoted', Rotation>> = {
  rotated: {
    apply: (ring, nowSeconds) => addKey(ring, generateRingKey(nowSeconds), 'current'),
    would: (_keyId, formerId) => `a new key would be added and become current instead of ${formerId}`,
    did: (keyId, formerId) => `${keyId} was added and is current instead of ${formerId}\n${NEXT_REWRAP}`,
  },
  staged: {
    apply: (ring, nowSeconds) => addKey(ring, generateRingKey(nowSeconds), 'staged'),
    would: (_keyId, formerId) => `a new key would be added; ${formerId} would stay current`,
    did: (keyId, formerId) => `${keyId} was added; ${formerId} stays current\n${NEXT_PROMOTE}`,
  },
  promoted: {
    apply: promoteKey,
    would: (keyId, formerId) => `${keyId} would become current instead of ${formerId}`,
    did: (keyId, formerId) => `${keyId} is current instead of ${formerId}\n${NEXT_REWRAP}`,
  },
};

function registerShow(group: Command, context: CommandContext): void {
  const { terminal, clock } = context;
  const command = group
    .command('show')
    .description('Show the keys of a key ring by id, age and state, never the keys themselves.')
    .argument('[file]', 'the key ring, or env:NAME; POSTERN_KEYRING when left out')
    .addOption(outputOption());
  addHelp(command, {
    notes: `The current key seals and signs, a staged one is to become current, former ones only open and verify.`,
    examples: [
      'postern keyring show keyring.yaml',
      'postern keyring show -o json | jq -r \'.keys[] | select(.state == "former") | .id\'',
    ],
    exits: { done: 'shown', failed: 'the key ring is wrong', notFound: 'there is no such key ring' },
  });
  addRingAction(command, context, async (argument: string | undefined, { output }: CreateFlags) => {
    const location = findRing(argument, terminal.environment);
    const { content, warnings } = await loadKeyRing(location, terminal.environment);
    for (const warning of warnings) terminal.err.write(`warning: ${warning}\n`);
    const keys = describeRing(content, clock.nowSeconds());
    terminal.out.write(renderResult(output, { file: formatKeyRingLocation(location), keys }, renderKeys(keys)));
    return exitCodes.done;
  });
}

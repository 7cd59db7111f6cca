import { type Command, InvalidArgumentError, Option } from 'commander';
import { findNearestName } from '../../document/nearest-name.ts';
import { generateCredentialId, generatePair, hashOfAppKey } from '../../manage/generate-credential.ts';
import { planNewCredential } from '../../manage/plan-credential.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../model/endpoint.ts';
import { Secret } from '../../model/secret.ts';
import { changeExits, type CommandContext, helpText } from '../command.ts';
import { UsageError } from '../failure.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import {
  addChangeOptions,
  addNewRingOption,
  type ChangeFlags,
  type NewRingFlag,
  secretsForSealing,
} from '../flags/options.ts';
import { type Moment, momentAhead, parseMoment } from '../flags/times.ts';
import { parseId } from '../flags/values.ts';
import { paintFor } from '../render/text.ts';
import { changesOf, changeStore, type Plan } from '../store/change-store.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { collectAll, requireResource } from '../store/read-store.ts';
import { declareHandedOver, readUsableEndpoints, renderHandedOver } from './handed-over.ts';

/** The flags of a credential to be made, generated or imported. */
interface NewCredentialFlags {
  readonly consumer: string;
  readonly id?: string;
  readonly notBefore?: Moment;
  readonly expires?: Moment;
  readonly hashOnly?: true;
}

/** Adds the flags that `issue` and `import` share, without `--method`. */
function addNewCredentialFlags(command: Command): Command {
  return command
    .addOption(new Option('--consumer <id>', 'the consumer who gets it').argParser(parseId).makeOptionMandatory())
    .option('--id <id>', 'its id; CONSUMER-METHOD-… when left out', parseId)
    .option('--not-before <time>', 'works from then on: 2027-01-01T00:00:00Z, or 7d from now', parseMoment)
    .option('--expires <time>', 'works until then: 2027-01-01T00:00:00Z, or 90d from now', parseMoment)
    .option('--hash-only', 'key only: store only the hash of the App Key, so that it cannot be shown again');
}

/** `--method`, with its choices. */
export function methodOption(): Option {
  return new Option('--method <method>', 'the authentication method it is for').choices(authenticationMethods);
}

/** When the credential begins and ends to work. */
function lifetimeOf(
  { notBefore, expires }: Pick<NewCredentialFlags, 'notBefore' | 'expires'>,
  nowSeconds: number,
): { readonly notBefore: number | null; readonly expiresAt: number | null } {
  return {
    notBefore: notBefore === undefined ? null : momentAhead(notBefore, nowSeconds),
    expiresAt: expires === undefined ? null : momentAhead(expires, nowSeconds),
  };
}

/** The flag that sets what a path of a declared credential leads to. */
function credentialFlagOf(path: string): string | null {
  const [field = ''] = path.split(/[.[]/);
  const flags: Readonly<Record<string, string>> = {
    id: '--id',
    method: '--method',
    methods: '--method',
    appKey: '--app-key',
    appKeyHash: '--hash-only',
    appSecret: '--secret-from',
    notBefore: '--not-before',
    expiresAt: '--expires',
  };
  return flags[field] ?? null;
}

type IssueFlags = NewCredentialFlags & ChangeFlags & NewRingFlag & { readonly method: AuthenticationMethod };

/** Adds `postern credential issue`. */
export function registerCredentialIssue(noun: Command, context: CommandContext): void {
  const command = noun
    .command('issue')
    .description('Generate an App Key and an App Secret for a consumer, and print them for the partner.')
    .addOption(methodOption().makeOptionMandatory());
  addNewRingOption(addChangeOptions(addNewCredentialFlags(command)))
    .addHelpText(
      'after',
      helpText({
        notes: `For key, the App Key is the secret and there is no App Secret.`,
        examples: [
          'postern credential issue --consumer acme --method hmac',
          'postern credential issue --consumer acme --method key --expires 90d --hash-only',
          'postern credential issue --consumer acme --method oauth2 -o json > acme-credential.json',
        ],
        exits: { ...changeExits, notFound: 'no such consumer', conflict: 'taken' },
      }),
    )
    .action(async (flags: IssueFlags) => {
      const makePlan = async (store: OpenedStore): Promise<Plan> => await planIssue(store, flags, context);
      await changeStore(context, 'credential issue', flags, makePlan, secretsForSealing(flags));
    });
}

async function planIssue({ resources }: OpenedStore, flags: IssueFlags, context: CommandContext): Promise<Plan> {
  const { terminal } = context;
  const nowSeconds = context.clock.nowSeconds();
  const { consumer: consumerId, method, id = generateCredentialId(consumerId, method) } = flags;
  const methods = [method];
  const { resource: consumer } = await requireResource(resources, 'consumer', consumerId);
  const pair = generatePair(methods);
  const wish = { id, consumerId, methods, ...pair, keepsHashOnly: flags.hashOnly === true };
  const taken = { id: await resources.find('credential', id), appKey: null };
  const planned = planNewCredential({ ...wish, ...lifetimeOf(flags, nowSeconds) }, taken, nowSeconds);
  const changes = changesOf(planned, credentialFlagOf);
  const credential = changes.flatMap((change) => (change.kind === 'credential' ? (change.after ?? []) : []))[0];
  if (credential === undefined) throw new Error('no credential was planned');
  const handedOver = {
    credential,
    appKey: pair.appKey.reveal().toString('utf8'),
    appSecret: pair.appSecret?.reveal().toString('utf8') ?? null,
    usable: await readUsableEndpoints(resources, credential, nowSeconds),
  };
  return {
    changes,
    notes: [
      ...(consumer.enabled
        ? []
        : [`the consumer ${consumerId} is disabled: the credential is refused until it is enabled`]),
      ...(flags.dryRun === true ? ['each run generates other keys; these are not kept'] : []),
    ],
    done: `Credential ${id} issued to ${consumerId}.`,
    outcome: {
      text: renderHandedOver(handedOver, terminal.environment, paintFor(terminal.out, terminal.environment)),
      data: declareHandedOver(handedOver),
      whenUnknown: `Keep what is printed: if the credential was made, it is what ${consumerId} gets. If it was not, issue it again.`,
    },
  };
}

interface ImportFlags extends NewCredentialFlags, ChangeFlags, NewRingFlag {
  readonly method: readonly AuthenticationMethod[];
  readonly appKey?: string;
  readonly secretFrom: string;
}

/** What is imported. */
interface Pair {
  readonly appKey: Secret;
  readonly appSecret: Secret | null;
}

/** Adds `postern credential import`. */
export function registerCredentialImport(noun: Command, context: CommandContext): void {
  const command = noun
    .command('import')
    .description('Import an App Key and an App Secret that a partner already has.')
    .requiredOption(
      '--method <method>',
      `a method it is for (${authenticationMethods.join(', ')}); repeatable`,
      collectMethod,
    )
    .option('--app-key <key>', 'the App Key; not for key alone, where it is the secret')
    .requiredOption(
      '--secret-from <source>',
      'env:NAME, file:PATH or - (standard input): the App Secret, or for key alone the App Key',
    );
  addNewRingOption(addChangeOptions(addNewCredentialFlags(command)))
    .addHelpText(
      'after',
      helpText({
        notes: `An App Key has 1 to 128 of the characters A-Z a-z 0-9 . _ -, an App Secret 16 to 256 characters. An App Key belongs to
one credential for ever, also when that was deleted. Several methods share one pair only where a former gateway did.`,
        examples: [
          'export ACME_SECRET=…',
          'postern credential import --consumer acme --method hmac --app-key acme-2019 --secret-from env:ACME_SECRET',
          'postern credential import --consumer acme --method key --secret-from file:key.txt --hash-only',
        ],
        exits: { ...changeExits, notFound: 'no such consumer', conflict: 'taken' },
      }),
    )
    .action(async (flags: ImportFlags) => {
      const makePlan = async (store: OpenedStore): Promise<Plan> => await planImport(store, flags, context);
      await changeStore(context, 'credential import', flags, makePlan, secretsForSealing(flags));
    });
}

async function planImport(
  { resources }: OpenedStore,
  flags: ImportFlags,
  { terminal, clock }: CommandContext,
): Promise<Plan> {
  const nowSeconds = clock.nowSeconds();
  const { consumer: consumerId, method: methods } = flags;
  const { id = generateCredentialId(consumerId, methods[0] ?? 'key') } = flags;
  const pair = readPair(flags, terminal.environment);
  await requireResource(resources, 'consumer', consumerId);
  const [holder = null] = await collectAll(resources.list('credential', { appKeyHashes: [hashOfAppKey(pair.appKey)] }));
  const wish = { id, consumerId, methods, ...pair, keepsHashOnly: flags.hashOnly === true };
  const taken = { id: await resources.find('credential', id), appKey: holder };
  const flagOf = (path: string): string | null =>
    path === 'appKey' && isAppKeySecret(methods) ? '--secret-from' : credentialFlagOf(path);
  return {
    changes: changesOf(planNewCredential({ ...wish, ...lifetimeOf(flags, nowSeconds) }, taken, nowSeconds), flagOf),
    done: `Credential ${id} imported for ${consumerId}.`,
  };
}

function readPair(
  { method, appKey, secretFrom }: ImportFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Pair {
  if (isAppKeySecret(method)) {
    if (appKey !== undefined) {
      throw new UsageError(
        '--app-key is not for key alone: there the App Key is the secret, which --secret-from reads',
      );
    }
    return { appKey: Secret.fromText(readSecretArgument(secretFrom, environment)), appSecret: null };
  }
  if (appKey === undefined) throw new UsageError('--app-key is missing: which App Key does the secret belong to?');
  return {
    appKey: Secret.fromText(appKey),
    appSecret: Secret.fromText(readSecretArgument(secretFrom, environment)),
  };
}

function collectMethod(text: string, methods: readonly string[] = []): readonly string[] {
  const method = authenticationMethods.find((known) => known === text);
  if (method !== undefined) return [...methods, method];
  const nearest = findNearestName(text, authenticationMethods);
  const choices = `Allowed choices are ${authenticationMethods.join(', ')}.`;
  throw new InvalidArgumentError(nearest === null ? choices : `${choices} Did you mean ${nearest}?`);
}

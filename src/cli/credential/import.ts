import { type Command, InvalidArgumentError } from 'commander';
import { findNearestName } from '../../document/nearest-name.ts';
import { generateCredentialId } from '../../manage/credentials/generate-credential-id.ts';
import { planNewCredential } from '../../manage/credentials/plan-new-credential.ts';
import { hashOfAppKey } from '../../manage/generate-pair.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../model/endpoint.ts';
import { Secret } from '../../model/secret.ts';
import type { CommandContext } from '../command-context.ts';
import { addChangeOptions, addNewRingOption, type ChangeFlags, type NewRingFlag } from '../flags/store-options.ts';
import { readSecretArgument } from '../partner/secret-argument.ts';
import { UsageError } from '../partner/usage-error.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore, type Plan } from '../store/change-store.ts';
import { collectAll } from '../store/collect-all.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { credentialFlagOf } from './credential-flags.ts';
import { addNewCredentialFlags, lifetimeOf, type NewCredentialFlags } from './new-credential-flags.ts';

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
    .description('Take over an App Key and an App Secret that a partner has already.')
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
      `
An App Key has 1 to 128 of the characters A-Z a-z 0-9 . _ -, an App Secret 16 to 256 characters. An App Key belongs to
one credential for ever, also when that was deleted. Several methods share one pair only where a former gateway did.

Examples:
  $ export ACME_SECRET=…
  $ postern credential import --consumer acme --method hmac --app-key acme-2019 --secret-from env:ACME_SECRET
  $ postern credential import --consumer acme --method key --secret-from file:key.txt --hash-only

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 4 taken, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (flags: ImportFlags) => {
      const needsSecrets = flags.newKeyRing === true ? 'new-ring' : 'new';
      const makePlan = async (store: OpenedStore): Promise<Plan> => await planImport(store, flags, context);
      const code = await changeStore(context, 'credential import', flags, makePlan, needsSecrets);
      context.finish(code);
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

import { APP_SECRET_RULE } from '../../resources/app-secret.ts';
import { type Command, InvalidArgumentError } from 'commander';
import type { Environment } from '../../base/environment.ts';
import { findNearestName } from '../../model/document/nearest-name.ts';
import type { HandedOver } from '../../resources/changes/issue-credential.ts';
import { materialKindIn } from '../../resources/credential-material.ts';
import { APP_KEY_RULE } from '../../model/app-key.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../model/endpoint.ts';
import { materialFacts, materialKindOf } from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import { collecting } from '../flags/values.ts';
import { addChangeAction } from '../store/change-store.ts';
import { requireResource } from '../store/read-store.ts';
import { addNewCredentialFlags, type NewCredentialFlags, planNew } from './new-credential.ts';

interface ImportFlags extends NewCredentialFlags {
  readonly method: readonly AuthenticationMethod[];
  readonly appKey?: string;
  readonly secretFrom: string;
}

/** Adds `postern credential import`. */
export function registerCredentialImport(noun: Command, context: CommandContext): void {
  const command = noun
    .command('import')
    .description('Import an App Key and an App Secret that a partner already has.')
    .requiredOption(
      '--method <method>',
      `a method it is for (${authenticationMethods.join(', ')}); repeatable`,
      collecting(parseMethod),
    )
    .option('--app-key <key>', 'the App Key; not for key alone, where it is the secret')
    .requiredOption(
      '--secret-from <source>',
      'env:NAME, file:PATH or - (standard input): the App Secret, or for key alone the App Key',
    );
  addChangeAction(addNewCredentialFlags(command), context, {
    isSealing: true,
    notes: `An App Key has ${APP_KEY_RULE}, an App Secret ${APP_SECRET_RULE}.
An App Key belongs to one credential for ever, also when that was deleted. Several methods share one pair only where a former gateway did.`,
    examples: [
      'export ACME_SECRET=…',
      'postern credential import --consumer acme --method hmac --app-key acme-2019 --secret-from env:ACME_SECRET',
      'postern credential import --consumer acme --method key --secret-from file:key.txt --hash-only',
    ],
    exits: { notFound: 'no such consumer', conflict: 'taken' },
    plan: async ({ resources }, flags: ImportFlags) => {
      const { consumer, method: methods } = flags;
      const pair = readPair(flags, context.terminal.environment);
      await requireResource(resources, 'consumer', consumer);
      const { id, changes } = await planNew(
        flags,
        methods,
        { ...pair, publicKey: null, knownBy: null },
        resources,
        context,
      );
      return { changes, done: `Credential ${id} imported for ${consumer}.` };
    },
  });
}

function readPair({ method, appKey, secretFrom }: ImportFlags, environment: Environment): HandedOver {
  const kind = materialKindOf(method);
  if (kind === 'public-key') {
    const instead = '"credential issue --public-key FILE --app-key KEY" takes over a public key';
    throw new UsageError(`import is for secrets, and http-message-signature has none: ${instead}`);
  }
  if (materialFacts[kind].appKey === 'derived') {
    throw new UsageError(`import is for secrets, and ${method.join(' and ')} has none: use "credential issue"`);
  }
  const isKey = materialFacts[materialKindIn({ methods: method })].appKey === 'secret';
  if (isKey && appKey !== undefined) {
    throw new UsageError('--app-key is not for key alone: there the App Key is the secret, which --secret-from reads');
  }
  if (!isKey && appKey === undefined) {
    throw new UsageError('--app-key is missing: which App Key does the secret belong to?');
  }
  const secret = Secret.fromText(readSecretArgument(secretFrom, environment));
  return appKey === undefined
    ? { appKey: secret, appSecret: null }
    : { appKey: Secret.fromText(appKey), appSecret: secret };
}

function parseMethod(text: string): AuthenticationMethod {
  const method = authenticationMethods.find((known) => known === text);
  if (method !== undefined) return method;
  const nearest = findNearestName(text, authenticationMethods);
  const choices = `Allowed choices are ${authenticationMethods.join(', ')}.`;
  throw new InvalidArgumentError(nearest === null ? choices : `${choices} Did you mean ${nearest}?`);
}

import { APP_SECRET_RULE } from '../../resources/app-secret.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Environment } from '../../base/environment.ts';
import { findNearestName } from '../../model/document/nearest-name.ts';
import type { Change } from '../../resources/changes/change.ts';
import { type HandedOver, newPair, planCredential } from '../../resources/changes/issue-credential.ts';
import type { Declared } from '../../resources/declared.ts';
import { declareGiven, givenFields } from '../../resources/credential-fields.ts';
import { materialKindIn } from '../../resources/credential-material.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import { APP_KEY_RULE } from '../../model/app-key.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../model/endpoint.ts';
import { materialFacts, materialKindOf } from '../../model/material.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import { MAX_RSA_BITS, MIN_RSA_BITS } from '../../model/public-key/read-jwk.ts';
import { TAKEN_KINDS } from '../../model/public-key/read-pem.ts';
import { Secret } from '../../model/secret.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { changesOf, type FieldFlags, flagsOfRows, wishOf } from '../flags/fields.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import { addKnownByOptions, knownByFields, type KnownByFlags, readKnownByFlags } from '../flags/known-by.ts';
import type { ChangeFlags } from '../flags/options.ts';
import { type PublicKeyFlags, readPublicKeyFlags } from '../flags/public-key.ts';
import { parseMoment } from '../flags/times.ts';
import { collect, collecting, parseId } from '../flags/values.ts';
import { addChangeAction, type Plan } from '../store/change-store.ts';
import type { OpenedStore } from '../opened-store.ts';
import { requireResource } from '../store/read-store.ts';
import { handOver } from './handed-over.ts';

interface NewCredentialFlags {
  readonly consumer: string;
  readonly id?: string;
  readonly hashOnly?: true;
}

/** Adds the flags that `issue` and `import` share, without `--method`. */
function addNewCredentialFlags(command: Command): Command {
  command
    .requiredOption('--consumer <id>', 'the consumer who gets it', parseId)
    .option('--id <id>', 'its id; CONSUMER-METHOD-… when left out', parseId);
  for (const field of givenFields) command.option(field.flag, field.help, parserOf(field));
  return command.option(
    '--hash-only',
    'key only: store only the hash of the App Key, so that it cannot be shown again',
  );
}

/** Reads the value of a flag: a moment, which counts from when the command runs, any text, or one of several. */
export function parserOf({ isTime, isList }: (typeof givenFields)[number]): (text: string, former: unknown) => unknown {
  if (isList) return (text, former) => collect(text, former as readonly string[] | undefined);
  return isTime ? parseMoment : String;
}

/** `--method`, with its choices. */
export function methodOption(): Option {
  return new Option('--method <method>', 'the authentication method it is for').choices(authenticationMethods);
}

/** The flags of the fields that a new credential can be given. */
const givenFlags = flagsOfRows(givenFields);

const fields: FieldFlags = {
  id: '--id',
  method: '--method',
  methods: '--method',
  appKey: '--app-key',
  appKeyHash: '--hash-only',
  appSecret: '--secret-from',
  publicKey: '--public-key',
  ...knownByFields,
  ...givenFlags,
};

interface IssueFlags extends NewCredentialFlags, ChangeFlags, PublicKeyFlags, KnownByFlags {
  readonly method: AuthenticationMethod;
  readonly appKey?: string;
}

/** Adds `postern credential issue`. */
export function registerCredentialIssue(noun: Command, context: CommandContext): void {
  const command = noun
    .command('issue')
    .description('Give a consumer a credential: an App Key, or what tokens or certificates it is known by. Prints it.')
    .addOption(methodOption().makeOptionMandatory())
    .option('--public-key <file>', 'in place of an App Secret: PEM, a certificate or a JWK; - reads standard input')
    .option('--kid <id>', 'which key of a JWK set in --public-key')
    .option('--app-key <key>', 'beside --public-key: what the partner sends as key id, or "thumbprint"');
  addChangeAction(addNewCredentialFlags(addKnownByOptions(command)), context, {
    isSealing: true,
    notes: `For key, the App Key is the secret and there is no App Secret. For http-message-signature, and for oauth2 if you like,
the partner makes a key pair and you give its public key: ${TAKEN_KINDS} of ${String(MIN_RSA_BITS)} to ${String(MAX_RSA_BITS)} bits. A private key is refused. For jwt and certificate there is no App Key and nothing secret: the credential says which tokens or certificates are the consumer's.`,
    examples: [
      'postern credential issue --consumer acme --method http-message-signature --public-key acme.pem --app-key thumbprint',
      'postern credential issue --consumer acme --method hmac',
      'postern credential issue --consumer acme --method key --expires 90d --hash-only',
      'postern credential issue --consumer acme --method oauth2 -o json > acme-credential.json',
      'postern credential issue --consumer acme --method jwt --issuer partner-idp --claim azp=acme-batch',
      'postern credential issue --consumer acme --method certificate --certificate acme.pem',
      'postern credential issue --consumer acme --method certificate --certificate-uri spiffe://acme.example/batch --authority acme-ca.pem',
    ],
    exits: { notFound: 'no such consumer or issuer', conflict: 'taken' },
    plan: async (store, flags: IssueFlags) => await planIssue(store, flags, context),
  });
}

async function planIssue({ resources }: OpenedStore, flags: IssueFlags, context: CommandContext): Promise<Plan> {
  const { consumer: consumerId, method } = flags;
  const { resource: consumer } = await requireResource(resources, 'consumer', consumerId);
  const publicKey = readKeyFor(flags);
  const kind = publicKey === null ? materialKindOf([method]) : 'public-key';
  const pair = newPair(kind, publicKey, flags.appKey ?? null);
  const knownBy = readKnownByFlags(flags);
  if (kind === 'token-claims' && flags.issuer !== undefined) await requireResource(resources, 'issuer', flags.issuer);
  const { id, changes } = await planNew(flags, [method], { ...pair, publicKey, knownBy }, resources, context);
  const credential = changes.flatMap((change) => (change.kind === 'credential' ? (change.after ?? []) : []))[0];
  if (credential === undefined) throw new Error('no credential was planned');
  const disabled = `the consumer ${consumerId} is disabled: the credential is refused until it is enabled`;
  return {
    changes,
    notes: [
      ...(consumer.enabled ? [] : [disabled]),
      ...(flags.dryRun === true && pair.appKey !== null && (publicKey === null || flags.appKey === undefined)
        ? ['each run generates other keys; these are not kept']
        : []),
    ],
    done: `Credential ${id} issued to ${consumerId}.`,
    outcome: {
      ...(await handOver(credential, pair, resources, context)),
      whenUnknown:
        pair.appKey === null
          ? `If the credential was not made, issue it again.`
          : `Keep what is printed: if the credential was made, it is what ${consumerId} gets. If it was not, issue it again.`,
    },
  };
}

/** The key that the flags give. Throws `UsageError` where one is missing, or an App Key has none beside it. */
function readKeyFor(flags: IssueFlags): PublicKey | null {
  const publicKey = readPublicKeyFlags(flags);
  if (publicKey !== null) return publicKey;
  if (materialKindOf([flags.method]) === 'public-key') {
    throw new UsageError(`--public-key is missing: a credential for ${flags.method} has the public key of its partner`);
  }
  if (flags.appKey === undefined) return null;
  throw new UsageError('--app-key goes with --public-key; "credential import" takes over an App Key with its secret');
}

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

/** Plans the credential that the flags describe. */
async function planNew(
  { consumer: consumerId, hashOnly, ...flags }: NewCredentialFlags,
  methods: readonly AuthenticationMethod[],
  {
    appKey,
    appSecret,
    publicKey,
    knownBy,
  }: HandedOver & { readonly publicKey: PublicKey | null; readonly knownBy: Declared | null },
  store: ResourceStore,
  { clock }: CommandContext,
): Promise<{ readonly id: string; readonly changes: readonly Change[] }> {
  const nowSeconds = clock.nowSeconds();
  const wish = {
    id: flags.id ?? null,
    consumerId,
    methods,
    appKey,
    appSecret,
    publicKey,
    keepsHashOnly: hashOnly === true,
    fields: { ...declareGiven(wishOf(flags, givenFlags), nowSeconds), ...knownBy },
  };
  const { id, planned } = await planCredential(wish, store, nowSeconds);
  const isKey = materialFacts[materialKindIn({ methods })].appKey === 'secret';
  return { id, changes: changesOf(planned, isKey ? { ...fields, appKey: '--secret-from' } : fields) };
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

import { type Command, Option } from 'commander';
import { MIN_CHARACTERS_TO_SHOW } from '../../resources/app-key-end.ts';
import { declareWholeCredential } from '../../resources/credential.ts';
import { shownFields } from '../../resources/credential-fields.ts';
import { type DueQuery, spansOf } from '../../resources/changes/due-spans.ts';
import { isKept } from '../../model/kept-secret.ts';
import type { Secret } from '../../model/secret.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import { listDue, listFound } from '../../resources/changes/list-due.ts';
import {
  declareUse,
  endsWithin,
  isFormerInUse,
  isUnusedFor,
  readShownCredentials,
  type ShownCredential,
  shownStates,
  stateAt,
} from '../../resources/changes/shown-credential.ts';
import { readUsableEndpoints, type UsableEndpoint } from '../../resources/changes/usable-endpoints.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import { appSecretOf, canBeTried, formerEndOf, formerSecretOf, materialFacts } from '../../model/material.ts';
import { addNoun, type CommandContext } from '../command.ts';
import { matchOf } from '../endpoint/endpoint.ts';
import { UsageError } from '../failure.ts';
import type { StoreFlags } from '../flags/options.ts';
import { parseSpan } from '../flags/times.ts';
import { parseCount, parseId } from '../flags/values.ts';
import { formatData } from '../render/data.ts';
import { type ListView, printList, printSection } from '../render/list.ts';
import { count } from '../../base/text/printable.ts';
import {
  type Field,
  formatDistance,
  formatGrantLimits,
  formatLimits,
  formatTimeFrom,
  printFields,
  versionFields,
} from '../render/text.ts';
import type { OpenedStore } from '../opened-store.ts';
import { addReadAction, requireResource, selectFrom } from '../store/read-store.ts';
import { exampleCommands, publicUrlOf, signedExample, tryLines } from './handed-over.ts';
import { registerCredentialEdit } from './edit.ts';
import { registerCredentialFind } from './find.ts';
import { registerCredentialImport } from './import.ts';
import { registerCredentialIssue } from './issue.ts';
import { methodOption } from './new-credential.ts';
import { registerCredentialRevoke, registerCredentialRotate } from './rotate.ts';
import { credentialView, shownAppKey } from './credential-view.ts';
import { knownByFields } from '../../resources/known-by.ts';

/** Adds `postern credential` with its verbs. */
export function registerCredential(program: Command, context: CommandContext): void {
  const about = 'Credentials of consumers: App Keys with App Secrets or public keys, claims of tokens, certificates.';
  const noun = addNoun(program, 'credential', about, 'credential issue --consumer acme --method hmac');
  registerCredentialIssue(noun, context);
  registerCredentialEdit(noun, context);
  registerCredentialList(noun, context);
  registerCredentialShow(noun, context);
  registerCredentialFind(noun, context);
  registerCredentialRotate(noun, context);
  registerCredentialRevoke(noun, context);
  registerCredentialImport(noun, context);
}

interface ListFlags extends StoreFlags {
  readonly consumer?: string;
  readonly method?: AuthenticationMethod;
  readonly state?: string;
  readonly expiring?: number;
  readonly unused?: number;
  readonly formerInUse?: true;
  readonly limit?: number;
}

/** Where flags leave none, which is often the good answer: nothing is about to end, or all partners changed over. */
const NONE_FITS = 'No credential fits these flags.';

function registerCredentialList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List credentials with their state and when they were last used, without secrets.')
    .option('--consumer <id>', 'those of this consumer', parseId)
    .addOption(methodOption())
    .addOption(new Option('--state <state>', 'those in this state').choices(shownStates))
    .option('--expiring <span>', 'those that work, and end within this time, such as 30d', parseSpan)
    .option('--unused <span>', 'those that work and were not used for this time, such as 90d', parseSpan)
    .option('--former-in-use', 'those whose former secret or key will end, and is still used')
    .option('--limit <number>', 'list this many at most', parseCount);
  addReadAction(command, context, {
    notes: `States: active; rotating, a former App Secret or public key still works; retiring, works until it ends; not-yet-valid; expired; revoked.`,
    examples: [
      'postern credential list --consumer acme',
      'postern credential list --expiring 30d',
      'postern credential list --unused 90d -o json',
    ],
    exits: { notFound: 'no such consumer' },
    needsSecrets: () => 'where-possible',
    show: async (store, flags: ListFlags) => {
      const { resources, usage, file } = store;
      const { consumer, method, state, expiring, unused, formerInUse, limit, output } = flags;
      if (unused !== undefined && file !== null) {
        throw new UsageError(`--unused: when a credential was used is kept in MongoDB, not in ${file}`);
      }
      if (formerInUse === true && file !== null) {
        throw new UsageError(`--former-in-use: when a credential was used is kept in MongoDB, not in ${file}`);
      }
      if (consumer !== undefined) await requireResource(resources, 'consumer', consumer);
      const now = context.clock.nowSeconds();
      const isWanted = ({ resource }: Stored<ManagedCredential>): boolean =>
        (method === undefined || resource.methods.includes(method)) &&
        (state === undefined || stateAt(resource, now) === state) &&
        (expiring === undefined || endsWithin(resource, expiring, now));
      const isUseWanted = (shown: ShownCredential): boolean =>
        (unused === undefined || isUnusedFor(shown, unused, now)) &&
        (formerInUse !== true || isFormerInUse(shown, now));
      const query = {
        endingSeconds: expiring ?? null,
        isFormerWanted: formerInUse === true,
        unusedSeconds: unused ?? null,
      };
      const all = consumer === undefined ? listAsDue(store, query, now) : null;
      const listed = selectFrom(all ?? resources.list('credential', { consumerId: consumer }), isWanted);
      const shown = selectFrom(readShownCredentials(listed, usage), isUseWanted, limit);
      const isNarrowed = [method, state, expiring, unused, formerInUse].some((wish) => wish !== undefined);
      const view = credentialView(now, { ...(isNarrowed && { none: NONE_FITS }), ofFormer: formerInUse === true });
      await printList(shown, view, output, context.terminal);
    },
  });
}

/** Credentials that a store finds by what is due; null where nothing is asked so, or it finds none so. */
function listAsDue(
  { resources, due, answers }: OpenedStore,
  query: DueQuery,
  nowSeconds: number,
): AsyncIterable<Stored<ManagedCredential>> | null {
  const spans = spansOf(query, nowSeconds);
  if (spans === null) return null;
  if (answers !== undefined) return listFound(resources, answers.dueIds(query));
  return due === null ? null : listDue({ resources, due }, spans);
}

interface ShowFlags extends StoreFlags {
  readonly reveal?: true;
}

interface View {
  readonly shown: ShownCredential;
  readonly isConsumerEnabled: boolean;
  readonly usable: readonly UsableEndpoint[];
}

function registerCredentialShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show all that a partner needs of a credential: state, use, endpoints and an example to copy.')
    .argument('<id>', 'its id', parseId)
    .option('--reveal', 'with the secrets, and a signed request');
  addReadAction(command, context, {
    notes: `Without --reveal, no secret is printed: for key, the App Key is one, of which the last four characters are shown
where it has ${String(MIN_CHARACTERS_TO_SHOW)} or more and the key ring is at hand.`,
    examples: ['postern credential show acme-hmac', 'postern credential show acme-hmac --reveal -o json'],
    exits: { notFound: 'no such credential' },
    needsSecrets: ({ reveal }: ShowFlags) => (reveal === true ? true : 'where-possible'),
    show: async (store, { reveal, output }: ShowFlags, id: string) => {
      const isRevealed = reveal === true;
      const view = await readView(store, id, context.clock.nowSeconds());
      if (output === 'table') printView(view, isRevealed, context);
      else context.terminal.out.write(formatData(declareView(view, isRevealed, context), output));
    },
  });
}

async function readView({ resources, usage }: OpenedStore, id: string, nowSeconds: number): Promise<View> {
  const stored = await requireResource(resources, 'credential', id);
  const consumer = await resources.find('consumer', stored.resource.consumerId);
  const used = await usage.usageOf([id]);
  // What is refused everywhere is let in nowhere, whatever the endpoints say.
  const isRefused =
    consumer?.resource.enabled !== true || ['revoked', 'expired'].includes(stateAt(stored.resource, nowSeconds));
  return {
    shown: { stored, usage: used.get(id) ?? null },
    isConsumerEnabled: consumer?.resource.enabled ?? false,
    usable: isRefused ? [] : await readUsableEndpoints(resources, stored.resource, nowSeconds),
  };
}

function declareView({ shown, usable }: View, isRevealed: boolean, { terminal }: CommandContext): object {
  const [first] = usable;
  const { resource } = shown.stored;
  return {
    ...declareWholeCredential(resource, isRevealed ? 'reveal' : 'leave-out'),
    ...declareUse(shown),
    endpoints: usable.map(({ endpoint }) => endpoint.id),
    ...(first === undefined || !canBeTried(resource.material)
      ? {}
      : { example: exampleCommands(resource, first.endpoint, publicUrlOf(terminal.environment)) }),
  };
}

function printView({ shown, isConsumerEnabled, usable }: View, isRevealed: boolean, context: CommandContext): void {
  const { terminal, clock } = context;
  const { resource } = shown.stored;
  const now = clock.nowSeconds();
  const consumer = `${resource.consumerId}${isConsumerEnabled ? '' : ' (disabled: all its credentials are refused)'}`;
  const fields: readonly Field[] = [
    ['consumer', consumer],
    ['method', resource.methods.join(', ')],
    ['state', stateAt(resource, now)],
    ...secretFields(resource, isRevealed),
    ...shownFields.map(({ name, otherwise, valueIn }): Field => {
      const value = valueIn(resource) ?? otherwise;
      return [name, typeof value === 'number' ? formatTimeFrom(value, now) : value];
    }),
    ['last used', lastUse(shown.usage?.lastUsedAt ?? null, now)],
    ...retiringFields(shown, isRevealed, now),
    ...versionFields(shown.stored, now),
  ];
  printFields(`credential ${resource.id}`, fields, terminal);
  printSection('endpoints that let it in', usable, usableView(now), terminal);
  if (resource.state === 'revoked') return;
  const publicUrl = publicUrlOf(terminal.environment);
  terminal.out.write(`\n${tryLines(resource, usable, publicUrl).join('\n')}\n`);
  const [first] = usable;
  if (!isRevealed || first === undefined) return;
  const signed = signedExample(resource, first.endpoint, publicUrl, now);
  if (signed === null) return;
  const { options } = first.endpoint;
  const word =
    'clockSkewSeconds' in options
      ? `signed now and valid for ${count(options.clockSkewSeconds, 'second')}`
      : 'with the App Key in it';
  terminal.out.write(`\nOr, ${word}:\n${signed}\n`);
}

function secretFields(credential: ManagedCredential, isRevealed: boolean): readonly Field[] {
  const { appKey, material } = credential;
  if (materialFacts[material.kind].appKey === 'derived') return knownByFields(material);
  const key = isRevealed && appKey !== null ? textOf(appKey) : shownAppKey(credential);
  if (material.kind === 'public-key') {
    const { description, thumbprint } = material.publicKey;
    return [
      ['App Key', key],
      ['public key', description],
      ['thumbprint', thumbprint],
    ];
  }
  const appSecret = appSecretOf(material);
  if (appSecret === null) return [['App Key', key]];
  return [
    ['App Key', key],
    ['App Secret', isRevealed ? textOf(appSecret) : hiddenSecret(appSecret)],
  ];
}

function hiddenSecret(secret: Secret): string {
  return isKept(secret) ? '(secret)' : '(secret; --reveal shows it)';
}

function retiringFields({ stored, usage }: ShownCredential, isRevealed: boolean, now: number): readonly Field[] {
  const { material } = stored.resource;
  const endsAt = formerEndOf(material);
  if (endsAt === null) return [];
  const end = `${endsAt <= now ? 'ended' : 'works until'} ${formatTimeFrom(endsAt, now)}`;
  const use = lastUse(usage?.retiringSecretLastUsedAt ?? null, now);
  if (material.kind === 'public-key') {
    const { thumbprint } = material.retiringPublicKey?.publicKey ?? material.publicKey;
    return [['former public key', [thumbprint, end, `last used ${use}`]]];
  }
  const former = formerSecretOf(material);
  if (former === null) return [];
  return [['former secret', [...(isRevealed ? [textOf(former)] : []), end, `last used ${use}`]]];
}

function lastUse(seconds: number | null, now: number): string {
  return seconds === null ? 'never' : formatTimeFrom(seconds, now);
}

function usableView(now: number): ListView<UsableEndpoint> {
  return {
    columns: [
      { heading: 'ENDPOINT', cell: ({ endpoint }) => endpoint.id },
      { heading: 'REQUESTS', cell: ({ endpoint }) => matchOf(endpoint), canShrink: true },
      { heading: 'BECAUSE', cell: ({ endpoint, grant }) => reasonOf(endpoint.accessCondition, grant, now) },
      {
        heading: 'LIMITS',
        cell: ({ endpoint, grant }) =>
          grant === null || grant.limits === null ? formatLimits(endpoint.limits) : formatGrantLimits(grant.limits),
        canShrink: true,
      },
    ],
    declare: ({ endpoint }) => ({ id: endpoint.id }),
    none: '',
  };
}

function reasonOf(condition: string, grant: UsableEndpoint['grant'], now: number): string {
  if (condition === 'authenticated') return 'authenticated';
  return grant === null || grant.expiresAt === null
    ? 'granted'
    : `granted, ends ${formatDistance(grant.expiresAt, now)}`;
}

import type { Command } from 'commander';
import type { UsableEndpoint } from '../../manage/credentials/usable-endpoints.ts';
import type { ManagedCredential } from '../../manage/resource.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import type { Secret } from '../../model/secret.ts';
import type { CommandContext } from '../command-context.ts';
import { matchOf } from '../endpoint/describe-endpoint.ts';
import { parseId } from '../flags/parse-id.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { formatData } from '../output-format.ts';
import { formatGrantLimits, formatLimits } from '../render/describe-limits.ts';
import { count, formatDistance, formatTimeFrom } from '../render/format-time.ts';
import { paintFor } from '../render/paint-for.ts';
import { type ListView, printSection } from '../render/render-list.ts';
import { type Field, renderFields, versionFields } from '../render/render-resource.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';
import { exampleCommands, signedExample } from './example-request.ts';
import { publicUrlOf, tryLines } from './handed-over.ts';
import { readUsableEndpoints } from './read-usable-endpoints.ts';
import { declareShownCredential, type ShownCredential, shownAppKey, stateAt } from './shown-credential.ts';

interface ShowFlags extends StoreFlags {
  readonly reveal?: true;
}

/** All that is shown. */
interface View {
  readonly shown: ShownCredential;
  readonly isConsumerEnabled: boolean;
  readonly usable: readonly UsableEndpoint[];
}

/** Adds `postern credential show`. */
export function registerCredentialShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show all that a partner needs of a credential: state, use, endpoints and an example to copy.')
    .argument('<id>', 'its id', parseId)
    .option('--reveal', 'with the secrets, and a signed request');
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Without --reveal, no secret is printed: for key, the App Key is one.

Examples:
  $ postern credential show acme-hmac
  $ postern credential show acme-hmac --reveal -o json

Exit codes: 0 done, 1 failed, 2 usage, 3 no such credential, 5 the store is unreachable.`,
    )
    .action(async (id: string, flags: ShowFlags) => {
      const use = {
        command: 'credential show',
        store: flags.store,
        timeout: flags.timeout,
        needsSecrets: flags.reveal === true,
      };
      const code = await useStore(context, use, async (store) => {
        const view = await readView(store, id, context.clock.nowSeconds());
        if (flags.output === 'table') printView(view, flags.reveal === true, context);
        else context.terminal.out.write(formatData(declareView(view, flags.reveal === true, context), flags.output));
        return exitCodes.done;
      });
      context.finish(code);
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
    ...declareShownCredential(shown, isRevealed ? 'reveal' : 'leave-out'),
    endpoints: usable.map(({ endpoint }) => endpoint.id),
    ...(first === undefined
      ? {}
      : { example: exampleCommands(resource, first.endpoint, publicUrlOf(terminal.environment)) }),
  };
}

function printView({ shown, isConsumerEnabled, usable }: View, isRevealed: boolean, context: CommandContext): void {
  const { terminal, clock } = context;
  const { resource } = shown.stored;
  const now = clock.nowSeconds();
  const paint = paintFor(terminal.out, terminal.environment);
  const consumer = `${resource.consumerId}${isConsumerEnabled ? '' : ' (disabled: all its credentials are refused)'}`;
  const fields: readonly Field[] = [
    ['consumer', consumer],
    ['method', resource.methods.join(', ')],
    ['state', stateAt(resource, now)],
    ...secretFields(resource, isRevealed),
    ['not before', resource.notBefore === null ? null : formatTimeFrom(resource.notBefore, now)],
    ['ends', resource.expiresAt === null ? 'never' : formatTimeFrom(resource.expiresAt, now)],
    ['last used', lastUse(shown.usage?.lastUsedAt ?? null, now)],
    ...retiringFields(shown, isRevealed, now),
    ...versionFields(shown.stored, now),
  ];
  terminal.out.write(renderFields(`credential ${resource.id}`, fields, paint));
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
      ? `signed now and good for ${count(options.clockSkewSeconds, 'second')}`
      : 'with the App Key in it';
  terminal.out.write(`\nOr, ${word}:\n${signed}\n`);
}

function secretFields(
  { methods, appKey, appSecret, ...rest }: ManagedCredential,
  isRevealed: boolean,
): readonly Field[] {
  const key = isRevealed && appKey !== null ? textOf(appKey) : shownAppKey({ methods, appKey, appSecret, ...rest });
  if (isAppKeySecret(methods) || appSecret === null) return [['App Key', key]];
  return [
    ['App Key', key],
    ['App Secret', isRevealed ? textOf(appSecret) : '(secret; --reveal shows it)'],
  ];
}

function retiringFields({ stored, usage }: ShownCredential, isRevealed: boolean, now: number): readonly Field[] {
  const { retiringSecret } = stored.resource;
  if (retiringSecret === null) return [];
  const isOver = retiringSecret.expiresAt <= now;
  const end = `${isOver ? 'ended' : 'works until'} ${formatTimeFrom(retiringSecret.expiresAt, now)}`;
  const use = lastUse(usage?.retiringSecretLastUsedAt ?? null, now);
  return [['former secret', [...(isRevealed ? [textOf(retiringSecret.appSecret)] : []), end, `last used ${use}`]]];
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

function textOf(secret: Secret): string {
  return secret.reveal().toString('utf8');
}

import { type Command, Option } from 'commander';
import type { Consumer } from '../../model/consumer.ts';
import { type Grant, isGroupGrant } from '../../model/grant.ts';
import type { GatewayAddress } from '../../partners/handover/target.ts';
import type { Change } from '../../resources/changes/change.ts';
import { planNewConsumer } from '../../resources/changes/plan-consumer.ts';
import { planGrant } from '../../resources/changes/plan-grant.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import type { UsableEndpoint } from '../../resources/changes/usable-endpoints.ts';
import { grantId } from '../../resources/grant.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { changesOf } from '../flags/fields.ts';
import { parseAddress } from '../flags/gateway-address.ts';
import type { ChangeFlags } from '../flags/options.ts';
import { collectId } from '../flags/values.ts';
import { grantFields } from '../grant.ts';
import { FolderRefusal, refuseUsedFolder } from '../handover/samples/folder.ts';
import { type LanguageName, languageNames } from '../handover/samples/languages.ts';
import { requireResource } from '../store/read-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';

/** The flags by which one command does all that a new partner needs. */
export interface PartnerFlags {
  readonly consumer: string;
  readonly consumerName?: string;
  readonly grant?: readonly string[];
  readonly handover?: string;
  readonly url?: GatewayAddress;
  readonly language?: LanguageName;
}

/** Adds `--consumer-name`, `--grant`, `--handover`, `--url` and `--language`. */
export function addPartnerOptions(command: Command): Command {
  return command
    .option('--consumer-name <name>', 'create the consumer, too, with this name')
    .option('--grant <endpoint>', 'authorise the consumer on this endpoint; repeatable', collectId)
    .option('--handover <dir>', 'write what the partner needs to call into this folder; it must be empty or absent')
    .option('--url <url>', 'for --handover, where partners reach Envoy: https://api.example.com', parseAddress)
    .addOption(
      new Option('--language <language>', 'for --handover, what its sample is written in; shell').choices(
        languageNames,
      ),
    );
}

/** A credential's consumer, and what is changed for it. */
interface PlannedPartner {
  readonly consumer: Consumer;
  readonly grants: readonly Grant[];
  readonly changes: readonly Change[];
}

/** The consumer as it is, or a new one where its name is given, with its grants. Rejects with `NotFound`. */
export async function planPartner(flags: PartnerFlags, store: ResourceStore): Promise<PlannedPartner> {
  const { consumer: consumerId, consumerName: name } = flags;
  const created =
    name === undefined
      ? []
      : changesOf(planNewConsumer(consumerId, { name }, await store.find('consumer', consumerId)), {
          id: '--consumer',
          name: '--consumer-name',
        });
  const [made] = created.flatMap((change) => (change.kind === 'consumer' ? (change.after ?? []) : []));
  const consumer = made ?? (await requireResource(store, 'consumer', consumerId)).resource;
  const granted: Change[] = [];
  for (const endpointId of new Set(flags.grant ?? [])) {
    await requireResource(store, 'endpoint', endpointId);
    const target = { endpointId, consumerId };
    granted.push(...changesOf(planGrant(target, {}, await store.find('grant', grantId(target))), grantFields));
  }
  const grants = granted.flatMap((change) => (change.kind === 'grant' ? (change.after ?? []) : []));
  return { consumer, grants: grants.filter((grant) => !isGroupGrant(grant)), changes: [...created, ...granted] };
}

/** Throws {@link UsageError} where no hand-over could be written as the flags say, before anything is changed. */
export async function refuseWrongHandover(
  { consumer, handover, url, language }: PartnerFlags,
  usable: readonly UsableEndpoint[],
): Promise<void> {
  if (handover === undefined) {
    if (url === undefined && language === undefined) return;
    throw new UsageError('--url and --language go with --handover, the folder that is written');
  }
  if (url === undefined)
    throw new UsageError('--url goes with --handover: the address that is written into the folder');
  if (usable.length === 0) {
    throw new UsageError(`--handover: no endpoint lets ${consumer} in with this method; name one with --grant`);
  }
  try {
    await refuseUsedFolder(handover);
  } catch (error) {
    if (!(error instanceof FolderRefusal)) throw error;
    throw new UsageError(`--handover: ${error.message}`);
  }
}

/** Writes the hand-over that the flags ask for, of a credential that is there. */
export async function writeHandover(
  credential: string,
  { handover: to, url, language = 'shell', store, timeout, output }: PartnerFlags & ChangeFlags,
  context: CommandContext,
): Promise<ExitCode> {
  if (to === undefined || url === undefined) return exitCodes.done;
  const { handOverTo } = await import('../handover/handover.ts');
  const where = { timeout, ...(store === undefined ? {} : { store }) };
  const flags = { credential: [credential], url, to, language, output: 'markdown', ...where } as const;
  return await handOverTo(flags, context, output === 'table' ? 'out' : 'err');
}

import { type Command, Option } from 'commander';
import { generateCredentialId } from '../../manage/credentials/generate-credential-id.ts';
import { planRotation } from '../../manage/credentials/plan-rotation.ts';
import { generatePair } from '../../manage/generate-pair.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import { Conflict } from '../../manage/resource-store.ts';
import { isUnopened } from '../../keyring/sealed.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { parseSpan } from '../flags/parse-moment.ts';
import {
  addChangeOptions,
  addNewRingOption,
  addRevisionOption,
  type ChangeFlags,
  type NewRingFlag,
} from '../flags/store-options.ts';
import { UsageError } from '../partner/usage-error.ts';
import { formatTimeFrom } from '../render/format-time.ts';
import { paintFor } from '../render/paint-for.ts';
import { changeStore, type Plan } from '../store/change-store.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { declareHandedOver, renderHandedOver } from './handed-over.ts';
import { readUsableEndpoints } from './read-usable-endpoints.ts';

interface RotateFlags extends ChangeFlags, NewRingFlag {
  readonly grace: number;
  readonly force?: true;
  readonly id?: string;
  readonly revision?: number;
}

const DEFAULT_GRACE = '7d';

/** Adds `postern credential rotate`. */
export function registerCredentialRotate(noun: Command, context: CommandContext): void {
  const command = noun
    .command('rotate')
    .description('Give a credential a new secret; the former one works on for a while.')
    .argument('<id>', 'its id', parseId)
    .addOption(
      new Option('--grace <span>', 'how long the former secret works on: 7d, 12h; 0 ends it at once')
        .argParser(parseSpan)
        .default(parseSpan(DEFAULT_GRACE), DEFAULT_GRACE),
    )
    .option('--force', 'also while the former secret of the last rotation works: it ends now')
    .option('--id <id>', 'key only: the id of the second credential; CONSUMER-key-… without it', parseId);
  addNewRingOption(addChangeOptions(addRevisionOption(command)))
    .addHelpText(
      'after',
      `
The App Key stays and the App Secret is new. For key, where the App Key is the secret, a second credential is issued and
the former one retires. "credential show" tells when the former secret was last used. A former secret that the key ring does
not open ends at once; when the ring is lost, --new-key-ring gives new secrets with another one.

Examples:
  $ postern credential rotate acme-hmac --grace 7d
  $ postern credential rotate acme-hmac --grace 0 --force

Exit codes: 0 done, 1 failed, 2 usage, 3 no such credential, 4 revoked, ended or in rotation, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: RotateFlags) => {
      const needsSecrets = flags.newKeyRing === true ? 'new-ring' : 'new';
      const makePlan = async (store: OpenedStore): Promise<Plan> => await planRotate(store, id, flags, context);
      const code = await changeStore(context, 'credential rotate', flags, makePlan, needsSecrets);
      context.finish(code);
    });
}

async function planRotate(
  { resources }: OpenedStore,
  id: string,
  flags: RotateFlags,
  { terminal, clock }: CommandContext,
): Promise<Plan> {
  const nowSeconds = clock.nowSeconds();
  const current = await requireResource(resources, 'credential', id);
  guardRevision('credential', id, current, flags.revision);
  const { methods, consumerId, appKey } = current.resource;
  const isKey = isAppKeySecret(methods);
  if (flags.id !== undefined && !isKey) {
    throw new UsageError(`--id is for key alone, where a second credential follows; ${id} keeps its id`);
  }
  const pair = generatePair(methods);
  const planned = planRotation(
    current,
    {
      pair,
      successorId: flags.id ?? generateCredentialId(consumerId, 'key'),
      graceSeconds: flags.grace,
      endsFormerSecret: flags.force === true,
    },
    nowSeconds,
  );
  if ('conflict' in planned) throw new Conflict(planned.conflict);
  const { changes, carrier, formerEndsAt } = planned;
  const handedOver = {
    credential: carrier,
    appKey: ((isKey ? null : appKey) ?? pair.appKey).reveal().toString('utf8'),
    appSecret: pair.appSecret?.reveal().toString('utf8') ?? null,
    usable: await readUsableEndpoints(resources, carrier, nowSeconds),
  };
  const former = isKey ? `The former credential ${id}` : 'The former App Secret';
  const end =
    formerEndsAt <= nowSeconds ? 'is refused from now on' : `works until ${formatTimeFrom(formerEndsAt, nowSeconds)}`;
  const paint = paintFor(terminal.out, terminal.environment);
  return {
    changes,
    // The secret that somebody else made meanwhile would end unseen.
    isOnce: true,
    notes: [
      ...(isKey || !isUnopened(current.resource.appSecret)
        ? []
        : ['the key ring does not open the former App Secret: it ends now, whatever the grace period']),
      ...(flags.dryRun === true ? ['each run generates other secrets; these are not kept'] : []),
    ],
    done: `Credential ${id} rotated${isKey ? `: ${carrier.id} follows it` : ''}. ${former} ${end}.`,
    outcome: {
      text: renderHandedOver(handedOver, terminal.environment, paint),
      data: declareHandedOver(handedOver),
      whenUnknown: `Keep what is printed: if it was made, this is the secret that ${consumerId} needs, and ${isKey ? 'the former credential' : 'the former App Secret'} ${end}. If it was not, the former one works on; rotate again.`,
    },
  };
}

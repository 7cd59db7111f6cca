import { type Command, Option } from 'commander';
import { isUnopened } from '../../model/keyring/sealed.ts';
import { DEFAULT_GRACE, planOwnRotation } from '../../resources/changes/issue-credential.ts';
import { knownByAfter } from '../../resources/changes/known-by-after.ts';
import { planRevocation } from '../../resources/changes/plan-credential.ts';
import { findNearEnd } from '../../resources/changes/rotation/plan-rotation.ts';
import { guardRevision } from '../../resources/changes/resource-store.ts';
import { readUsableEndpoints } from '../../resources/changes/usable-endpoints.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { Labels } from '../../model/labels.ts';
import { appSecretOf, canBeTried, materialFacts } from '../../model/material.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { addRevisionOption } from '../flags/options.ts';
import { type PublicKeyFlags, readPublicKeyFlags } from '../flags/public-key.ts';
import { wrongFlags } from '../flags/fields.ts';
import {
  addKnownByOptions,
  knownByFields,
  type KnownByFlags,
  knownByGiven,
  readKnownByFlags,
} from '../flags/known-by.ts';
import { conflictOf } from '../flags/remedies.ts';
import { parseSpan } from '../flags/times.ts';
import { collectId, collectLabel, parseId } from '../flags/values.ts';
import { formatDistance, formatTimeFrom } from '../render/text.ts';
import { addChangeAction, type Plan } from '../store/change-store.ts';
import { canReveal, type OpenedStore } from '../opened-store.ts';
import { requireResource } from '../store/read-store.ts';
import { addResourceAction } from '../store/resource-verbs.ts';
import { handOver } from './handed-over.ts';
import { methodOption } from './new-credential.ts';
import { type ManyFlags, rotateMany } from './rotation/rotate-many.ts';
import type { RunWish } from './rotation/rotation-lines.ts';

interface RotateFlags extends ManyFlags, PublicKeyFlags, KnownByFlags {
  readonly grace: number;
  readonly force?: true;
  readonly id?: string;
  readonly revision?: number;
  readonly label?: Labels;
  readonly consumer?: readonly string[];
  readonly endpoint?: string;
  readonly all?: true;
  readonly method?: AuthenticationMethod;
}

/** Adds `postern credential rotate`. */
export function registerCredentialRotate(noun: Command, context: CommandContext): void {
  const command = noun
    .command('rotate')
    .description(
      'Give a credential, or those of many consumers, a new secret; the former one works for a grace period.',
    )
    .argument('[id]', 'its id; or say whose with --label, --consumer, --endpoint or --all', parseId)
    .addOption(
      new Option('--grace <span>', 'how long the former secret still works: 7d, 12h; 0 ends it at once')
        .argParser(parseSpan)
        .default(parseSpan(DEFAULT_GRACE), DEFAULT_GRACE),
    )
    .option('--public-key <file>', 'the new key of a credential that has one: PEM, a certificate or a JWK; - for stdin')
    .option('--kid <id>', 'which key of a JWK set in --public-key')
    .option('--force', 'also while the former secret of the last rotation works: it ends now')
    .option(
      '--id <id>',
      'key, jwt, certificate: the id of the second credential; CONSUMER-METHOD-… when left out',
      parseId,
    )
    .option('--label <name=value>', 'many: those of consumers that carry it; repeatable, all of them', collectLabel)
    .option('--consumer <id>', 'many: those of this consumer; repeatable', collectId)
    .option('--endpoint <id>', 'many: those with which consumers may call this endpoint', parseId)
    .option('--all', 'many: those of every consumer')
    .addOption(methodOption())
    .option('--out <file>', 'many: the file that the new secrets are written to, which only you can read');
  addRevisionOption(addKnownByOptions(command));
  addChangeAction<RotateFlags, [id: string | undefined]>(command, context, {
    isAsking: true,
    isSealing: true,
    notes: `The App Key stays and the App Secret is new; of a credential with a public key, --public-key gives the new one. For key, where the App Key is the secret, a second credential is issued and
the former one retires; so it is for jwt and certificate, with what --claim, --certificate and the like say. "credential show" shows when the former secret was last used. A former secret that the key ring
cannot open ends at once; when the ring is lost, --new-key-ring creates new secrets with another one.

With --label, --consumer, --endpoint or --all it shows whose credentials it rotates, asks, and rotates one after the
other. Each new secret is in the file of --out before it can be in force. When it is interrupted, the same command goes
on, and rotates none twice. Disabled consumers are left out, unless --grace is 0.`,
    examples: [
      'postern credential rotate acme-hmac --grace 7d',
      'postern credential rotate acme-hmac --grace 0 --force',
      'postern credential rotate acme-signer --public-key acme-2027.pem --grace 7d',
      'postern credential rotate acme-certificate --certificate acme-2027.pem --grace 14d',
      'postern credential rotate --label tier=gold --grace 14d --dry-run',
      'postern credential rotate --label tier=gold --grace 14d --out gold.jsonl',
      'postern credential rotate --endpoint orders --grace 14d --out orders.jsonl',
      'postern credential rotate --all --grace 0 --force --out leaked.jsonl',
    ],
    exits: {
      failed: 'failed, not confirmed or stopped',
      notFound: 'no such credential, consumer or endpoint',
      conflict: 'revoked, ended, in rotation or changed by others',
    },
    inManySteps: (store, flags, id) => {
      const wish = readWish(flags, id);
      return wish === null ? null : rotateMany(wish, { store, flags, context });
    },
    plan: async (store, flags, id = '') => {
      const current = await requireResource(store.resources, 'credential', id);
      guardRevision('credential', id, current, flags.revision);
      return await planRotate(current, flags, store, context);
    },
  });
}

/** Whose credentials are rotated; null for the one of an id. Throws {@link UsageError} for flags that do not fit. */
function readWish(flags: RotateFlags, id: string | undefined): RunWish | null {
  const { label, consumer = [], endpoint, all, method, out, grace, force } = flags;
  const narrowed = firstGiven({ label, consumer: flags.consumer, endpoint });
  if (id !== undefined) {
    const name = narrowed ?? firstGiven({ all, method, out });
    if (name === undefined) return null;
    throw new UsageError(`--${name} is for many: leave out ${id}, or --${name}`);
  }
  if (all === undefined && narrowed === undefined) {
    throw new UsageError('name a credential, or say whose with --label, --consumer, --endpoint or --all');
  }
  if (all !== undefined && narrowed !== undefined) {
    throw new UsageError(`--all is for every consumer: leave it out, or --${narrowed}`);
  }
  const { id: successor, revision, publicKey, kid } = flags;
  const single = firstGiven({ id: successor, revision, 'public-key': publicKey, kid, ...knownByGiven(flags) });
  if (single !== undefined) throw new UsageError(`--${single} is for one credential, which has to be named`);
  return {
    labels: label ?? {},
    consumerIds: [...new Set(consumer)].sort(),
    method: method ?? null,
    endpointId: endpoint ?? null,
    graceSeconds: grace,
    endsFormerSecret: force === true,
  };
}

/** The name of the first flag that was given. */
function firstGiven(flags: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(flags).find(([, value]) => value)?.[0];
}

async function planRotate(
  current: Stored<ManagedCredential>,
  flags: RotateFlags,
  store: OpenedStore,
  context: CommandContext,
): Promise<Plan> {
  const nowSeconds = context.clock.nowSeconds();
  const { id, material, consumerId } = current.resource;
  const { appKey: kindOfKey } = materialFacts[material.kind];
  const isKey = kindOfKey !== 'public';
  if (flags.id !== undefined && !isKey) {
    throw new UsageError(`--id is for key, jwt and certificate, where a second credential follows; ${id} keeps its id`);
  }
  const wish = {
    graceSeconds: flags.grace,
    endsFormerSecret: flags.force === true,
    successorId: flags.id ?? null,
    publicKey: readPublicKeyFlags(flags),
    knownBy: knownByAfter(material, readKnownByFlags(flags)),
  };
  const planned = planOwnRotation(current, wish, nowSeconds);
  if ('conflict' in planned) throw conflictOf(planned);
  if ('problems' in planned) throw wrongFlags(planned.problems, knownByFields);
  const { changes, carrier, formerEndsAt, handedOver } = planned;
  const usable = await readUsableEndpoints(store.resources, carrier, nowSeconds);
  const nearEnd = findNearEnd(carrier, nowSeconds);
  const former = isKey ? `The former credential ${id}` : `The former ${materialFacts[material.kind].rotated}`;
  const end =
    formerEndsAt <= nowSeconds ? 'is refused from now on' : `works until ${formatTimeFrom(formerEndsAt, nowSeconds)}`;
  return {
    changes,
    // Planned again, it would end a secret that another operator has just created.
    isOnce: true,
    notes: [
      ...(isKey || !isUnopened(appSecretOf(material))
        ? []
        : ['the key ring does not open the former App Secret: it ends now, whatever the grace period']),
      ...(nearEnd === null
        ? []
        : [`${carrier.id} ${keepsEnd(nearEnd, nowSeconds)}; "credential issue" makes one that ends later`]),
      ...(flags.dryRun === true && canBeTried(material)
        ? ['each run generates other secrets; these are not kept']
        : []),
    ],
    done: `Credential ${id} rotated${isKey ? `: ${carrier.id} follows it` : ''}. ${former} ${end}.${nearEnd === null ? '' : ` ${carrier.id} ${keepsEnd(nearEnd, nowSeconds)}.`}`,
    outcome: {
      ...handOver(carrier, handedOver, { usable, writtenTo: null, canReveal: canReveal(store) }, context),
      whenUnknown:
        material.kind === 'public-key'
          ? `If it was made, the former public key ${end}. If it was not, it works on; rotate again.`
          : kindOfKey === 'derived'
            ? `If it was made, the former credential ${end}. If it was not, it works on; rotate again.`
            : `Keep what is printed: if it was made, this is the secret that ${consumerId} needs, and ${isKey ? 'the former credential' : 'the former App Secret'} ${end}. If it was not, the former one works on; rotate again.`,
    },
  };
}

function keepsEnd(endsAt: number, nowSeconds: number): string {
  return `keeps the end that the credential had, ${formatTimeFrom(endsAt, nowSeconds)}`;
}

/** Adds `postern credential revoke`. */
export function registerCredentialRevoke(noun: Command, context: CommandContext): void {
  const command = noun.command('revoke').description('Refuse a credential, with its former secret and its tokens.');
  addResourceAction(command, context, 'credential', {
    isAsking: true,
    notes: '"credential issue" creates another one. Only "audit revert --revive" and "apply --revive" bring it back.',
    examples: ['postern credential revoke acme-hmac', 'postern credential revoke acme-hmac --yes'],
    plan: async (current, _flags, { usage }) => {
      const { id, consumerId } = current.resource;
      const lastUsedAt = (await usage.usageOf([id])).get(id)?.lastUsedAt ?? null;
      const used =
        lastUsedAt === null ? 'never used' : `last used ${formatDistance(lastUsedAt, context.clock.nowSeconds())}`;
      return {
        changes: planRevocation(current),
        question: `Revoke the credential ${id} of ${consumerId} (${used})?`,
        done: `Credential ${id} revoked: it is refused from now on.`,
        already: `Credential ${id} is revoked already.`,
      };
    },
  });
}

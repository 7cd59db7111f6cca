import type { Command } from 'commander';
import type { Planned } from '../../manage/change.ts';
import { guardRevision } from '../../manage/resource-store.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import { changeExits, type CommandContext, helpText } from '../command.ts';
import {
  addChangeOptions,
  addNewRingOption,
  addRevisionOption,
  addYesOption,
  type ChangeFlags,
  type NewRingFlag,
  secretsForSealing,
} from '../flags/options.ts';
import { parseId } from '../flags/values.ts';
import { changesOf, changeStore, type FlagOf, type Plan } from './change-store.ts';
import type { OpenedStore } from './open-store.ts';
import { requireResource } from './read-store.ts';

/** What differs between verbs that change a resource that is there. `F` are the flags of its own. */
interface ResourceVerb<K extends ResourceKind, F> {
  /** Also the name of the noun. */
  readonly kind: K;
  readonly verb: string;
  readonly description: string;
  readonly addFlags?: (command: Command) => Command;
  /** Whether it asks first, and so has `--yes`. */
  readonly isAsking?: boolean;
  /** Whether it seals new secrets, and so has `--new-key-ring`. */
  readonly isSealing?: boolean;
  readonly notes?: string;
  /** Command lines without `postern` and the noun. */
  readonly examples: readonly string[];
  /** When it ends with exit code 4. */
  readonly conflict?: string;
  readonly plan: (current: Stored<ResourceOf[K]>, flags: F & ChangeFlags, store: OpenedStore) => Plan | Promise<Plan>;
}

/**
 * Adds to a noun a verb that changes one resource: by its id, and with `--revision` only while nobody else has changed it
 * (interfaces §5).
 */
export function addResourceVerb<K extends ResourceKind, F>(
  noun: Command,
  context: CommandContext,
  { kind, verb, description, addFlags, isAsking = false, isSealing = false, plan, ...help }: ResourceVerb<K, F>,
): void {
  const command = noun.command(verb).description(description).argument('<id>', 'its id', parseId);
  addFlags?.(command);
  addRevisionOption(command);
  if (isAsking) addYesOption(command);
  addChangeOptions(command);
  if (isSealing) addNewRingOption(command);
  command
    .addHelpText(
      'after',
      helpText({
        ...(help.notes === undefined ? {} : { notes: help.notes }),
        examples: help.examples.map((line) => `postern ${kind} ${line}`),
        exits: {
          ...changeExits,
          ...(isAsking ? { failed: 'failed or not confirmed' } : {}),
          notFound: `no such ${kind}`,
          conflict: help.conflict ?? 'changed by others',
        },
      }),
    )
    .action(async (id: string, flags: F & ChangeFlags & NewRingFlag & { readonly revision?: number }) => {
      const makePlan = async (store: OpenedStore): Promise<Plan> => {
        const current = await requireResource(store.resources, kind, id);
        guardRevision(kind, id, current, flags.revision);
        return await plan(current, flags, store);
      };
      await changeStore(context, `${kind} ${verb}`, flags, makePlan, isSealing && secretsForSealing(flags));
    });
}

/** Adds `enable` and `disable` to a noun. `about` says in a sentence what each does. */
export function addEnableVerbs<K extends 'endpoint' | 'consumer'>(
  noun: Command,
  context: CommandContext,
  kind: K,
  about: {
    readonly enable: string;
    readonly disable: string;
    /** An id, for the example. */
    readonly example: string;
    readonly plan: (current: Stored<ResourceOf[K]>, enabled: boolean) => Planned;
    readonly flagOf: FlagOf;
  },
): void {
  const name = kind === 'endpoint' ? 'Endpoint' : 'Consumer';
  for (const verb of ['enable', 'disable'] as const) {
    addResourceVerb(noun, context, {
      kind,
      verb,
      description: about[verb],
      examples: [`${verb} ${about.example}`],
      plan: (current) => {
        const { id } = current.resource;
        return {
          changes: changesOf(about.plan(current, verb === 'enable'), about.flagOf),
          done: `${name} ${id} ${verb}d.`,
          already: `${name} ${id} is ${verb}d already.`,
        };
      },
    });
  }
}

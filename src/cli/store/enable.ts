import type { Command } from 'commander';
import { guardRevision } from '../../manage/resource-store.ts';
import type { Planned } from '../../manage/change.ts';
import type { ResourceOf, Stored } from '../../resources/resource.ts';
import type { CommandContext } from '../command.ts';
import { addChangeOptions, addRevisionOption, type ChangeFlags } from '../flags/options.ts';
import { parseId } from '../flags/values.ts';
import { changesOf, changeStore, type FlagOf } from './change-store.ts';
import { requireResource } from './read-store.ts';

/** What can be enabled and disabled. */
type Switched = 'endpoint' | 'consumer';

/** How a noun is enabled and disabled. */
interface EnableVerbs<K extends Switched> {
  readonly kind: K;
  /** What each verb does, a sentence. */
  readonly enable: string;
  readonly disable: string;
  /** An id, for the example. */
  readonly example: string;
  readonly plan: (current: Stored<ResourceOf[K]>, enabled: boolean) => Planned;
  readonly flagOf: FlagOf;
}

/** Adds `enable` and `disable` to the command of a noun (interfaces §5). */
export function registerEnable<K extends Switched>(
  noun: Command,
  context: CommandContext,
  verbs: EnableVerbs<K>,
): void {
  add(noun, context, verbs, true);
  add(noun, context, verbs, false);
}

function add<K extends Switched>(
  noun: Command,
  context: CommandContext,
  { kind, plan, flagOf, example, ...descriptions }: EnableVerbs<K>,
  enabled: boolean,
): void {
  const verb = enabled ? 'enable' : 'disable';
  const name = kind === 'endpoint' ? 'Endpoint' : 'Consumer';
  const command = noun.command(verb).description(descriptions[verb]).argument('<id>', 'its id', parseId);
  addChangeOptions(addRevisionOption(command))
    .addHelpText(
      'after',
      `
Example:
  $ postern ${kind} ${verb} ${example}

Exit codes: 0 done, 1 failed, 2 usage, 3 no such ${kind}, 4 changed meanwhile, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (id: string, flags: ChangeFlags & { readonly revision?: number }) => {
      await changeStore(context, `${kind} ${verb}`, flags, async ({ resources }) => {
        const current = await requireResource(resources, kind, id);
        guardRevision(kind, id, current, flags.revision);
        return {
          changes: changesOf(plan(current, enabled), flagOf),
          done: `${name} ${id} ${verb}d.`,
          already: `${name} ${id} is ${verb}d already.`,
        };
      });
    });
}

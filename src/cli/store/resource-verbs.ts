import type { Command } from 'commander';
import type { Planned } from '../../resources/changes/change.ts';
import { guardRevision } from '../../resources/changes/resource-store.ts';
import type { Wish } from '../../resources/changes/wish.ts';
import type { ResourceKind, ResourceOf, Stored } from '../../resources/resource.ts';
import type { CommandContext } from '../command.ts';
import { changesOf } from '../flags/fields.ts';
import { addRevisionOption, type ChangeFlags } from '../flags/options.ts';
import { parseId } from '../flags/values.ts';
import { addChangeAction, type ChangeAction, type Plan } from './change-store.ts';
import type { OpenedStore } from '../opened-store.ts';
import { requireResource } from './read-store.ts';

/** What differs between verbs that change a resource that is there. `F` are the flags of its own. */
interface ResourceAction<K extends ResourceKind, F> extends Omit<ChangeAction<F, [id: string]>, 'plan'> {
  readonly plan: (current: Stored<ResourceOf[K]>, flags: F & ChangeFlags, store: OpenedStore) => Plan | Promise<Plan>;
}

/**
 * Makes a command change one resource, {@link addChangeAction}: by its id, and with `--revision` only while no other
 * caller has changed it (interfaces §5).
 */
export function addResourceAction<K extends ResourceKind, F>(
  command: Command,
  context: CommandContext,
  kind: K,
  { plan, exits, ...action }: ResourceAction<K, F>,
): void {
  addRevisionOption(command.argument('<id>', 'its id', parseId));
  addChangeAction<F & { readonly revision?: number }, [id: string]>(command, context, {
    ...action,
    exits: { notFound: `no such ${kind}`, conflict: 'changed by others', ...exits },
    plan: async (store, flags, id) => {
      const current = await requireResource(store.resources, kind, id);
      guardRevision(kind, id, current, flags.revision);
      return await plan(current, flags, store);
    },
  });
}

/** Adds `enable` and `disable` to a noun. `about` says in a sentence what each does. */
export function addEnableVerbs<K extends 'endpoint' | 'consumer' | 'issuer' | 'operator'>(
  noun: Command,
  context: CommandContext,
  kind: K,
  about: { readonly enable: string; readonly disable: string; readonly exampleId: string },
  edit: (current: Stored<ResourceOf[K]>, wish: Wish) => Planned,
): void {
  for (const verb of ['enable', 'disable'] as const) {
    addResourceAction(noun.command(verb).description(about[verb]), context, kind, {
      examples: [`postern ${kind} ${verb} ${about.exampleId}`],
      plan: (current) => {
        const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${current.resource.id}`;
        return {
          changes: changesOf(edit(current, { enabled: verb === 'enable' }), {}),
          done: `${name} ${verb}d.`,
          already: `${name} is ${verb}d already.`,
        };
      },
    });
  }
}

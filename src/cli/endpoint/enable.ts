import type { Command } from 'commander';
import { planEndpointEdit } from '../../manage/endpoints/plan-endpoint.ts';
import { guardRevision } from '../../manage/guard-revision.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { addChangeOptions, addRevisionOption, type ChangeFlags } from '../flags/store-options.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore } from '../store/change-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { endpointFlagOf } from './endpoint-flags.ts';

/** Adds `postern endpoint enable` and `disable`. */
export function registerEndpointEnable(noun: Command, context: CommandContext): void {
  add(noun, context, true, 'Take the requests of an endpoint again.');
  add(noun, context, false, 'Refuse all requests of an endpoint with 404; they fall to no other one.');
}

function add(noun: Command, context: CommandContext, enabled: boolean, description: string): void {
  const verb = enabled ? 'enable' : 'disable';
  const command = noun.command(verb).description(description).argument('<id>', 'its id', parseId);
  addChangeOptions(addRevisionOption(command))
    .addHelpText(
      'after',
      `
Example:
  $ postern endpoint ${verb} orders

Exit codes: 0 done, 1 failed, 2 usage, 3 no such endpoint, 4 changed meanwhile, 5 the store is unreachable.`,
    )
    .action(async (id: string, flags: ChangeFlags & { readonly revision?: number }) => {
      const code = await changeStore(context, `endpoint ${verb}`, flags, async ({ resources }) => {
        const current = await requireResource(resources, 'endpoint', id);
        guardRevision('endpoint', id, current, flags.revision);
        return {
          // Itself alone cannot collide: that it is enabled or not changes no match.
          changes: changesOf(planEndpointEdit(current, { enabled }, []), endpointFlagOf),
          done: `Endpoint ${id} ${verb}d.`,
          already: `Endpoint ${id} is ${verb}d already.`,
        };
      });
      context.finish(code);
    });
}

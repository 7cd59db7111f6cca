import { type Command, Option } from 'commander';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { CommandContext } from '../command-context.ts';
import { parseCount } from '../flags/parse-count.ts';
import { parseId } from '../flags/parse-id.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { printList } from '../render/render-list.ts';
import { requireResource } from '../store/require-resource.ts';
import { selectFrom } from '../store/select-from.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';
import { methodOption } from './new-credential-flags.ts';
import { credentialView, readShownCredentials, shownStates, stateAt } from './shown-credential.ts';

interface ListFlags extends StoreFlags {
  readonly consumer?: string;
  readonly method?: AuthenticationMethod;
  readonly state?: string;
  readonly limit?: number;
}

/** Adds `postern credential list`. */
export function registerCredentialList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List credentials with their state and when they were last used, without secrets.')
    .option('--consumer <id>', 'those of this consumer', parseId)
    .addOption(methodOption())
    .addOption(new Option('--state <state>', 'those in this state').choices(shownStates))
    .option('--limit <number>', 'the first so many', parseCount);
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
States: active; rotating, a former App Secret still works; retiring, works until it ends; not-yet-valid; expired; revoked.

Examples:
  $ postern credential list --consumer acme
  $ postern credential list --state retiring -o json

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 5 the store is unreachable.`,
    )
    .action(async (flags: ListFlags) => {
      const use = { command: 'credential list', store: flags.store, timeout: flags.timeout, needsSecrets: false };
      const code = await useStore(context, use, async ({ resources, usage }) => {
        const { consumer, method, state, limit, output } = flags;
        if (consumer !== undefined) await requireResource(resources, 'consumer', consumer);
        const now = context.clock.nowSeconds();
        const selected = selectFrom(
          resources.list('credential', consumer === undefined ? {} : { consumerId: consumer }),
          ({ resource }) =>
            (method === undefined || resource.methods.includes(method)) &&
            (state === undefined || stateAt(resource, now) === state),
          limit,
        );
        await printList(readShownCredentials(selected, usage), credentialView(now), output, context.terminal);
        return exitCodes.done;
      });
      context.finish(code);
    });
}

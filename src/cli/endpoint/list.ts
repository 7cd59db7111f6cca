import { type Command, Option } from 'commander';
import type { Stored } from '../../manage/resource.ts';
import { authenticationMethods, type Endpoint } from '../../model/endpoint.ts';
import type { CommandContext } from '../command-context.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { declareWholeEndpoint } from '../../document/declare/declare-whole.ts';
import { formatLimits } from '../render/describe-limits.ts';
import { type ListView, printList } from '../render/render-list.ts';
import { declareVersion } from '../render/render-resource.ts';
import { selectFrom } from '../store/select-from.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';
import { accessOf, matchOf } from './describe-endpoint.ts';

interface ListFlags extends StoreFlags {
  readonly authentication?: string;
  readonly disabled?: true;
}

const view: ListView<Stored<Endpoint>> = {
  columns: [
    { heading: 'ID', cell: ({ resource }) => resource.id },
    { heading: 'AUTHENTICATION', cell: ({ resource }) => resource.authentication ?? '-' },
    { heading: 'LETS IN', cell: ({ resource }) => accessOf(resource) },
    { heading: 'REQUESTS', cell: ({ resource }) => matchOf(resource), canShrink: true },
    { heading: 'LIMITS', cell: ({ resource }) => formatLimits(resource.limits), canShrink: true },
    {
      heading: 'STATE',
      cell: ({ resource }) => stateOf(resource),
      paint: (text, { resource }, paint) => (resource.enabled ? text : paint.yellow(text)),
    },
  ],
  declare: (stored) => ({ ...declareWholeEndpoint(stored.resource), ...declareVersion(stored) }),
  none: 'There is no such endpoint. "postern endpoint create" makes one.',
};

/** Adds `postern endpoint list`. */
export function registerEndpointList(noun: Command, context: CommandContext): void {
  const command = noun
    .command('list')
    .description('List the endpoints.')
    .addOption(new Option('--authentication <method>', 'those of this method').choices(authenticationMethods))
    .option('--disabled', 'those that are disabled');
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ postern endpoint list
  $ postern endpoint list --authentication hmac -o json

Exit codes: 0 done, 1 failed, 2 usage, 5 the store is unreachable.`,
    )
    .action(async (flags: ListFlags) => {
      const use = { command: 'endpoint list', store: flags.store, timeout: flags.timeout, needsSecrets: false };
      const code = await useStore(context, use, async ({ resources }) => {
        const endpoints = selectFrom(
          resources.list('endpoint'),
          ({ resource }) =>
            (flags.authentication === undefined || resource.authentication === flags.authentication) &&
            (flags.disabled === undefined || !resource.enabled),
        );
        await printList(endpoints, view, flags.output, context.terminal);
        return exitCodes.done;
      });
      context.finish(code);
    });
}

function stateOf({ enabled, options }: Endpoint): string {
  if (!enabled) return 'disabled';
  return options.mode === 'observe' ? 'observing' : 'enabled';
}

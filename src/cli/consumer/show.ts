import type { Command } from 'commander';
import type { Declared } from '../../document/declare/declared.ts';
import { declareGrant } from '../../document/declare/declare-grant.ts';
import type { CommandContext } from '../command-context.ts';
import {
  credentialView,
  declareShownCredential,
  readShownCredentials,
  type ShownCredential,
} from '../credential/shown-credential.ts';
import { parseId } from '../flags/parse-id.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { grantView } from '../grant/grant-view.ts';
import { formatData } from '../output-format.ts';
import { declareWholeConsumer } from '../../document/declare/declare-whole.ts';
import { paintFor } from '../render/paint-for.ts';
import { printSection } from '../render/render-list.ts';
import { declareVersion, renderFields, versionFields } from '../render/render-resource.ts';
import { collectAll } from '../store/collect-all.ts';
import { requireResource } from '../store/require-resource.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';
import { formatLabels } from './list.ts';

/** Adds `postern consumer show`. */
export function registerConsumerShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show a consumer with its credentials and grants, without secrets.')
    .argument('<id>', 'its id', parseId);
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ postern consumer show acme
  $ postern consumer show acme -o yaml

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 5 the store is unreachable.`,
    )
    .action(async (id: string, flags: StoreFlags) => {
      const use = { command: 'consumer show', store: flags.store, timeout: flags.timeout, needsSecrets: false };
      const code = await useStore(context, use, async (store) => {
        const { terminal, clock } = context;
        const { resources } = store;
        const stored = await requireResource(resources, 'consumer', id);
        const credentials = await collectAll(
          readShownCredentials(resources.list('credential', { consumerId: id }), store.usage),
        );
        const grants = await collectAll(resources.list('grant', { consumerId: id }));
        if (flags.output !== 'table') {
          const declared = {
            ...declareWholeConsumer(stored.resource, credentials.map(declareOwn)),
            grants: grants.map(({ resource }) => declareGrant(resource)),
            ...declareVersion(stored),
          };
          terminal.out.write(formatData(declared, flags.output));
          return exitCodes.done;
        }
        const { name, description, labels, enabled } = stored.resource;
        const now = clock.nowSeconds();
        const paint = paintFor(terminal.out, terminal.environment);
        const fields = renderFields(
          `consumer ${id}${enabled ? '' : ' (disabled)'}`,
          [
            ['name', name],
            ['description', description === '' ? null : description],
            ['labels', formatLabels(labels) || null],
            ...versionFields(stored, now),
          ],
          paint,
        );
        terminal.out.write(fields);
        printSection('credentials', credentials, credentialView(now), terminal);
        printSection('grants', grants, grantView(now), terminal);
        return exitCodes.done;
      });
      context.finish(code);
    });
}

/** Whose it is, is told by where it stands. */
function declareOwn(shown: ShownCredential): Declared {
  return Object.fromEntries(
    Object.entries(declareShownCredential(shown, 'leave-out')).filter(([name]) => name !== 'consumer'),
  );
}

import type { Command } from 'commander';
import { collectAll, NotFound } from '../../resources/changes/resource-store.ts';
import { readShownCredentials } from '../../resources/changes/shown-credential.ts';
import { hashAppKey, isAppKey, KEY_ID_RULE } from '../../model/app-key.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import type { StoreFlags } from '../flags/options.ts';
import { parseRequestId } from '../flags/values.ts';
import { findKept } from '../partner/explain-kept.ts';
import { adminOption } from '../refusals/refusals.ts';
import { printList } from '../render/list.ts';
import type { OpenedStore } from '../opened-store.ts';
import { addReadAction, requireResource } from '../store/read-store.ts';
import { credentialView } from './credential-view.ts';

interface FindFlags extends StoreFlags {
  readonly from?: string;
  readonly requestId?: string;
  readonly admin?: string;
}

/** Adds `postern credential find`. */
export function registerCredentialFind(noun: Command, context: CommandContext): void {
  const command = noun
    .command('find')
    .description('Say whose an App Key is, or whose a refused request was.')
    .option('--from <source>', 'the App Key: - (standard input), file:PATH or env:NAME, never the App Key itself')
    .option('--request-id <id>', 'the request id of a refusal that is kept, or its first characters', parseRequestId)
    .addOption(adminOption().conflicts('from'));
  addReadAction(command, context, {
    notes: `The App Key is looked up by its hash, and never printed. Of the methods hmac, parameter-signature and oauth2 it is
no secret; of key it is the secret itself.`,
    examples: [
      'postern credential find --from -',
      'pbpaste | postern credential find --from - -o json',
      'postern credential find --request-id baac2dab',
    ],
    exits: { notFound: 'no credential has this App Key, or no such refusal is kept' },
    needsSecrets: () => 'where-possible',
    show: async (store, flags: FindFlags) => {
      const found = await find(flags, store, context);
      const items = (async function* () {
        yield await Promise.resolve(found);
      })();
      const view = credentialView(context.clock.nowSeconds());
      await printList(readShownCredentials(items, store.usage), view, flags.output, context.terminal);
    },
  });
}

/**
 * The credential of an App Key or of a refusal. Throws `NotFound`, and {@link UsageError}, which never holds the key.
 */
async function find(flags: FindFlags, store: OpenedStore, context: CommandContext): Promise<Stored<ManagedCredential>> {
  const { from, requestId } = flags;
  if ((from === undefined) === (requestId === undefined)) {
    throw new UsageError('give one of --from, where the App Key is read from, and --request-id');
  }
  if (from !== undefined) return await findByAppKey(readAppKey(from, context), store);
  const { record } = await findKept(requestId ?? '', flags, store, context);
  if (record.credentialId !== null) return await requireResource(store.resources, 'credential', record.credentialId);
  throw new NotFound('no endpoint took that request, so nobody was looked up: postern explain --request-id says why');
}

function readAppKey(from: string, { terminal }: CommandContext): string {
  const text = readSecretArgument(from, terminal.environment, '--from');
  if (isAppKey(text)) return text;
  throw new UsageError(`--from: the text is no App Key, which has ${KEY_ID_RULE}`);
}

async function findByAppKey(appKey: string, { resources }: OpenedStore): Promise<Stored<ManagedCredential>> {
  const appKeyHashes = [hashAppKey(appKey)];
  const [holder] = await collectAll(resources.list('credential', { appKeyHashes }));
  if (holder !== undefined) return holder;
  throw new NotFound('no credential has this App Key: it is of another store, misspelt, or its credential was deleted');
}

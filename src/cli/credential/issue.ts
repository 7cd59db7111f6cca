import type { Command } from 'commander';
import { generateCredentialId } from '../../manage/credentials/generate-credential-id.ts';
import { planNewCredential } from '../../manage/credentials/plan-new-credential.ts';
import { generatePair } from '../../manage/generate-pair.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { CommandContext } from '../command-context.ts';
import { addChangeOptions, addNewRingOption, type ChangeFlags, type NewRingFlag } from '../flags/store-options.ts';
import { paintFor } from '../render/paint-for.ts';
import { changesOf } from '../store/changes-of.ts';
import { changeStore, type Plan } from '../store/change-store.ts';
import type { OpenedStore } from '../store/open-store.ts';
import { requireResource } from '../store/require-resource.ts';
import { credentialFlagOf } from './credential-flags.ts';
import { declareHandedOver, renderHandedOver } from './handed-over.ts';
import { addNewCredentialFlags, lifetimeOf, methodOption, type NewCredentialFlags } from './new-credential-flags.ts';
import { readUsableEndpoints } from './read-usable-endpoints.ts';

type IssueFlags = NewCredentialFlags & ChangeFlags & NewRingFlag & { readonly method: AuthenticationMethod };

/** Adds `postern credential issue`. */
export function registerCredentialIssue(noun: Command, context: CommandContext): void {
  const command = noun
    .command('issue')
    .description('Generate an App Key and an App Secret for a consumer, and print them for the partner.')
    .addOption(methodOption().makeOptionMandatory());
  addNewRingOption(addChangeOptions(addNewCredentialFlags(command)))
    .addHelpText(
      'after',
      `
For key, the App Key is the secret and there is no App Secret.

Examples:
  $ postern credential issue --consumer acme --method hmac
  $ postern credential issue --consumer acme --method key --expires 90d --hash-only
  $ postern credential issue --consumer acme --method oauth2 -o json > acme-credential.json

Exit codes: 0 done, 1 failed, 2 usage, 3 no such consumer, 4 taken, 5 the store is unreachable,
6 unknown: it may be in force.`,
    )
    .action(async (flags: IssueFlags) => {
      const needsSecrets = flags.newKeyRing === true ? 'new-ring' : 'new';
      const makePlan = async (store: OpenedStore): Promise<Plan> => await planIssue(store, flags, context);
      const code = await changeStore(context, 'credential issue', flags, makePlan, needsSecrets);
      context.finish(code);
    });
}

async function planIssue({ resources }: OpenedStore, flags: IssueFlags, context: CommandContext): Promise<Plan> {
  const { terminal } = context;
  const nowSeconds = context.clock.nowSeconds();
  const { consumer: consumerId, method, id = generateCredentialId(consumerId, method) } = flags;
  const methods = [method];
  const { resource: consumer } = await requireResource(resources, 'consumer', consumerId);
  const pair = generatePair(methods);
  const wish = { id, consumerId, methods, ...pair, keepsHashOnly: flags.hashOnly === true };
  const taken = { id: await resources.find('credential', id), appKey: null };
  const planned = planNewCredential({ ...wish, ...lifetimeOf(flags, nowSeconds) }, taken, nowSeconds);
  const changes = changesOf(planned, credentialFlagOf);
  const credential = changes.flatMap((change) => (change.kind === 'credential' ? (change.after ?? []) : []))[0];
  if (credential === undefined) throw new Error('no credential was planned');
  const handedOver = {
    credential,
    appKey: pair.appKey.reveal().toString('utf8'),
    appSecret: pair.appSecret?.reveal().toString('utf8') ?? null,
    usable: await readUsableEndpoints(resources, credential, nowSeconds),
  };
  return {
    changes,
    notes: [
      ...(consumer.enabled
        ? []
        : [`the consumer ${consumerId} is disabled: the credential is refused until it is enabled`]),
      ...(flags.dryRun === true ? ['each run generates other keys; these are not kept'] : []),
    ],
    done: `Credential ${id} issued to ${consumerId}.`,
    outcome: {
      text: renderHandedOver(handedOver, terminal.environment, paintFor(terminal.out, terminal.environment)),
      data: declareHandedOver(handedOver),
      whenUnknown: `Keep what is printed: if the credential was made, it is what ${consumerId} gets. If it was not, issue it again.`,
    },
  };
}

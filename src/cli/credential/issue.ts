import type { Command } from 'commander';
import { newPair } from '../../resources/changes/issue-credential.ts';
import { readUsableEndpoints } from '../../resources/changes/usable-endpoints.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import { materialKindOf } from '../../model/material.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import { MAX_RSA_BITS, MIN_RSA_BITS } from '../../model/public-key/read-jwk.ts';
import { TAKEN_KINDS } from '../../model/public-key/read-pem.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { addKnownByOptions, type KnownByFlags, readKnownByFlags } from '../flags/known-by.ts';
import type { ChangeFlags } from '../flags/options.ts';
import { type PublicKeyFlags, readPublicKeyFlags } from '../flags/public-key.ts';
import { addChangeAction, type Plan } from '../store/change-store.ts';
import { canReveal, type OpenedStore } from '../opened-store.ts';
import { requireResource } from '../store/read-store.ts';
import { handOver } from './handed-over.ts';
import {
  addPartnerOptions,
  type PartnerFlags,
  planPartner,
  refuseWrongHandover,
  writeHandover,
} from './issue-partner.ts';
import { addNewCredentialFlags, methodOption, type NewCredentialFlags, planNew } from './new-credential.ts';

interface IssueFlags extends NewCredentialFlags, ChangeFlags, PublicKeyFlags, KnownByFlags, PartnerFlags {
  readonly method: AuthenticationMethod;
  readonly appKey?: string;
}

/** Adds `postern credential issue`. */
export function registerCredentialIssue(noun: Command, context: CommandContext): void {
  const command = noun
    .command('issue')
    .description('Give a consumer a credential: an App Key, or what tokens or certificates it is known by. Prints it.')
    .addOption(methodOption().makeOptionMandatory())
    .option('--public-key <file>', 'in place of an App Secret: PEM, a certificate or a JWK; - reads standard input')
    .option('--kid <id>', 'which key of a JWK set in --public-key')
    .option('--app-key <key>', 'beside --public-key: what the partner sends as key id, or "thumbprint"');
  addPartnerOptions(addNewCredentialFlags(addKnownByOptions(command)));
  addChangeAction(command, context, {
    isSealing: true,
    notes: `For key, the App Key is the secret and there is no App Secret. For http-message-signature, and for oauth2 if you like,
the partner makes a key pair and you give its public key: ${TAKEN_KINDS} of ${String(MIN_RSA_BITS)} to ${String(MAX_RSA_BITS)} bits. A private key is refused. For jwt and certificate there is no App Key and nothing secret: the credential says which tokens or certificates are the consumer's.

With --consumer-name, --grant and --handover it is all that a new partner needs.`,
    examples: [
      `postern credential issue --consumer acme --consumer-name "Acme Ltd" --method http-message-signature \\
      --public-key acme.pem --grant orders --handover acme --url https://api.example.com --language python`,
      'postern credential issue --consumer acme --method http-message-signature --public-key acme.pem --app-key thumbprint',
      'postern credential issue --consumer acme --method hmac',
      'postern credential issue --consumer acme --method key --expires 90d --hash-only',
      'postern credential issue --consumer acme --method oauth2 -o json > acme-credential.json',
      'postern credential issue --consumer acme --method jwt --issuer partner-idp --claim azp=acme-batch',
      'postern credential issue --consumer acme --method certificate --certificate acme.pem',
      'postern credential issue --consumer acme --method certificate --certificate-uri spiffe://acme.example/batch --authority acme-ca.pem',
    ],
    exits: { notFound: 'no such consumer, endpoint or issuer', conflict: 'taken' },
    plan: async (store, flags: IssueFlags) => await planIssue(store, flags, context),
  });
}

async function planIssue(store: OpenedStore, flags: IssueFlags, context: CommandContext): Promise<Plan> {
  const { resources } = store;
  const { consumer: consumerId, method } = flags;
  const { consumer, grants, changes: before } = await planPartner(flags, resources);
  const publicKey = readKeyFor(flags);
  const kind = publicKey === null ? materialKindOf([method]) : 'public-key';
  const pair = newPair(kind, publicKey, flags.appKey ?? null);
  const knownBy = readKnownByFlags(flags);
  if (kind === 'token-claims' && flags.issuer !== undefined) await requireResource(resources, 'issuer', flags.issuer);
  const { id, changes } = await planNew(flags, [method], { ...pair, publicKey, knownBy }, resources, context);
  const credential = changes.flatMap((change) => (change.kind === 'credential' ? (change.after ?? []) : []))[0];
  if (credential === undefined) throw new Error('no credential was planned');
  const usable = await readUsableEndpoints(resources, credential, context.clock.nowSeconds(), grants);
  await refuseWrongHandover(flags, usable);
  const disabled = `the consumer ${consumerId} is disabled: the credential is refused until it is enabled`;
  return {
    changes: [...before, ...changes],
    afterwards: () => writeHandover(id, flags, context),
    notes: [
      ...(consumer.enabled ? [] : [disabled]),
      ...(flags.dryRun === true && pair.appKey !== null && (publicKey === null || flags.appKey === undefined)
        ? ['each run generates other keys; these are not kept']
        : []),
    ],
    done: `Credential ${id} issued to ${consumerId}.`,
    outcome: {
      ...handOver(
        credential,
        pair,
        { usable, writtenTo: flags.handover ?? null, canReveal: canReveal(store) },
        context,
      ),
      whenUnknown:
        pair.appKey === null
          ? `If the credential was not made, issue it again.`
          : `Keep what is printed: if the credential was made, it is what ${consumerId} gets. If it was not, issue it again.`,
    },
  };
}

/** The key that the flags give. Throws `UsageError` where one is missing, or an App Key has none beside it. */
function readKeyFor(flags: IssueFlags): PublicKey | null {
  const publicKey = readPublicKeyFlags(flags);
  if (publicKey !== null) return publicKey;
  if (materialKindOf([flags.method]) === 'public-key') {
    throw new UsageError(`--public-key is missing: a credential for ${flags.method} has the public key of its partner`);
  }
  if (flags.appKey === undefined) return null;
  throw new UsageError('--app-key goes with --public-key; "credential import" takes over an App Key with its secret');
}

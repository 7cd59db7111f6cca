import { hasAddressList } from '../../check/authorize/allowed-address.ts';
import { findCredentialFault } from '../../check/methods/caller.ts';
import type { SentIdentity } from '../../check/methods/explanation/explainer.ts';
import { proofOf } from '../../check/methods/methods.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import { collectAll, listGroupGrants, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { grantId } from '../../resources/grant.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import type { AddressList } from '../../model/address-list.ts';
import { hashAppKey, isAppKey } from '../../model/app-key.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { appSecretOf, formerEndOf, formerSecretOf, mapSecrets, withoutFormer } from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';
import { compileCatalog } from '../../check/route/endpoint-table.ts';
import { equal } from '../../base/text/equal.ts';
import type { Issuer } from '../../model/issuer.ts';
import { possibleAppKeys } from './issuer-tokens.ts';
import { compareGivenSecret, describeGivenAppKey } from './given-secret.ts';
import { readStoredKeys } from './stored-keys.ts';
import type { Known } from './judge-request.ts';

/** An App Secret is needed that cannot be read here. */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
}

interface CallerQuery {
  readonly endpoint: Endpoint;
  readonly endpoints: readonly Endpoint[];
  readonly sent: SentIdentity;
  /** Of `--app-key`; null for the App Key that was sent. */
  readonly appKey: string | null;
  /** Of `--secret-from`; null for that of the store. */
  readonly givenSecret: string | null;
  readonly nowSeconds: number;
  /** Of `--from`, or of the refusal that is kept; null where the address of the request is not known. */
  readonly from: string | null;
  /** Whether `--from` gave it. */
  readonly isFromTyped: boolean;
  /** The declarative file that the store is; null for a database. */
  readonly file: string | null;
}

/**
 * Reads from a store what a request is judged by: every endpoint, and the credentials that it may be from with their
 * consumers and grants, those for groups too. `notes` say of each option for the caller what came of it. Throws {@link
 * UnreadableSecret}.
 */
export async function readStoredCaller(
  store: Pick<ResourceStore, 'find' | 'list'>,
  query: CallerQuery,
): Promise<Omit<Known, 'tokens'> & { readonly notes: readonly string[] }> {
  const { endpoint, endpoints, sent, givenSecret, nowSeconds, from } = query;
  const proof = proofOf(endpoint);
  const isKey = proof === 'app-key';
  const meant = isKey ? [...sent.meantAppKeys, ...(givenSecret === null ? [] : [givenSecret])] : [query.appKey];
  const issuers = proof === 'issuer-token' ? await findIssuers(store, sent) : [];
  const derived = issuers.flatMap((issuer) => possibleAppKeys(sent.issuerToken, issuer));
  const appKeys = [...new Set([sent.appKey, ...meant, ...derived])].filter((key) => key !== null && isAppKey(key));
  const appKeyHashes = appKeys.map((key) => hashAppKey(key ?? ''));
  const found = (await collectAll(store.list('credential', { appKeyHashes }))).map(({ resource }) => resource);
  const holderOf = (appKey: string | null): ManagedCredential | null =>
    appKey === null ? null : (found.find(({ appKeyHash }) => appKeyHash === hashAppKey(appKey)) ?? null);
  const sentAppKey = sent.appKey ?? derived.find((appKey) => holderOf(appKey) !== null) ?? null;
  const sender = holderOf(sentAppKey);
  const owner = proof === 'signature' ? holderOf(query.appKey ?? sent.appKey) : null;
  const stored = owner === null ? null : appSecretOf(owner.material);
  const storedText = stored === null ? null : readableText(stored, givenSecret !== null, owner?.id ?? '');
  const credentials = found.map((credential) => withReadableSecrets(credential, givenSecret));
  const consumerIds = [...new Set(credentials.map(({ consumerId }) => consumerId))];
  // One by one: a record that cannot be read is then the fault that is reported, with its id and what to do.
  const consumers = await Promise.all(consumerIds.map(async (id) => await store.find('consumer', id)));
  const own = (await collectAll(store.list('grant', { consumerIds }))).map(({ resource }) => resource);
  const known = consumers.flatMap((found) => (found === null ? [] : [found.resource]));
  const catalog = compileCatalog({
    endpoints,
    consumers: from === null ? known.map(withoutAddressList) : known,
    credentials: from === null ? credentials.map(withoutAddressList) : credentials,
    grants: [...own, ...(await listGroupGrants(store))],
    plans: [],
    issuers,
  });
  const held = sentAppKey === null ? null : await catalog.credentials.findByAppKey(sentAppKey);
  const former = owner === null ? null : formerSecretOf(owner.material);
  const formerEnd = owner === null ? null : formerEndOf(owner.material);
  const ofSender = known.find(({ id }) => id === sender?.consumerId);
  const isListed =
    endpoint.scenario !== 'open' &&
    sender !== null &&
    ofSender !== undefined &&
    hasAddressList({ credential: sender, consumer: ofSender });
  return {
    catalog,
    hasIssuerKeys: issuers.some(({ keys }) => keys.kind === 'jwks'),
    from,
    notes: [...notesOnGiven(query, holderOf), ...(query.isFromTyped && !isListed ? [NO_ADDRESS_LIST] : [])],
    publicKeys: await readStoredKeys(store, { endpoint, owner, keyid: sent.appKey, nowSeconds }),
    secret: isKey
      ? (givenSecret ?? appKeys.find((key) => key !== sent.appKey && holderOf(key) !== null) ?? null)
      : (givenSecret ?? storedText),
    caller: {
      fault:
        sentAppKey === null || endpoint.authentication === null
          ? null
          : findCredentialFault(held, endpoint.authentication, nowSeconds),
      formerSecret: former === null ? null : readableText(former, true, ''),
      isFormerLive: formerEnd !== null && nowSeconds < formerEnd,
      isOtherSecret:
        sender === owner &&
        givenSecret !== null &&
        storedText !== null &&
        !equal(Buffer.from(givenSecret), Buffer.from(storedText)),
      lacksAddress: isListed && from === null,
      subject:
        sender === null || endpoint.scenario === 'open'
          ? null
          : {
              endpoint,
              consumerId: sender.consumerId,
              credentialId: sender.id,
              hasGrant: own.some(
                (grant) => grantId(grant) === grantId({ endpointId: endpoint.id, consumerId: sender.consumerId }),
              ),
              limits: endpoint.limits,
              plan: null,
              file: query.file,
            },
    },
  };
}

/** The same for a request whose address is not known: that is said, and no reason to refuse it. */
function withoutAddressList<T extends { readonly allowFrom: AddressList | null }>(resource: T): T {
  return { ...resource, allowFrom: null };
}

/** Every option that was typed is said something of: what it was compared with, or why it has no use. */
function notesOnGiven(
  { endpoint, sent, appKey, givenSecret }: CallerQuery,
  holderOf: (appKey: string | null) => ManagedCredential | null,
): readonly string[] {
  const proof = proofOf(endpoint);
  if (proof === null) {
    const given = [...(appKey === null ? [] : ['--app-key']), ...(givenSecret === null ? [] : ['--secret-from'])];
    return given.map(
      (flag) => `${flag} has no use here: the endpoint ${endpoint.id} is open, and looks at no credentials.`,
    );
  }
  const isKey = proof === 'app-key';
  return [
    ...(isKey && appKey !== null ? [NO_APP_KEY] : []),
    ...(givenSecret === null
      ? []
      : [
          isKey
            ? describeGivenAppKey(givenSecret, sent.appKey, holderOf(givenSecret)?.id ?? null)
            : compareGivenSecret(givenSecret, holderOf(appKey ?? sent.appKey)).note,
        ]),
  ];
}

const NO_ADDRESS_LIST = '--from has no use here: no address list is asked for this request.';
const NO_APP_KEY = '--app-key has no use on a key endpoint, where the App Key is the secret: --secret-from takes it.';

/** Stands in for what cannot be read: the one given, so that the request is judged as by a gateway that has it. */
function withReadableSecrets(credential: ManagedCredential, givenSecret: string | null): ManagedCredential {
  const { material } = credential;
  const former = formerSecretOf(material);
  const known = former !== null && isOpened(former) ? material : withoutFormer(material);
  const readable = (secret: Secret): Secret => (isOpened(secret) ? secret : Secret.fromText(givenSecret ?? ''));
  return { ...credential, material: mapSecrets(known, readable) };
}

function readableText(secret: Secret, isGiven: boolean, credentialId: string): string | null {
  try {
    return textOf(secret);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (isGiven) return null;
    throw new UnreadableSecret(
      `the App Secret of the credential ${credentialId} cannot be read here: ${error.message}`,
      {
        cause: error,
      },
    );
  }
}

function isOpened(secret: Secret): boolean {
  return readableText(secret, true, '') !== null;
}

/** The issuer whose token was sent: one at most. */
async function findIssuers(
  store: Pick<ResourceStore, 'list'>,
  { issuerToken }: SentIdentity,
): Promise<readonly Issuer[]> {
  const all = (await collectAll(store.list('issuer'))).map(({ resource }) => resource);
  return all.filter(({ issuer }) => issuer === issuerToken?.issuer);
}

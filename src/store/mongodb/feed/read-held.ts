import type { Sealer } from '../../../keyring/sealed.ts';
import { disabledConsumer } from '../../../resources/consumer.ts';
import type { Credential } from '../../../model/credential.ts';
import type { Grant } from '../../../model/grant.ts';
import type { HeldCredential } from '../../credential-source.ts';
import { collectionNames } from '../documents.ts';
import { describeId, type DocumentFault, type Mapped, type RawDocument } from '../mapping/document-fault.ts';
import { readConsumerDocument, readGrantDocument } from '../mapping/records.ts';
import { readCredentialDocument } from '../mapping/map-credential.ts';

/** The documents that make a held credential, as they were found; any of them may be nonsense. */
export interface HeldDocuments {
  readonly credential: RawDocument;
  readonly consumers: readonly RawDocument[];
  readonly grants: readonly RawDocument[];
}

/** What documents say, and which of them say nothing. */
export interface ReadHeld {
  readonly held: HeldCredential;
  readonly faults: readonly DocumentFault[];
  /** The documents that are right. */
  readonly right: readonly { readonly collection: string; readonly id: unknown }[];
}

/**
 * Reads a credential with its consumer and grants. Nothing is allowed because a document is wrong: a faulty credential
 * counts as revoked, a faulty or absent consumer as disabled, a faulty grant as absent. All of these are found by their
 * ids all the same, so that a change that mends one takes effect like any other.
 */
export function readHeld({ credential, consumers, grants }: HeldDocuments, sealer: Sealer): ReadHeld {
  const faults: DocumentFault[] = [];
  const right: { collection: string; id: unknown }[] = [];
  const take = <T>(collection: string, document: RawDocument, mapped: Mapped<T>): T | null => {
    if ('fault' in mapped) faults.push(mapped.fault);
    else right.push({ collection, id: document['_id'] });
    return 'fault' in mapped ? null : mapped.value;
  };
  const found = take(collectionNames.credentials, credential, readCredentialDocument(credential, sealer));
  const [document] = consumers;
  const consumer =
    document === undefined ? null : take(collectionNames.consumers, document, readConsumerDocument(document));
  const consumerId = idTextOf(credential['consumerId']);
  if (document === undefined && found !== null) faults.push(absentConsumer(credential, consumerId));
  const byEndpoint = new Map<string, Grant>();
  for (const each of grants) {
    const grant = take(collectionNames.grants, each, readGrantDocument(each));
    if (grant !== null) byEndpoint.set(grant.endpointId, grant);
  }
  const held = {
    credential: found ?? revokedCredential(credential, consumerId),
    consumer: consumer ?? disabledConsumer(consumerId),
    grants: byEndpoint,
  };
  return { held, faults, right };
}

function absentConsumer(credential: RawDocument, consumerId: string): DocumentFault {
  return {
    collection: collectionNames.credentials,
    id: describeId(credential['_id']),
    field: 'consumerId',
    problem: `there is no consumer ${describeId(consumerId)}`,
    kind: 'malformed',
  };
}

/** Stands for a credential that cannot be read: known, so that a change of it is noticed, and of no use to anybody. */
export function revokedCredential(credential: RawDocument, consumerId: string): Credential {
  return {
    id: idTextOf(credential['_id']),
    consumerId,
    methods: [],
    appKeyHash: idTextOf(credential['appKeyHash']),
    appSecret: null,
    retiringSecret: null,
    state: 'revoked',
    notBefore: null,
    expiresAt: null,
  };
}

/** An id for look-ups by id: what is no text is none that Postern wrote, but two of them must not be one. */
export function idTextOf(value: unknown): string {
  return typeof value === 'string' ? value : describeId(value);
}

import type { Db } from 'mongodb';
import type { Sealer } from '../../src/model/keyring/sealed.ts';
import { hashAppKey } from '../../src/model/app-key.ts';
import type { AuthenticationMethod } from '../../src/model/endpoint.ts';
import { Secret } from '../../src/model/secret.ts';
import {
  writeConsumerDocument,
  writeEndpointDocument,
  writeGrantDocument,
  writeVersion,
} from '../../src/stores/mongodb/mapping/records.ts';
import { writeCredentialDocument } from '../../src/stores/mongodb/mapping/map-credential.ts';
import { keyEndpoint } from '../../test/support/pipeline/resources.ts';
import { sharedSecret } from '../../src/model/material.ts';

const BATCH = 5000;
const version = writeVersion({ revision: 1, createdAt: 0, updatedAt: 0 });

/** The App Key of a consumer by its number. */
export function appKeyOf(number: number): string {
  return `app-key-${String(number)}`;
}

/**
 * Fills an empty database: one endpoint of the method key, and so many consumers with a credential (of hmac by
 * default) and a grant each.
 */
export async function seed(
  db: Db,
  count: number,
  sealer: Sealer,
  methods: readonly AuthenticationMethod[] = ['hmac'],
): Promise<void> {
  await insert(db, 'endpoints', [writeEndpointDocument(keyEndpoint(), version)]);
  for (let start = 0; start < count; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => start + index);
    await Promise.all([
      insert(db, 'consumers', numbers.map(consumerDocument)),
      insert(
        db,
        'credentials',
        numbers.map((number) => credentialDocument(number, sealer, methods)),
      ),
      insert(db, 'grants', numbers.map(grantDocument)),
    ]);
  }
}

function consumerDocument(number: number): { readonly _id: string } {
  const id = `consumer-${String(number)}`;
  return writeConsumerDocument(
    {
      id,
      name: `Consumer ${String(number)}`,
      description: '',
      email: null,
      team: null,
      labels: {},
      enabled: true,
      allowFrom: null,
    },
    version,
  );
}

function credentialDocument(
  number: number,
  sealer: Sealer,
  methods: readonly AuthenticationMethod[],
): { readonly _id: string } {
  const appKey = appKeyOf(number);
  const credential = {
    id: `credential-${String(number)}`,
    consumerId: `consumer-${String(number)}`,
    methods,
    appKey: Secret.fromText(appKey),
    appKeyHash: hashAppKey(appKey),
    material: sharedSecret(Secret.fromText(`a secret for measuring, number ${String(number)}`)),
    state: 'active' as const,
    notBefore: null,
    expiresAt: null,
    allowFrom: null,
  };
  return writeCredentialDocument(credential, version, sealer);
}

function grantDocument(number: number): { readonly _id: string } {
  const grant = { endpointId: 'orders', consumerId: `consumer-${String(number)}`, limits: null, expiresAt: null };
  return writeGrantDocument(grant, version);
}

async function insert(db: Db, name: string, documents: readonly { readonly _id: string }[]): Promise<void> {
  await db
    .collection<{ _id: string }>(name)
    .insertMany([...documents], { ordered: false, bypassDocumentValidation: true, writeConcern: { w: 1 } });
}

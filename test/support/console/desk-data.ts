import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { hashAppKey } from '../../../src/model/app-key.ts';
import { consumerDefaults } from '../../../src/model/consumer.ts';
import { type AuthenticationMethod } from '../../../src/model/endpoint.ts';
import type { Sealer } from '../../../src/model/keyring/sealed.ts';
import { appKeyMaterial, sharedSecret } from '../../../src/model/material.ts';
import { Secret } from '../../../src/model/secret.ts';
import { hourOf } from '../../../src/model/traffic-count.ts';
import { endToFind } from '../../../src/resources/app-key-end.ts';
import { writeCredentialDocument } from '../../../src/stores/mongodb/mapping/map-credential.ts';
import {
  writeConsumerDocument,
  writeEndpointDocument,
  writeGrantDocument,
  writeVersion,
} from '../../../src/stores/mongodb/mapping/records.ts';
import { createRefusalSink } from '../../../src/stores/mongodb/refusals.ts';
import { createTrafficSink } from '../../../src/stores/mongodb/traffic.ts';
import { keyEndpoint } from '../pipeline/resources.ts';

const PER_CONSUMER = 40;
const BATCH = 4000;
const DAY = 86_400;
const MAX_CALLERS = 500;
const MAX_REFUSALS = 2000;
const TIERS = ['gold', 'silver', 'bronze'];

/** What a day at the desk asks for. */
export interface DeskData {
  readonly consumers: number;
  /** A consumer that calls, and the first of its credentials. */
  readonly consumer: string;
  readonly credential: string;
  /** The last four of its App Key. */
  readonly keyEnd: string;
  readonly requestId: string;
}

/**
 * Fills a database with so many credentials, 40 for each consumer, without commits: documents as a commit writes them.
 * Two of the credentials end within 30 days; nearly all are used.
 */
export async function fillDesk(
  db: Db,
  sealer: Sealer,
  { credentials, nowSeconds }: { readonly credentials: number; readonly nowSeconds: number },
): Promise<DeskData> {
  const consumers = Math.max(1, Math.ceil(credentials / PER_CONSUMER));
  const version = writeVersion({ revision: 1, createdAt: nowSeconds - 400 * DAY, updatedAt: nowSeconds - 300 * DAY });
  const endpoints = ['orders', 'invoices', 'stock', 'prices'].map((id) =>
    keyEndpoint({ id, paths: [{ prefix: `/${id}` }], labels: { team: 'payments' } }),
  );
  await insert(
    db,
    'endpoints',
    endpoints.map((endpoint) => writeEndpointDocument(endpoint, version)),
  );
  let keyEnd = '';
  for (let start = 0; start < credentials; start += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, credentials - start) }, (_, index) => start + index);
    const made = numbers.map((number) => credentialOf(number, { credentials, nowSeconds, sealer }));
    if (start === 0) keyEnd = made[0]?.usage.appKeyEnd ?? '';
    const owners = numbers.filter((number) => number % PER_CONSUMER === 0).map((number) => number / PER_CONSUMER);
    await Promise.all([
      insert(
        db,
        'consumers',
        owners.map((owner) => consumerOf(owner, nowSeconds)),
      ),
      insert(
        db,
        'grants',
        owners.map((owner) =>
          writeGrantDocument({ endpointId: 'orders', consumerId: idOf(owner), limits: null, expiresAt: null }, version),
        ),
      ),
      insert(
        db,
        'credentials',
        made.map(({ document }) => document),
      ),
      insert(
        db,
        'usage',
        made.map(({ usage }) => usage),
      ),
    ]);
  }
  await addCalls(db, Math.min(consumers, MAX_CALLERS), nowSeconds);
  return { consumers, consumer: idOf(0), credential: `${idOf(0)}-0`, keyEnd, requestId: requestIdOf(0) };
}

function idOf(owner: number): string {
  return `partner-${String(owner).padStart(6, '0')}`;
}

function consumerOf(owner: number, nowSeconds: number): { readonly _id: string } {
  const labels = { tier: TIERS[owner % TIERS.length] ?? '', region: owner % 2 === 0 ? 'eu' : 'us' };
  const createdAt = nowSeconds - (owner % 400) * DAY;
  const named = { id: idOf(owner), name: `Partner ${String(owner)}`, email: `api@partner-${String(owner)}.example` };
  return writeConsumerDocument(
    { ...consumerDefaults, ...named, labels },
    writeVersion({ revision: 1, createdAt, updatedAt: createdAt }),
  );
}

function credentialOf(
  number: number,
  {
    credentials,
    nowSeconds,
    sealer,
  }: { readonly credentials: number; readonly nowSeconds: number; readonly sealer: Sealer },
) {
  const owner = Math.floor(number / PER_CONSUMER);
  const id = `${idOf(owner)}-${String(number % PER_CONSUMER)}`;
  const text = randomBytes(16).toString('hex');
  const isSecret = number % 2 === 0;
  const endsSoon = number === 7 || number === credentials - 3;
  const createdAt = nowSeconds - ((number * 7) % 400) * DAY - 1;
  const methods: readonly AuthenticationMethod[] = isSecret ? ['key'] : ['hmac'];
  const credential = {
    ...{ id, consumerId: idOf(owner), methods, appKey: Secret.fromText(text), appKeyHash: hashAppKey(text) },
    material: isSecret ? appKeyMaterial : sharedSecret(Secret.fromText(randomBytes(32).toString('base64url'))),
    ...{ state: 'active' as const, notBefore: null, allowFrom: null },
    expiresAt: endsSoon ? nowSeconds + 20 * DAY : number % 100 === 50 ? nowSeconds + 300 * DAY : null,
  };
  const version = writeVersion({ revision: 1, createdAt, updatedAt: createdAt });
  const isUsed = number % 50 !== 49;
  const usedAt = new Date((nowSeconds - (number % 80) * 3600) * 1000);
  return {
    document: writeCredentialDocument(credential, version, sealer),
    usage: {
      _id: id,
      ...(isUsed ? { lastUsedAt: usedAt } : {}),
      idleSince: isUsed ? usedAt : new Date(createdAt * 1000),
      appKeyEnd: endToFind(credential) ?? '',
    },
  };
}

/** Eight days of calls of the first consumers, and what was refused of them. */
async function addCalls(db: Db, callers: number, nowSeconds: number): Promise<void> {
  const sink = createTrafficSink(db);
  for (let hours = 0; hours < 8 * 24; hours += 12) {
    const counts = Array.from({ length: callers }, (_, owner) => {
      const codes = { ALLOWED: 100 + ((owner * 13 + hours) % 90), AUTHENTICATION_FAILED: owner % 5 };
      return { endpointId: 'orders', consumerId: idOf(owner), hour: hourOf(nowSeconds) - hours, codes };
    });
    const all = { ALLOWED: callers * 140, AUTHENTICATION_FAILED: callers * 2 };
    const ofAll = { endpointId: 'orders', consumerId: null, hour: hourOf(nowSeconds) - hours, codes: all };
    await sink.add([...counts, ofAll], hours + 1);
  }
  const refusals = createRefusalSink(db);
  await refusals.write(
    Array.from({ length: Math.min(MAX_REFUSALS, callers * 10) }, (_, index) => ({
      id: (BigInt(nowSeconds) * 2n ** 64n - BigInt(index)).toString(16).padStart(24, '0'),
      atMs: nowSeconds * 1000 - index * 60_000,
      requestId: requestIdOf(index),
      ...{ code: 'AUTHENTICATION_FAILED', endpointId: 'orders', detail: 'the signature is not that of the request' },
      ...{ method: 'POST', path: '/orders/42', consumerId: idOf(index % callers), credentialId: null },
      ...{ isObserved: false, sourceAddress: '203.0.113.7', stringToSign: null, leftOut: 0 },
    })),
  );
}

function requestIdOf(index: number): string {
  return `baac2dab-20a4-46e5-ae98-${index.toString(16).padStart(12, '0')}`;
}

async function insert(db: Db, name: string, documents: readonly { readonly _id: string }[]): Promise<void> {
  if (documents.length === 0) return;
  await db
    .collection<{ _id: string }>(name)
    .insertMany([...documents], { ordered: false, bypassDocumentValidation: true, writeConcern: { w: 1 } });
}

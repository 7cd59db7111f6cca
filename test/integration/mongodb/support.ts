import { type Db } from 'mongodb';
import { systemClock, startSystemTimer } from '../../../src/base/clock.ts';
import { type KeyRing } from '../../../src/model/keyring/key-ring.ts';
import { type Sealer } from '../../../src/model/keyring/sealed.ts';
import { grantId } from '../../../src/resources/grant.ts';
import type { ManagedCredential } from '../../../src/resources/resource.ts';
import { type Consumer } from '../../../src/model/consumer.ts';
import { type Endpoint } from '../../../src/model/endpoint.ts';
import type { Issuer } from '../../../src/model/issuer.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { type Grant } from '../../../src/model/grant.ts';
import { Secret } from '../../../src/model/secret.ts';
import { type HeldCredential, StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import {
  writeConsumerDocument,
  writeEndpointDocument,
  writeGrantDocument,
  writeIssuerDocument,
  writePlanDocument,
  writeVersion,
} from '../../../src/stores/mongodb/mapping/records.ts';
import { writeCredentialDocument } from '../../../src/stores/mongodb/mapping/map-credential.ts';
import { type FollowedCollection } from '../../../src/stores/mongodb/feed/follow-collection.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { MongoCheckStore, type MongoCheckStorePorts } from '../../../src/stores/mongodb/mongo-check-store.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { consumer, credential, grant, keyEndpoint, type CredentialParts } from '../../support/pipeline/resources.ts';
import { poll } from '../../support/time/poll.ts';

const ring = testKeyRing();
const version = writeVersion({ revision: 1, createdAt: 0, updatedAt: 0 });

/** Puts resources into a database without the transactions and checks of the commands. */
export interface Seed {
  readonly endpoints?: readonly Endpoint[];
  readonly consumers?: readonly Consumer[];
  readonly credentials?: readonly ManagedCredential[];
  readonly grants?: readonly Grant[];
  readonly plans?: readonly Plan[];
  readonly issuers?: readonly Issuer[];
}

/** Stores resources; those that are there are replaced. */
export async function put(db: Db, seed: Seed, sealer: Sealer = ring): Promise<void> {
  const documents = {
    endpoints: (seed.endpoints ?? []).map((each) => writeEndpointDocument(each, version)),
    consumers: (seed.consumers ?? []).map((each) => writeConsumerDocument(each, version)),
    credentials: (seed.credentials ?? []).map((each) => writeCredentialDocument(each, version, sealer)),
    grants: (seed.grants ?? []).map((each) => writeGrantDocument(each, version)),
    plans: (seed.plans ?? []).map((each) => writePlanDocument(each, version)),
    issuers: (seed.issuers ?? []).map((each) => writeIssuerDocument(each, version)),
  };
  const all = Object.entries(documents).flatMap(([collection, some]) => some.map((each) => ({ collection, ...each })));
  for (const [index, { collection, _id, ...fields }] of all.entries()) {
    // A majority that has the last one has all before it.
    const writeConcern = { w: index + 1 < all.length ? 1 : 'majority' } as const;
    await db.collection<{ _id: string }>(collection).replaceOne({ _id }, fields, { writeConcern, upsert: true });
  }
}

/** The ids of the documents that {@link put} makes. */
export function idsOf(seed: Seed): Readonly<Record<FollowedCollection, readonly string[]>> {
  return {
    endpoints: (seed.endpoints ?? []).map(({ id }) => id),
    consumers: (seed.consumers ?? []).map(({ id }) => id),
    credentials: (seed.credentials ?? []).map(({ id }) => id),
    grants: (seed.grants ?? []).map(grantId),
    plans: (seed.plans ?? []).map(({ id }) => id),
    issuers: (seed.issuers ?? []).map(({ id }) => id),
  };
}

/** Makes the schema where there is none, and takes out all resources. */
export async function empty(db: Db): Promise<void> {
  await ensureSchema(db);
  await emptyCollections(db);
}

/** The App Key of {@link hmacCredential}. */
export const HMAC_APP_KEY = 'acme-hmac-app-key';
export const APP_SECRET = 'the App Secret of the tests, 42 characters';

/** `acme-hmac` of `acme`, with an App Secret, unless told otherwise. */
export function hmacCredential({ appKey = HMAC_APP_KEY, ...parts }: CredentialParts = {}): ManagedCredential {
  const appSecret = Secret.fromText(APP_SECRET);
  const made = credential({ id: 'acme-hmac', appKey, methods: ['hmac'], appSecret, ...parts });
  return { ...made, appKey: Secret.fromText(appKey) };
}

/** `orders`, `acme` with {@link hmacCredential}, and its grant. */
export const acme: Seed = {
  endpoints: [keyEndpoint()],
  consumers: [consumer()],
  credentials: [hmacCredential()],
  grants: [grant()],
};

/** A store under test with what it told. */
export interface OpenStore extends AsyncDisposable {
  readonly checks: MongoCheckStore;
  /** In order: `loaded 1`, `changed 1`, `following`, `away unreachable`, `back`, `missed changes`, `faulty …`. */
  readonly told: readonly string[];
  readonly defects: readonly unknown[];
  /** What the credential of an App Key is, in short: `acme active granted orders`, `unknown`, or `unavailable`. */
  ask(appKey?: string): Promise<string>;
  /** Waits until {@link ask} gives this. */
  until(answer: string, appKey?: string): Promise<void>;
  /** Waits until this was told, once or so many times. */
  untilTold(text: string | RegExp, times?: number): Promise<void>;
  /** Who gets `GET path`: the endpoint's id, `refused` for a disabled one, or null. */
  ownerOf(path: string): string | null;
}

/** Opens a store. */
export function openStore(uri: string, parts: Partial<MongoCheckStorePorts> = {}): OpenStore {
  const told: string[] = [];
  const defects: unknown[] = [];
  const checks = new MongoCheckStore(uri, {
    clock: systemClock,
    startTimer: startSystemTimer,
    keyRing: keyRingOf(ring),
    maxCachedCredentials: 1000,
    maxStaleSeconds: 3600,
    observer: {
      loaded: ({ endpoints }) => told.push(`loaded ${String(endpoints.length)}`),
      changed: ({ endpoints }) => told.push(`changed ${String(endpoints.length)}`),
      running: (mode) => told.push(mode),
      down: (reason) => told.push(`down ${reason}`),
      up: () => told.push('up'),
      missedChanges: () => told.push('missed changes'),
      appKeysRead: () => undefined,
      signatures: { down: () => told.push('signatures down'), up: () => told.push('signatures up') },
      rights: { missing: (rights) => told.push(`lacks ${rights.join('; ')}`), complete: () => told.push('has rights') },
      faulty: (fault) => told.push(`faulty ${fault}`),
      defect: (error) => defects.push(error),
    },
    ...parts,
  });
  const ask = async (appKey = HMAC_APP_KEY): Promise<string> => {
    try {
      return describe(await checks.current().credentials.findByAppKey(appKey));
    } catch (error) {
      if (error instanceof StoreUnavailable) return 'unavailable';
      throw error;
    }
  };
  return {
    checks,
    told,
    defects,
    ask,
    until: async (answer, appKey) => {
      await poll(`the answer "${answer}"`, async () => ((await ask(appKey)) === answer ? true : null));
    },
    untilTold: async (text, times = 1) => {
      const fits = (line: string): boolean => (typeof text === 'string' ? line === text : text.test(line));
      await poll(`"${String(text)}" to be told`, async () => {
        await Promise.resolve();
        return told.filter(fits).length >= times ? true : null;
      });
    },
    ownerOf: (path) => {
      const endpoint = checks.current().endpoints.find('api.example.com', path, 'GET');
      return endpoint === null ? null : endpoint.enabled ? endpoint.id : 'refused';
    },
    [Symbol.asyncDispose]: () => checks[Symbol.asyncDispose](),
  };
}

/** A key ring as the store takes it; `replace` puts another one in its place at the next `reload`. */
export function keyRingOf(current: KeyRing): MongoCheckStorePorts['keyRing'] & { replace(next: KeyRing): void } {
  let next: KeyRing | null = null;
  return {
    get currentKeyId() {
      return current.currentKeyId;
    },
    get keyIds() {
      return current.keyIds;
    },
    seal: (secret, belongsTo) => current.seal(secret, belongsTo),
    open: (sealed, belongsTo) => current.open(sealed, belongsTo),
    replace: (ring) => {
      next = ring;
    },
    reload: () => {
      const isOther = next !== null;
      current = next ?? current;
      next = null;
      return Promise.resolve(isOther);
    },
  };
}

function describe(held: HeldCredential | null): string {
  if (held === null) return 'unknown';
  const { credential: found, consumer: holder, grants } = held;
  const granted = grants.size === 0 ? 'not granted' : `granted ${[...grants.keys()].join(', ')}`;
  return `${holder.id} ${holder.enabled ? found.state : 'disabled'} ${granted}`;
}

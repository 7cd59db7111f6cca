import type { Clock } from '../../base/clock.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { LabelOwners } from '../../model/label-owners.ts';
import type { StoreLocation } from '../../base/config-values.ts';
import type { Environment } from '../../base/environment.ts';
import { KeyRing } from '../../model/keyring/key-ring.ts';
import { readKeyRing } from '../../model/keyring/read-key-ring.ts';
import type { KeyRingLocation } from '../../model/keyring/ring-location.ts';
import type { RateLimitServiceSettings } from '../../stores/rate-limit-service/rate-limit-service.ts';
import { checkFileStore, checkKeyRing } from './check-files.ts';
import type { TlsFiles } from '../../wire/tls/tls-files.ts';
import { checkRateLimitService } from './check-rate-limit-service.ts';
import { checkTlsFiles } from '../../wire/tls/check-tls-files.ts';
import type { NamingCredential } from './envoy/certificate-chain-rules.ts';
import { inspectEnvoyAt, type Known } from './envoy/inspect-envoy.ts';
import { LOOPBACK_ADDRESS } from './envoy/envoy-config.ts';
import type { ReadFile } from './envoy/trusted-authorities.ts';
import { readBytes } from '../flags/read-bytes.ts';
import { inspectEnvoyFile } from './envoy/inspect-envoy-file.ts';
import type { EnvoyFile } from './envoy/read-envoy-file.ts';
import { fault, type Finding, warning } from '../../base/finding.ts';
import { LASTING_WITHOUT_SERVICE, lastingUnits, SHARE_LIMITS } from '../../check/limit/lasting-limits.ts';
import type { LimitUnit } from '../../model/limit.ts';
import { count } from '../../base/text/printable.ts';
import { type OwnContent, readOwnContent } from './own-limits.ts';

/** What the checks of a database need. */
export interface DatabaseCheckPorts {
  readonly clock: Clock;
  /** Null when the key ring is missing or wrong, which is a finding of its own: secrets are then not opened. */
  readonly keyRing: KeyRing | null;
  /** Whether every record is read and every secret opened, which takes about a minute per million. */
  readonly isDeep: boolean;
  /** Whether collections and indexes that differ are fixed. */
  readonly isFixing: boolean;
  /** Which labels are reserved, and to whom. */
  readonly labelOwners: LabelOwners;
  /** How long the server is waited for. */
  readonly timeoutMs: number;
}

/**
 * Looks at the database of an address. Each kind of database brings its own; neither rejects for what the server does.
 */
export interface DatabaseChecks {
  check(uri: string, ports: DatabaseCheckPorts): Promise<readonly Finding[]>;
  /** The endpoints and grants that have limits (of these units), in words; null when the database cannot be read. */
  findLimitHolders(uri: string, units?: readonly LimitUnit[]): Promise<readonly string[] | null>;
  /** The endpoints that are right; null when the database cannot be read. */
  readEndpoints(uri: string): Promise<readonly Endpoint[] | null>;
  /** The credentials that are known by names in certificates; null when the database cannot be read. */
  findNamingCredentials(uri: string): Promise<readonly NamingCredential[] | null>;
}

/** What doctor is to look at. */
export interface Wish extends Omit<DatabaseCheckPorts, 'keyRing'> {
  readonly store: StoreLocation;
  /** Loads the checks of the database of {@link store}. */
  readonly databaseChecks: () => Promise<DatabaseChecks>;
  /** Null when none is configured. */
  readonly keyRing: KeyRingLocation | null;
  /** Null when none is configured. */
  readonly rateLimitService: RateLimitServiceSettings | null;
  /** The TLS files of the listeners, and of the rate limit service; null where there is no TLS. */
  readonly tls: { readonly listeners: TlsFiles | null; readonly rateLimitService: TlsFiles | null };
  /** Whether access tokens are bound to client certificates. */
  readonly bindsTokens: boolean;
  readonly envoys: readonly URL[];
  readonly envoyFiles: readonly EnvoyFile[];
  readonly environment: Environment;
}

/** Looks at everything that a gateway with these settings depends on, one after the other. */
export async function* runChecks(wish: Wish): AsyncGenerator<Finding> {
  const { store, keyRing, environment } = wish;
  if (keyRing !== null) yield* await checkKeyRing(keyRing, environment);
  if (store.kind === 'file') yield* await checkFileStore(store.path, environment);
  else {
    if (keyRing === null && store.kind === 'mongodb') {
      const message = 'POSTERN_KEYRING is not set: secrets in MongoDB cannot be opened';
      yield fault('key ring', message, 'set it; "postern keyring create" makes one for a new store');
    }
    const ring = keyRing === null ? null : await openRing(keyRing, environment);
    const database = await wish.databaseChecks();
    yield* await database.check(addressOf(store), { ...wish, keyRing: ring });
  }
  const { listeners } = wish.tls;
  if (listeners !== null) yield* (await checkTlsFiles(listeners, { clock: wish.clock, isServer: true })).findings;
  if (wish.rateLimitService === null) yield* await checkLastingLimits(wish);
  else yield* checkLimits(wish.rateLimitService, wish);
  if (wish.envoys.length + wish.envoyFiles.length === 0) return;
  const { holders, endpoints, naming } = await ownContent(wish);
  const own = { hasService: wish.rateLimitService !== null, holders };
  const knownFrom = (readFile: ReadFile): Known => ({
    own,
    endpoints,
    bindsTokens: wish.bindsTokens,
    certificates: naming === null ? null : { credentials: naming, nowSeconds: wish.clock.nowSeconds(), readFile },
  });
  for (const file of wish.envoyFiles) yield* inspectEnvoyFile(file, knownFrom(readHere));
  for (const envoy of wish.envoys) {
    const isHere = LOOPBACK_ADDRESS.test(envoy.hostname);
    yield* await inspectEnvoyAt(envoy, knownFrom(isHere ? readHere : () => null));
  }
}

/** A file of Envoy's, where it is on this machine too. */
function readHere(path: string): string | null {
  const bytes = readBytes(path);
  return typeof bytes === 'string' ? null : bytes.toString('latin1');
}

/**
 * Says which limits a restart cuts short, as no service keeps them. Nothing is known of a store that cannot be read.
 */
async function checkLastingLimits({ store, environment, databaseChecks }: Wish): Promise<readonly Finding[]> {
  const lasting =
    store.kind === 'file'
      ? (await readOwnContent(store.path, environment)).lasting
      : await (await databaseChecks()).findLimitHolders(addressOf(store), lastingUnits);
  if (lasting === null || lasting.length === 0) return [];
  const [first = '', ...others] = lasting;
  const named = others.length === 0 ? first : `${first} and ${count(others.length, 'other')}`;
  return [warning('limits', `those ${LASTING_WITHOUT_SERVICE} (${named})`, SHARE_LIMITS)];
}

async function ownContent({ store, environment, databaseChecks }: Wish): Promise<Omit<OwnContent, 'lasting'>> {
  if (store.kind === 'file') return await readOwnContent(store.path, environment);
  const database = await databaseChecks();
  return {
    holders: await database.findLimitHolders(addressOf(store)),
    endpoints: await database.readEndpoints(addressOf(store)),
    naming: await database.findNamingCredentials(addressOf(store)),
  };
}

/** Of a database, or of the management API in front of one. */
function addressOf(store: Exclude<StoreLocation, { readonly kind: 'file' }>): string {
  return store.kind === 'api' ? store.origin : store.uri;
}

async function* checkLimits(service: RateLimitServiceSettings, { tls, clock }: Wish): AsyncGenerator<Finding> {
  if (tls.rateLimitService === null) {
    yield* await checkRateLimitService(service, clock);
    return;
  }
  const { findings, material } = await checkTlsFiles(tls.rateLimitService, { clock, isServer: false });
  yield* findings;
  if (material !== null) yield* await checkRateLimitService({ ...service, tls: material }, clock);
}

async function openRing(location: KeyRingLocation, environment: Environment): Promise<KeyRing | null> {
  const found = await readKeyRing(location, environment);
  return found.kind === 'good' ? new KeyRing(found.content) : null;
}

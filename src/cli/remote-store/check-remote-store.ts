import type { Environment } from '../../base/environment.ts';
import { fault, fine, type Finding } from '../../base/finding.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { hasLasting } from '../../check/limit/lasting-limits.ts';
import { listFound } from '../../resources/changes/list-due.ts';
import { listEndpoints, takeFirst } from '../../resources/changes/resource-store.ts';
import { describeGrant } from '../../resources/grant.ts';
import type { NamingCredential } from '../doctor/envoy/certificate-chain-rules.ts';
import { namingCredential } from '../doctor/own-limits.ts';
import type { DatabaseChecks } from '../doctor/run-checks.ts';
import { UsageError } from '../failure.ts';
import type { OpenedStore } from '../opened-store.ts';
import { mayPass } from '../../resources/changes/store-fault.ts';
import { openRemoteStore } from './open-remote-store.ts';

/** Of a store with thousands of grants, enough to report. */
const MAX_HOLDERS = 100;
/** As of a database. */
const MAX_NAMING = 10_000;

/** What doctor looks at a management API with: whether it takes the token, and what it says of the store. */
export function remoteChecks(environment: Environment, timeoutMs: number): DatabaseChecks {
  const open = async (origin: string): Promise<OpenedStore> =>
    await openRemoteStore(origin, {
      store: undefined,
      environment,
      needsSecrets: false,
      command: 'doctor',
      timeoutMs,
      warn: () => undefined,
    });
  return {
    check: async (origin, { isDeep, isFixing }) => {
      const needs = (flag: string): Finding =>
        fault(flag, 'needs the database itself', 'run it with POSTERN_STORE=mongodb://… where the service runs');
      return [
        ...(isDeep ? [needs('--deep')] : []),
        ...(isFixing ? [needs('--fix')] : []),
        await checkAnswer(origin, open),
      ];
    },
    findLimitHolders: async (origin, units) =>
      await quietly(origin, open, async (store) => await holdersOf(store, units !== undefined)),
    findNamingCredentials: async (origin) => await quietly(origin, open, namingCredentials),
    readEndpoints: async (origin) => await quietly(origin, open, async (store) => await listEndpoints(store.resources)),
  };
}

/** Each names authorities, whose ends are known: so the API finds them without reading the others. */
async function namingCredentials({ resources, answers }: OpenedStore): Promise<readonly NamingCredential[]> {
  const naming: NamingCredential[] = [];
  if (answers === undefined) return naming;
  for await (const { resource } of listFound(resources, answers.certificateIds())) {
    naming.push(...namingCredential(resource));
    if (naming.length >= MAX_NAMING) break;
  }
  return naming;
}

async function checkAnswer(origin: string, open: (origin: string) => Promise<OpenedStore>): Promise<Finding> {
  try {
    await using store = await open(origin);
    const { length } = await listEndpoints(store.resources);
    return fine('store', `the management API at ${origin} takes the token, and shows ${String(length)} endpoints`);
  } catch (error) {
    if (!(error instanceof StoreUnavailable) && !(error instanceof UsageError)) throw error;
    const finding = fault('store', error.message, 'correct POSTERN_STORE, POSTERN_STORE_CA and the token');
    return mayPass(error) ? { ...finding, cause: 'unreachable' } : finding;
  }
}

/** Nothing is known of a store that does not answer, which is a finding of its own. */
async function quietly<T>(
  origin: string,
  open: (origin: string) => Promise<OpenedStore>,
  read: (store: OpenedStore) => Promise<T>,
): Promise<T | null> {
  try {
    await using store = await open(origin);
    return await read(store);
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof UsageError) return null;
    throw error;
  }
}

async function holdersOf({ resources }: OpenedStore, isLasting: boolean): Promise<readonly string[]> {
  const has = (limits: Parameters<typeof hasLasting>[0] | null): boolean =>
    limits !== null && (isLasting ? hasLasting(limits) : limits.length > 0);
  const all = async function* (): AsyncGenerator<string> {
    for await (const { resource } of resources.list('endpoint'))
      if (has(resource.limits)) yield `endpoint ${resource.id}`;
    for await (const { resource } of resources.list('grant')) if (has(resource.limits)) yield describeGrant(resource);
    for await (const { resource } of resources.list('plan')) if (has(resource.limits)) yield `plan ${resource.id}`;
  };
  return await takeFirst(all(), MAX_HOLDERS);
}

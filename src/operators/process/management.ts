import { randomUUID } from 'node:crypto';
import { createApi } from '../api/app.ts';
import { ApiListener, type ArrivalTimes } from './listener.ts';
import type { AnsweredRequest, ApiObserver, ApiStore } from '../api/ports.ts';
import type { Config } from '../../gateway/config.ts';
import { createConsole } from '../console/console.ts';
import { Jobs } from '../console/jobs/jobs.ts';
import { listen, tlsIdentity } from '../../gateway/listeners.ts';
import { OwnedParts, type ProcessPorts } from '../../gateway/parts.ts';
import { openTls } from '../../gateway/tls.ts';
import { type CursorRing, createCursorSealer } from '../../model/keyring/cursor-sealer.ts';
import type { CredentialDirectory } from '../../resources/changes/credential-directory.ts';
import type { JobStore } from '../../resources/changes/jobs.ts';
import type { SystemOfRecord } from '../../resources/changes/resource-store.ts';
import { formatListenAddress, type ListenAddress } from '../../base/net/listen-address.ts';
import { createPeerTrust, isLoopback } from '../../base/net/networks.ts';
import { noLabelOwners } from '../../model/label-owners.ts';
import type { Logger } from '../../gateway/observe/logger.ts';
import type { ManageMetrics } from './manage-metrics.ts';
import { createAdmin } from './admin.ts';
import { reportingCommits } from './count-changes.ts';
import { noteKeyEnds } from './note-key-ends.ts';
import { divideRequests } from './routes.ts';
import { createSignInObserver, openCommandPeople, openSignIn } from './sign-in.ts';
import { manageFiles } from '../../gateway/configured-files.ts';

/** The address that stands for one that cannot be read. */
const UNREAD = 'http://unread.invalid/';

/** What the management process takes. */
export interface ManagementPorts extends Pick<ProcessPorts, 'config' | 'clock' | 'logger'> {
  /** Opened with the key ring; ended with the process. */
  readonly store: SystemOfRecord;
  /** Followed with its file, and ended with the process; null where none is named, which is refused. */
  readonly keyRing: (AsyncDisposable & { readonly ring: CursorRing }) | null;
  /** Of requests to the API; those of the listener unless given. */
  readonly times?: ArrivalTimes;
}

/** A running management process. */
export interface Management extends AsyncDisposable {
  readonly ready: Promise<void>;
  /** Where it listens: the port that was chosen for 0. */
  readonly address: ListenAddress;
  /** Where probes and metrics are; null where the settings have no such listener. */
  readonly adminAddress: ListenAddress | null;
  /** Ends when running requests have, within the grace period. */
  stop(): Promise<void>;
}

/**
 * The composition root of `postern manage`: the API on a listener of its own. Rejects, with the store closed, for a
 * declarative file, an address that cannot be had, and an address beyond this machine without TLS.
 */
export async function startManagement(ports: ManagementPorts): Promise<Management> {
  const { config, clock, logger, store } = ports;
  const parts = new OwnedParts();
  parts.own(ports.keyRing);
  parts.own(store);
  try {
    let listener: ApiListener | null = null;
    const admin = createAdmin(
      { config, clock, logger, resources: store.resources, countConnections: () => listener?.connections ?? 0 },
      parts,
    );
    const { metrics } = admin;
    const resources = reportingCommits(store.resources, (changes) => {
      metrics.countChanges(changes);
    });
    const database = { ...requireDatabase(store), resources };
    const tls = await openTls('management', manageFiles(config), { clock, logger, metrics: admin });
    requireTls(config, tls !== null);
    const observer = createApiObserver(logger, metrics);
    const { findUnreadiness } = admin;
    const cursors = createCursorSealer(requireRing(ports.keyRing));
    const labelOwners = config.manageLabelOwners ?? noLabelOwners;
    const people = openCommandPeople(config, { store, clock, observer: createSignInObserver(logger, null) });
    const api = createApi({
      store: database,
      clock,
      observer,
      findUnreadiness,
      cursors,
      labelOwners,
      people,
      publicUrl: config.publicUrl,
    });
    const jobs = parts.own(
      new Jobs({
        store: requireJobs(store),
        clock,
        onDefect: (error) => {
          observer.defect(error, randomUUID());
        },
      }),
    );
    const signIn = await openSignIn(config, { store, clock, observer: createSignInObserver(logger, metrics) });
    const findSession = async (request: Request) => (await signIn?.sessions.find(request)) ?? null;
    const fetch =
      signIn === null
        ? api.fetch
        : divideRequests({
            api: api.fetch,
            console: createConsole({ api, findSession, signIn, jobs, clock, observer }).fetch,
          });
    const opened = parts.own(
      new ApiListener({
        fetch,
        clock,
        isTrustedAddress: createPeerTrust(config.manageTrustedProxies ?? []),
        refuse: async (unread) => await api.fetch(new Request(UNREAD), { unread }),
        ...(tls === null ? {} : { tls: tlsIdentity(tls.material, null) }),
        ...(ports.times === undefined ? {} : { times: ports.times }),
      }),
    );
    listener = opened;
    await listen('POSTERN_MANAGE_ADDRESS', config.manageAddress, async () => {
      await opened.start(config.manageAddress, config.unixSocketMode);
    });
    parts.own(
      tls?.follow((material) => {
        opened.replaceTls(tlsIdentity(material, null));
      }) ?? null,
    );
    parts.own(noteKeyEnds(database.directory, logger));
    const address = opened.address();
    const adminAddress = await admin.open();
    logger.info('the management API is served', { address: formatListenAddress(address), tls: tls !== null });
    return {
      ready: Promise.resolve(),
      address,
      adminAddress,
      stop: async () => {
        admin.leave();
        const cut = await opened.drain(config.shutdownGraceSeconds * 1000);
        if (cut > 0) logger.warn('requests were cut at the end of the grace period', { requests: cut });
        await parts[Symbol.asyncDispose]();
      },
      [Symbol.asyncDispose]: async () => {
        await parts[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

function requireDatabase({
  file,
  due,
  directory,
  refusals,
  replicas,
  once,
  ...others
}: SystemOfRecord): ApiStore & { readonly directory: CredentialDirectory } {
  if (due !== null && directory !== null && refusals !== null && replicas !== null && once !== null) {
    return { ...others, due, directory, refusals, replicas, once };
  }
  throw new Error(
    `POSTERN_STORE: ${String(file)} is a file, which the management API does not change; it needs MongoDB`,
  );
}

function requireJobs({ jobs }: SystemOfRecord): JobStore {
  if (jobs === null) throw new Error('the store keeps no jobs');
  return jobs;
}

/** The ring at each moment. */
function requireRing(keyRing: ManagementPorts['keyRing']): () => CursorRing {
  if (keyRing === null) throw new Error('POSTERN_KEYRING: the management API needs the key ring of the store');
  return () => keyRing.ring;
}

/** Tokens never cross a network in plain text, unless the setting says that something else encrypts them. */
function requireTls({ manageAddress, managePlainText }: Config, hasTls: boolean): void {
  if (hasTls || managePlainText || manageAddress.kind === 'unix' || isLoopback(manageAddress.host)) return;
  throw new Error(
    `POSTERN_MANAGE_ADDRESS: ${formatListenAddress(manageAddress)} can be reached from other machines, and tokens would be readable on the way: give POSTERN_MANAGE_TLS_CERTIFICATE and POSTERN_MANAGE_TLS_KEY, or set POSTERN_MANAGE_PLAIN_TEXT=true where a proxy on the way encrypts`,
  );
}

function createApiObserver(logger: Logger, metrics: ManageMetrics): ApiObserver {
  return {
    answered: ({ seconds, ...request }: AnsweredRequest) => {
      metrics.countRequest({ ...request, seconds });
      logger.info('answered', { ...request, milliseconds: Math.round(seconds * 1000) });
    },
    defect: (error, requestId) => {
      logger.error('a request failed by a defect of this program; the client got 500', { requestId }, error);
    },
    answerLost: (error, requestId) => {
      logger.warn('an answer was not kept for its Idempotency-Key', { requestId, reason: String(error) });
    },
  };
}

import { type Clock, systemClock } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { Api } from '../management-api/exchange.ts';
import { apiAt } from './api-address.ts';
import { beginSession } from './api-sessions.ts';
import { type KeptSession, prepareFolder, readSessions, sessionFileOf, writeSessions } from './session-file.ts';
import { whileLocked } from './session-lock.ts';
import { SignInRefused } from './sign-in-refused.ts';

/** A session that ends so soon is renewed before it is used. */
const RENEWED_BEFORE_SECONDS = 60;

/** Whose sessions are looked at. */
export interface SessionPlace {
  /** The management API; only its origin counts. */
  readonly store: URL;
  readonly environment: Environment;
  readonly clock?: Pick<Clock, 'nowSeconds'>;
}

/**
 * The token of whoever signed in to a management API; undefined when nobody did. Renews it when it ends within a
 * minute, once for all processes of this user. Rejects with {@link SignInRefused} for a sign-in that has ended, with
 * `StoreUnavailable` when it cannot be renewed now, and with `FileFault` for a file that cannot be used.
 */
export async function storedToken({
  store,
  environment,
  clock = systemClock,
}: SessionPlace): Promise<string | undefined> {
  const path = sessionFileOf(environment);
  const kept = (await readSessions(path)).get(store.origin);
  if (kept === undefined) return undefined;
  if (isFresh(kept, clock)) return kept.token;
  return await whileLocked(lockOf(path), async () => {
    // Another process may have renewed it, or signed out.
    const now = (await readSessions(path)).get(store.origin);
    if (now === undefined) return undefined;
    if (isFresh(now, clock)) return now.token;
    return await renewed(now, { api: await apiAt(store.origin, environment), path, clock });
  });
}

/** Keeps a session, or forgets that of an origin (null). */
export async function keepSession(path: string, origin: string, session: KeptSession | null): Promise<void> {
  await prepareFolder(path);
  await whileLocked(lockOf(path), async () => {
    await replaceOne(path, origin, session);
  });
}

/** Whether it needs no renewal, or has none and lives. */
function isFresh({ expiresAt, renewal }: KeptSession, clock: Pick<Clock, 'nowSeconds'>): boolean {
  return expiresAt - clock.nowSeconds() > (renewal === undefined ? 0 : RENEWED_BEFORE_SECONDS);
}

interface RenewalPlace {
  readonly api: Api;
  readonly path: string;
  readonly clock: Pick<Clock, 'nowSeconds'>;
}

/** The lock is held: nobody else uses the refresh token. */
async function renewed(kept: KeptSession, { api, path, clock }: RenewalPlace): Promise<string> {
  const { renewal } = kept;
  const { origin } = api;
  if (renewal === undefined) throw ended(origin);
  try {
    const { renew } = await import('./openid.ts');
    const granted = await renew(renewal, renewal.refreshToken);
    const next = { ...kept, renewal: { ...renewal, refreshToken: granted.refreshToken ?? renewal.refreshToken } };
    // First: the former refresh token may work no more, whatever the API answers.
    await replaceOne(path, origin, next);
    const session = await beginSession(api, granted, renewal);
    await replaceOne(path, origin, { ...next, ...session });
    return session.token;
  } catch (error) {
    if (error instanceof StoreUnavailable && kept.expiresAt > clock.nowSeconds()) return kept.token;
    if (!(error instanceof SignInRefused)) throw error;
    const { operator, token, expiresAt } = kept;
    await replaceOne(path, origin, { operator, token, expiresAt });
    throw ended(origin, error);
  }
}

async function replaceOne(path: string, origin: string, session: KeptSession | null): Promise<void> {
  const sessions = new Map(await readSessions(path));
  if (session === null) sessions.delete(origin);
  else sessions.set(origin, session);
  await writeSessions(path, sessions);
}

function ended(origin: string, cause?: SignInRefused): SignInRefused {
  const why = cause === undefined ? '' : `: ${cause.message}`;
  const advice = `run "postern login --store ${origin}"`;
  return new SignInRefused(`your sign-in at ${origin} has ended${why}; ${advice}`, { cause });
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

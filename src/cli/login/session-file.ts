import { chmod, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { codeOf } from '../../base/files/fingerprint.ts';
import { findOthersAccess, readWholeFile } from '../../base/files/read-whole-file.ts';
import { describeFault, FileFault, replaceFile } from '../../base/files/replace-file.ts';

/** How a session is renewed without the person. */
export interface Renewal {
  readonly issuer: string;
  readonly clientId: string;
  readonly refreshToken: string;
  /** Whether the API looks at the provider's UserInfo endpoint, and so needs the access token too. */
  readonly asksUserInfo: boolean;
}

/** Somebody who signed in to one management API. */
export interface KeptSession {
  readonly operator: string;
  /** An own token of the operator, or that of a session. */
  readonly token: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  /** Absent for an own token, and where the provider gave nothing to renew with. */
  readonly renewal?: Renewal;
}

/** By the origin of the API. */
export type KeptSessions = ReadonlyMap<string, KeptSession>;

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const MAX_BYTES = 1024 * 1024;
const VERSION = 1;
/** A file that is replaced while it is read is read again so often. */
const MAX_READS = 100;

/** The file with the sessions of this user (XDG Base Directory Specification). */
export function sessionFileOf(environment: Environment): string {
  const given = environment['XDG_CONFIG_HOME'] ?? '';
  // A relative path there counts as none.
  const base = isAbsolute(given) ? given : join(environment['HOME'] ?? homedir(), '.config');
  return join(base, 'postern', 'sessions.json');
}

/**
 * The sessions of a file; none where it is not there. Rejects with {@link FileFault} for one that others have access
 * to, that cannot be read, or that holds something else. No message holds a token.
 */
export async function readSessions(path: string): Promise<KeptSessions> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const access = await findOthersAccess(path);
    if (access !== null) {
      throw new FileFault(
        `${path} has the permissions ${access}, so that others may have its tokens: run "chmod 600 ${path}" and "postern logout", and sign in again`,
      );
    }
    const read = await readWholeFile(path, MAX_BYTES);
    if (read.kind === 'changing') continue;
    if (read.kind === 'read') return parseSessions(path, read.text);
    if (read.fingerprint === 'absent: ENOENT') return new Map();
    throw new FileFault(`${path}: ${read.message}`);
  }
  throw new FileFault(`${path} changes all the time; look at which program writes it`);
}

/** Writes all sessions in one step. Rejects with {@link FileFault}; the former file is then as it was. */
export async function writeSessions(path: string, sessions: KeptSessions): Promise<void> {
  const shown = [...sessions].map(([origin, { operator, token, expiresAt, renewal }]) => {
    const session: unknown = { operator, token, expiresAt: new Date(expiresAt * 1000).toISOString(), renewal };
    return [origin, session] as const;
  });
  const text = `${JSON.stringify({ version: VERSION, sessions: Object.fromEntries(shown) }, null, 2)}\n`;
  await atFile(path, async () => {
    await replaceFile(path, FILE_MODE, async (handle) => {
      await handle.writeFile(text);
    });
  });
}

/** Makes the folder of the file, for its owner only. */
export async function prepareFolder(path: string): Promise<void> {
  const folder = dirname(path);
  await atFile(folder, async () => {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    await chmod(folder, FOLDER_MODE);
  });
}

async function atFile(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof FileFault || codeOf(error) === 'unknown') throw error;
    throw new FileFault(describeFault(path, error), { cause: error });
  }
}

function parseSessions(path: string, text: string): KeptSessions {
  const fault = (): FileFault => new FileFault(`${path} is no file of sessions: delete it, and sign in again`);
  const { version, sessions } = recordOf(parse(text)) ?? {};
  const kept = recordOf(sessions);
  if (version !== VERSION || kept === null) throw fault();
  return new Map(
    Object.entries(kept).map(([origin, value]) => {
      const session = parseSession(value);
      if (session === null) throw fault();
      return [origin, session];
    }),
  );
}

function parseSession(value: unknown): KeptSession | null {
  const { operator, token, expiresAt, renewal } = recordOf(value) ?? {};
  const end = typeof expiresAt === 'string' ? Math.floor(Date.parse(expiresAt) / 1000) : NaN;
  if (typeof operator !== 'string' || typeof token !== 'string' || !Number.isFinite(end)) return null;
  if (!TOKEN.test(token)) return null;
  if (renewal === undefined) return { operator, token, expiresAt: end };
  const { issuer, clientId, refreshToken, asksUserInfo } = recordOf(renewal) ?? {};
  if (typeof issuer !== 'string' || typeof clientId !== 'string' || typeof refreshToken !== 'string') return null;
  if (typeof asksUserInfo !== 'boolean') return null;
  return { operator, token, expiresAt: end, renewal: { issuer, clientId, refreshToken, asksUserInfo } };
}

/** What a header takes as a token (RFC 6750 §2.1). */
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message of the parser shows a piece of the file.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

import { type MongoClient, MongoServerSelectionError } from 'mongodb';
import { TlsProblem } from '../../tls/certificates.ts';

/** Errors lead to others at most this deep. */
const MAX_DEPTH = 8;

/**
 * The code of the network or TLS error below an error of the driver, such as `ECONNREFUSED`; null for none. Only what
 * looks like a code is taken.
 */
export function networkCodeOf(error: unknown): string | null {
  for (const each of errorsBelow(error)) {
    if ('code' in each && typeof each.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(each.code)) return each.code;
  }
  return null;
}

/** The problem with TLS files below an error of the driver; null for none. */
export function tlsProblemOf(error: unknown): TlsProblem | null {
  for (const each of errorsBelow(error)) if (each instanceof TlsProblem) return each;
  return null;
}

/** An error and what led to it, the nearest first. */
function* errorsBelow(error: unknown): Generator<Error> {
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  while (queue.length > 0 && seen.size < MAX_DEPTH * MAX_DEPTH) {
    const next = queue.shift();
    if (!(next instanceof Error) || seen.has(next)) continue;
    seen.add(next);
    yield next;
    queue.push(next.cause, ...('errors' in next && Array.isArray(next.errors) ? (next.errors as unknown[]) : []));
    if (next instanceof MongoServerSelectionError) queue.push(...serversOf(next).map(({ error: fault }) => fault));
  }
}

/** Which servers were asked for, as `host:port`, and those of them that answer. */
export function selectionHosts(error: MongoServerSelectionError): {
  readonly all: readonly string[];
  readonly answering: readonly string[];
} {
  const servers = serversOf(error);
  return {
    all: servers.map(({ address }) => address),
    answering: servers.filter(({ type }) => type !== 'Unknown').map(({ address }) => address),
  };
}

/** Why servers that answer are not those of the address; null when that is not the reason. */
export type SetProblem =
  | { readonly kind: 'not-initiated'; readonly hosts: readonly string[] }
  | { readonly kind: 'other-set'; readonly wanted: string; readonly found: string }
  | { readonly kind: 'stand-alone'; readonly wanted: string };

/** Finds what is wrong with the replica set, in what the servers said last of themselves ({@link noteAnswers}). */
export function setProblemOf({ reason }: MongoServerSelectionError): SetProblem | null {
  const servers = [...(reason?.servers.values() ?? [])];
  const ghosts = servers.filter(({ type }) => type === 'RSGhost').map(({ address }) => address);
  if (ghosts.length > 0 && ghosts.length === servers.length) return { kind: 'not-initiated', hosts: ghosts };
  const wanted = reason?.setName ?? null;
  // The driver forgets servers that are not of the set.
  if (reason === undefined || wanted === null || servers.some(({ type }) => type !== 'Unknown')) return null;
  const answers: unknown = ANSWERS in reason ? reason[ANSWERS] : [];
  const [found] = Array.isArray(answers) ? (answers as readonly (string | null)[]) : [];
  if (found === undefined || found === wanted) return null;
  return found === null ? { kind: 'stand-alone', wanted } : { kind: 'other-set', wanted, found };
}

/** Names of the sets that servers say they are in, null for none; on the description that errors carry. */
const ANSWERS = Symbol('what servers answered');

/**
 * Keeps, with each description of the topology, what servers said of their set: when it is not the wanted one, the driver
 * forgets those servers, and its errors do not say why.
 */
export function noteAnswers(client: MongoClient): void {
  const sets = new Map<string, string | null>();
  client.on('serverHeartbeatSucceeded', ({ connectionId, reply }) => {
    const setName: unknown = (reply as { readonly setName?: unknown }).setName;
    const isInSet = typeof setName === 'string';
    // One that is not initiated has no name yet.
    if (isInSet || !('isreplicaset' in reply)) sets.set(connectionId, isInSet ? setName : null);
  });
  client.on('serverHeartbeatFailed', ({ connectionId }) => {
    sets.delete(connectionId);
  });
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    Object.defineProperty(newDescription, ANSWERS, { value: [...sets.values()] });
  });
}

function serversOf(error: MongoServerSelectionError): readonly { address: string; type: string; error: unknown }[] {
  const description = error.reason;
  return [...(description?.servers.values() ?? [])];
}

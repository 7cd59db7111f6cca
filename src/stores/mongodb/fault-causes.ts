import { type MongoClient, MongoServerSelectionError, type ServerDescription } from 'mongodb';

/** Errors lead to at most so many others. */
const MAX_ERRORS = 64;

/** An error and what led to it, the nearest first. */
export function* errorsBelow(error: unknown): Generator<Error> {
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  while (queue.length > 0 && seen.size < MAX_ERRORS) {
    const next = queue.shift();
    if (!(next instanceof Error) || seen.has(next)) continue;
    seen.add(next);
    yield next;
    queue.push(next.cause, ...('errors' in next && Array.isArray(next.errors) ? (next.errors as unknown[]) : []));
    if (next instanceof MongoServerSelectionError) queue.push(...serversOf(next).map(({ error: fault }) => fault));
  }
}

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

/** The servers that were tried. Those that answer have another type than `Unknown`. */
export function serversOf(error: MongoServerSelectionError): readonly ServerDescription[] {
  return [...(error.reason?.servers.values() ?? [])];
}

/** Why servers that answer are not those of the address; null when that is not the reason. */
export type SetProblem =
  | { readonly kind: 'not-initiated'; readonly hosts: readonly string[] }
  | { readonly kind: 'other-set'; readonly wanted: string; readonly found: string }
  | { readonly kind: 'stand-alone'; readonly wanted: string };

/** Finds what is wrong with the replica set, from the latest answers of the servers ({@link noteAnswers}). */
export function setProblemOf(error: MongoServerSelectionError): SetProblem | null {
  const { reason } = error;
  const servers = serversOf(error);
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
 * Keeps the set name that each server gave, with each description of the topology: a server of another set than the
 * wanted one is forgotten by the driver, whose errors do not say why.
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

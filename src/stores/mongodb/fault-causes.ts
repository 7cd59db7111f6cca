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
  const [answer] = answersOf(error)?.latest ?? [];
  if (answer === undefined || answer.set === wanted) return null;
  return answer.set === null ? { kind: 'stand-alone', wanted } : { kind: 'other-set', wanted, found: answer.set };
}

/** Members that a server of the address named, which nobody wrote and which this machine has never reached. */
export interface UnreachableMembers {
  /** The server of the address that answered, and its set. */
  readonly seed: string;
  readonly set: string;
  readonly members: readonly string[];
}

/** Finds members that cannot be reached though a server of the address answered; null when that is not the reason. */
export function unreachableMembersOf(error: MongoServerSelectionError): UnreachableMembers | null {
  const answers = answersOf(error);
  const set = error.reason?.setName ?? null;
  if (answers === null || set === null) return null;
  const seed = answers.latest.find((each) => each.set === set && answers.written.includes(each.address));
  if (seed === undefined) return null;
  const members = serversOf(error).flatMap(({ type, address }) => {
    const isStrange = seed.members.includes(address) && !answers.written.includes(address);
    return type === 'Unknown' && isStrange && !answers.reached.has(address) ? [address] : [];
  });
  return members.length === 0 ? null : { seed: seed.address, set, members };
}

/** What a server last said of itself. */
interface ServerAnswer {
  readonly address: string;
  /** Null when it is in no replica set. */
  readonly set: string | null;
  readonly members: readonly string[];
}

/** What servers said so far. */
interface Answers {
  /** Those of the address. */
  readonly written: readonly string[];
  readonly latest: readonly ServerAnswer[];
  /** All that ever answered. */
  readonly reached: ReadonlySet<string>;
}

/** {@link Answers}, on the description and on the failures of servers that errors carry. */
const ANSWERS = Symbol('what servers answered');

function answersOf(error: MongoServerSelectionError): Answers | null {
  for (const each of [error.reason, ...errorsBelow(error)]) {
    if (each !== undefined && ANSWERS in each) return each[ANSWERS] as Answers;
  }
  return null;
}

/**
 * Keeps what each server said of itself, with whatever errors carry: the driver forgets a server that is of
 * another set than the wanted one, or known in its set by another name, and its errors do not say why.
 */
export function noteAnswers(client: MongoClient): void {
  const latest = new Map<string, ServerAnswer>();
  const reached = new Set<string>();
  client.on('serverHeartbeatSucceeded', ({ connectionId: address, reply }) => {
    const { setName, hosts } = reply as { readonly setName?: unknown; readonly hosts?: unknown };
    const set = typeof setName === 'string' ? setName : null;
    const members = Array.isArray(hosts) ? hosts.map(String) : [];
    reached.add(address);
    // One that is not initiated has no name yet.
    if (set !== null || !('isreplicaset' in reply)) latest.set(address, { address, set, members });
  });
  const noteOn = (carrier: object): void => {
    const written = client.options.hosts.map(String);
    const value: Answers = { written, latest: [...latest.values()], reached: new Set(reached) };
    Object.defineProperty(carrier, ANSWERS, { value, configurable: true });
  };
  client.on('serverHeartbeatFailed', ({ connectionId, failure }) => {
    latest.delete(connectionId);
    // A description that is like the one before is not announced: the failure is all that is new in it.
    noteOn(failure);
  });
  client.on('topologyDescriptionChanged', ({ newDescription }) => {
    noteOn(newDescription);
  });
}

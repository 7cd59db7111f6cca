import { MongoServerSelectionError } from 'mongodb';

/** Errors lead to others at most this deep. */
const MAX_DEPTH = 8;

/**
 * The code of the network or TLS error below an error of the driver, such as `ECONNREFUSED`; null for none. Only what
 * looks like a code is taken.
 */
export function networkCodeOf(error: unknown): string | null {
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  while (queue.length > 0 && seen.size < MAX_DEPTH * MAX_DEPTH) {
    const next = queue.shift();
    if (!(next instanceof Error) || seen.has(next)) continue;
    seen.add(next);
    if ('code' in next && typeof next.code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(next.code)) return next.code;
    queue.push(next.cause, ...('errors' in next && Array.isArray(next.errors) ? (next.errors as unknown[]) : []));
    if (next instanceof MongoServerSelectionError) queue.push(...serversOf(next).map(({ error: fault }) => fault));
  }
  return null;
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

function serversOf(error: MongoServerSelectionError): readonly { address: string; type: string; error: unknown }[] {
  const description = error.reason;
  return [...(description?.servers.values() ?? [])];
}

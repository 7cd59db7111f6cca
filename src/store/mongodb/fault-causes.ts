import { MongoServerSelectionError } from 'mongodb';
import { TlsProblem } from '../../tls/tls-problem.ts';

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

function serversOf(error: MongoServerSelectionError): readonly { address: string; type: string; error: unknown }[] {
  const description = error.reason;
  return [...(description?.servers.values() ?? [])];
}

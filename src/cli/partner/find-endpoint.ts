import { parseStore } from '../../config-values.ts';
import { settings } from '../../config.ts';
import { MAX_DOCUMENT_BYTES, parseDocument } from '../../document/parse-document.ts';
import { formatProblem } from '../../document/problem.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { readWholeFile } from '../../files/read-whole-file.ts';
import { findNearestName } from '../../document/nearest-name.ts';
import { UsageError } from './usage-error.ts';

/** There is no endpoint of that id; the message says so, and which one may have been meant. */
export class EndpointNotFound extends Error {
  override readonly name = 'EndpointNotFound';
}

/** No App Secret is needed to look at an endpoint, so none is looked up: any text stands for each. */
const ANY_SECRET = 'x'.repeat(32);

/**
 * Finds an endpoint in the store, for its options. Throws {@link EndpointNotFound} or `NotFound`, {@link UsageError} for
 * what is no store, `StoreUnavailable` for a database that does not answer, or an error that holds the problems of the
 * file, one a line.
 */
export async function findEndpointInStore(id: string, store: string | undefined, timeoutMs: number): Promise<Endpoint> {
  const location = parseStore(store ?? settings.store.default);
  if ('fault' in location) throw new UsageError(`${settings.store.name}: ${location.fault}`);
  if (location.kind === 'mongodb') return await findInDatabase(id, location.uri, timeoutMs);
  const file = location.path;
  const read = await readWholeFile(file, MAX_DOCUMENT_BYTES);
  if (read.kind !== 'read') throw new Error(`${file}: ${read.kind === 'faulty' ? read.message : 'it keeps changing'}`);
  const parsed = parseDocument([{ file, text: read.text }], {
    isComplete: false,
    readSecret: () => ({ text: ANY_SECRET }),
  });
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  const { endpoints } = parsed.content;
  const endpoint = endpoints.find((candidate) => candidate.id === id);
  if (endpoint !== undefined) return endpoint;
  const nearest = findNearestName(
    id,
    endpoints.map((candidate) => candidate.id),
  );
  throw new EndpointNotFound(
    `${file} has no endpoint "${id}"${nearest === null ? '' : `; did you mean "${nearest}"?`}`,
  );
}

async function findInDatabase(id: string, uri: string, timeoutMs: number): Promise<Endpoint> {
  const { openMongoDbStore, requireResource, systemClock } = await loadDatabaseModules();
  const look = { command: 'endpoint show', actor: 'a partner', timeoutMs };
  const wish = { ...look, environment: {}, needsSecrets: false, warn: () => undefined };
  await using store = await openMongoDbStore(uri, wish, systemClock);
  return (await requireResource(store.resources, 'endpoint', id)).resource;
}

/** On its own: the compiler leaves the names of modules as they are in a function with `await using`. */
async function loadDatabaseModules() {
  const [{ openMongoDbStore }, { requireResource }, { systemClock }] = await Promise.all([
    import('../store/open-mongodb-store.ts'),
    import('../store/require-resource.ts'),
    import('../../clock.ts'),
  ]);
  return { openMongoDbStore, requireResource, systemClock };
}

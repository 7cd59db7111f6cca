import { isDeepStrictEqual } from 'node:util';
import type { Change } from '../../../manage/change.ts';
import { Conflict } from '../../../manage/resource-store.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { findMatchCollisions } from '../../../route/collisions.ts';
import { collectionNames } from '../documents.ts';
import { readEndpointDocument } from '../mapping/records.ts';
import { changesOfKind } from './changes.ts';
import type { CommitContext } from './commit-context.ts';

/**
 * Rejects with {@link Conflict} when, after the changes were written, an endpoint that was made or got another `match`
 * claims the same requests as another one, disabled ones too (spec §2.3). Documents that say nothing claim nothing.
 */
export async function checkCollisions(changes: readonly Change[], { db, session }: CommitContext): Promise<void> {
  const moved = new Set(
    changesOfKind(changes, 'endpoint')
      .filter(({ before, after }) => after !== null && !isDeepStrictEqual(before?.resource.match, after.match))
      .map(({ id }) => id),
  );
  if (moved.size === 0) return;
  const endpoints: Endpoint[] = [];
  for await (const document of db.collection(collectionNames.endpoints).find({}, { session })) {
    const mapped = readEndpointDocument(document);
    if ('value' in mapped) endpoints.push(mapped.value);
  }
  const collision = findMatchCollisions(endpoints).find(
    ({ first, second }) => moved.has(first.id) || moved.has(second.id),
  );
  if (collision === undefined) return;
  const { first, second, rule } = collision;
  throw new Conflict(
    `the endpoints "${first.id}" and "${second.id}" would take the same requests (${rule}); change the match of one. Nothing was changed`,
  );
}

import type { Clock } from '../../clock.ts';
import { nameOfCommand } from '../../store/mongodb/connect.ts';
import { describeFault } from '../../store/mongodb/mapping/document-fault.ts';
import { openMongoStore } from '../../store/mongodb/open-mongo-store.ts';
import { requireSchema } from '../../store/mongodb/schema/schema-version.ts';
import { isKeyRingNamed, type OpenedStore, openKeyRing, type StoreWish } from './open-store.ts';

/** Commands that can begin an empty database; any other would only say that nothing is there. */
const BEGINNING = ['endpoint create', 'consumer create', 'apply', 'diff'];

/**
 * Opens the database of a MongoDB address. The key ring is read only for commands that need secrets: looking around
 * works without it. Rejects as `openStore` says, with `FaultyKeyRing`, and for a database that no Postern was used with.
 */
export async function openMongoDbStore(
  uri: string,
  { environment, needsSecrets, warn, command, actor, timeoutMs }: Omit<StoreWish, 'store'> & { readonly actor: string },
  clock: Clock,
): Promise<Omit<OpenedStore, 'actor'>> {
  const usesRing = needsSecrets === 'where-possible' ? isKeyRingNamed(environment) : needsSecrets !== false;
  const sealer = usesRing ? await openKeyRing(environment, warn) : null;
  const opened = openMongoStore(uri, {
    sealer,
    keepsUnopened: needsSecrets !== true,
    acceptsNewRing: needsSecrets === 'new-ring',
    clock,
    timeoutMs,
    appName: nameOfCommand(command, actor),
    onWait: warn,
    onFault: (fault) => {
      warn(`left out, because it cannot be read: ${describeFault(fault)}`);
    },
  });
  try {
    if (!BEGINNING.includes(command)) await requireSchema(opened.db, AbortSignal.timeout(timeoutMs));
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
  return { ...opened, file: null };
}

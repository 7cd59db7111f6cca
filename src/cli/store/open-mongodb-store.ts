import type { Clock } from '../../clock.ts';
import { type Environment, settings } from '../../config.ts';
import { KeyRing } from '../../keyring/key-ring.ts';
import { loadKeyRing } from '../../keyring/load-key-ring.ts';
import { parseKeyRingLocation } from '../../keyring/ring-location.ts';
import type { Sealer } from '../../keyring/sealed.ts';
import { describeFault } from '../../store/mongodb/mapping/document-fault.ts';
import { nameOfCommand } from '../../store/mongodb/connect.ts';
import { openMongoStore } from '../../store/mongodb/open-mongo-store.ts';
import { requireSchema } from '../../store/mongodb/schema/schema-version.ts';
import { UsageError } from '../partner/usage-error.ts';
import type { OpenedStore, StoreWish } from './open-store.ts';

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
  const isRingNamed = (environment[settings.keyring.name] ?? '') !== '';
  const usesRing = needsSecrets === 'where-possible' ? isRingNamed : needsSecrets !== false;
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

async function openKeyRing(environment: Environment, warn: StoreWish['warn']): Promise<Sealer> {
  const { name } = settings.keyring;
  const text = environment[name];
  if (text === undefined || text === '') {
    throw new UsageError(
      `${name} is missing: the place of the key ring with which this store's secrets are encrypted; "postern keyring create FILE" makes one for a new store`,
    );
  }
  const location = parseKeyRingLocation(text);
  if ('fault' in location) throw new UsageError(`${name}: ${location.fault}`);
  const { content, warnings } = await loadKeyRing(location, environment);
  for (const warning of warnings) warn(warning);
  return new KeyRing(content);
}

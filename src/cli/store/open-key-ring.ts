import { type Environment, settings } from '../../config.ts';
import { KeyRing } from '../../keyring/key-ring.ts';
import { loadKeyRing } from '../../keyring/read-key-ring.ts';
import { parseKeyRingLocation } from '../../keyring/ring-location.ts';
import { UsageError } from '../partner/usage-error.ts';

/** Whether `POSTERN_KEYRING` names a key ring. */
export function isKeyRingNamed(environment: Environment): boolean {
  return (environment[settings.keyring.name] ?? '') !== '';
}

/**
 * Reads the key ring that `POSTERN_KEYRING` names. Rejects with `UsageError` where it names none, and `FaultyKeyRing`.
 *
 * @param warn is told who else can read it
 */
export async function openKeyRing(environment: Environment, warn: (message: string) => void): Promise<KeyRing> {
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

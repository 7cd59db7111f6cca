import type { Environment } from '../config.ts';
import { formatProblem } from '../document/problem.ts';
import { readKeyRing } from '../keyring/read-key-ring.ts';
import { formatKeyRingLocation, type KeyRingLocation } from '../keyring/ring-location.ts';
import { fault, fine, type Finding, warning } from './finding.ts';

/** Reads the key ring as `serve` would, and tells who else can. No finding holds a key. */
export async function checkKeyRing(location: KeyRingLocation, environment: Environment): Promise<readonly Finding[]> {
  const subject = `key ring ${formatKeyRingLocation(location)}`;
  const found = await readKeyRing(location, environment);
  if (found.kind === 'changing') {
    return [warning(subject, 'it is being written to at this moment', 'run doctor again')];
  }
  if (found.kind === 'faulty') {
    const advice = found.isMissing
      ? 'put the key ring of this store there; "postern keyring create" makes one for a new store'
      : 'mend it, or put a copy of the right one there';
    return found.problems.map((problem) => fault(subject, formatProblem(problem), advice));
  }
  const { currentKeyId, keys } = found.content;
  const count = keys.length === 1 ? 'one key' : `${String(keys.length)} keys`;
  return [
    fine(subject, `holds ${count}; ${currentKeyId} is the one in use`),
    ...found.warnings.map((text) => warning(subject, text, 'chmod 600 FILE')),
  ];
}

import { setTimeout as delay } from 'node:timers/promises';
import { formatProblem, type Problem } from '../document/problem.ts';
import { type Environment, type FoundKeyRing, readKeyRing } from './read-key-ring.ts';
import { formatKeyRingLocation, type KeyRingLocation } from './ring-location.ts';

/** A ring that is being written is tried again this often. */
const MAX_ATTEMPTS = 20;
const ATTEMPT_INTERVAL_MS = 100;

/** There is no good key ring at the place that was named. The message lists every problem, and what to do. */
export class FaultyKeyRing extends Error {
  override readonly name = 'FaultyKeyRing';
  readonly problems: readonly Problem[];
  /** Whether there is no such file or variable at all. */
  readonly isMissing: boolean;

  constructor(location: KeyRingLocation, problems: readonly Problem[], isMissing: boolean) {
    const create =
      location.kind === 'file'
        ? `"postern keyring create ${location.path}"`
        : `"postern keyring create FILE", whose text then goes into ${location.name},`;
    super(
      [
        'POSTERN_KEYRING names no key ring that can be used:',
        ...problems.map(formatProblem),
        `Put the key ring of this store there. ${create} makes a new one for a new store; it opens nothing that another one sealed.`,
      ].join('\n'),
    );
    this.problems = problems;
    this.isMissing = isMissing;
  }
}

/** Reads a key ring once, as commands do. Rejects with {@link FaultyKeyRing}. */
export async function loadKeyRing(
  location: KeyRingLocation,
  environment: Environment,
): Promise<FoundKeyRing & { readonly kind: 'good' }> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const found = await readKeyRing(location, environment);
    if (found.kind === 'good') return found;
    if (found.kind === 'faulty') throw new FaultyKeyRing(location, found.problems, found.isMissing);
    await delay(ATTEMPT_INTERVAL_MS);
  }
  const message = 'the file keeps changing while it is read';
  const problem: Problem = { file: formatKeyRingLocation(location), line: 1, column: 1, path: '', message };
  throw new FaultyKeyRing(location, [problem], false);
}

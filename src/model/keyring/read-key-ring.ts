import { setTimeout as delay } from 'node:timers/promises';
import { formatProblem, type Problem, problemOf } from '../document/problem.ts';
import type { UnreadSource, DocumentSource } from '../document/source-text.ts';
import type { Fingerprint } from '../../base/files/fingerprint.ts';
import { findOthersAccess, readWholeFile } from '../../base/files/read-whole-file.ts';
import type { RingContent } from './ring-content.ts';
import { parseKeyRing } from './ring-document.ts';
import { formatKeyRingLocation, type KeyRingLocation } from './ring-location.ts';

/** Variables by name, for `env:NAME`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A key ring as it was found, or everything that is wrong with it; `changing` when it was written during the read. */
export type FoundKeyRing =
  | {
      readonly kind: 'good';
      readonly content: RingContent;
      readonly fingerprint: Fingerprint;
      /** What an operator should know although the ring is good; sentences without secrets. */
      readonly warnings: readonly string[];
    }
  | {
      readonly kind: 'faulty';
      readonly problems: readonly Problem[];
      readonly fingerprint: Fingerprint;
      /** Whether there is no such file or variable at all. */
      readonly isMissing: boolean;
    }
  | { readonly kind: 'changing' };

const MAX_RING_BYTES = 16 * 1024 * 1024;

/** The fingerprint of a ring in the environment, which never changes. */
const FIXED: Fingerprint = 'environment';
const NOT_SET: Fingerprint = 'environment: not set';
const missing: readonly Fingerprint[] = [NOT_SET, 'absent: ENOENT'];

/** Reads a key ring where it is. Nothing of what it gives holds a piece of a key, but the ring itself. */
export async function readKeyRing(location: KeyRingLocation, environment: Environment): Promise<FoundKeyRing> {
  const file = formatKeyRingLocation(location);
  if (location.kind === 'environment') {
    const text = environment[location.name] ?? '';
    const message = 'this environment variable is not set; put the text of a key ring into it';
    return text === '' ? parse({ file, line: 1, message }, NOT_SET, []) : parse({ file, text }, FIXED, []);
  }
  const read = await readWholeFile(location.path, MAX_RING_BYTES);
  if (read.kind === 'changing') return read;
  const { fingerprint } = read;
  if (read.kind === 'faulty') return parse({ file, line: read.line, message: read.message }, fingerprint, []);
  return parse({ file, text: read.text }, fingerprint, await findWarnings(location.path));
}

function parse(
  source: DocumentSource | UnreadSource,
  fingerprint: Fingerprint,
  warnings: readonly string[],
): FoundKeyRing {
  const parsed = parseKeyRing(source);
  return 'problems' in parsed
    ? { kind: 'faulty', problems: parsed.problems, fingerprint, isMissing: missing.includes(fingerprint) }
    : { kind: 'good', content: parsed.content, fingerprint, warnings };
}

/**
 * Kubernetes mounts a Secret readable by everyone unless it says `defaultMode`: a reason to warn, and none to refuse.
 */
async function findWarnings(path: string): Promise<readonly string[]> {
  const mode = await findOthersAccess(path);
  return mode === null
    ? []
    : [`${path}: others than its owner have access to this key ring (mode ${mode}); chmod it to 0600 or 0400`];
}

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
  const file = formatKeyRingLocation(location);
  throw new FaultyKeyRing(location, [problemOf(file, 1, 'the file keeps changing while it is read')], false);
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { type Fingerprint, readFingerprint } from '../store/file/fingerprint.ts';
import { findUntimely, readTlsFiles, type TlsFiles, type TlsMaterial } from './tls-files.ts';
import { TlsProblem } from './tls-problem.ts';

const POLL_INTERVAL_MS = 1000;

/** Told what becomes of TLS files that changed. Nothing it is given holds a key. */
export interface TlsFilesObserver {
  /** These are in force. */
  taken(material: TlsMaterial): void;
  /** The files cannot be used, those in force stay. Told once, until the reason is another. */
  refused(reason: string): void;
}

/** What following takes. */
export interface FollowTlsPorts {
  /** Puts other files in force; may throw, and the former ones stay. */
  readonly replace: (material: TlsMaterial) => void;
  readonly observer: TlsFilesObserver;
  readonly clock: Clock;
  /** How often the files are looked at; a change counts once it lasts for as long. */
  readonly pollIntervalMs?: number;
}

/** TLS files and what they held when they were read first. */
export interface OpenedTlsFiles {
  readonly files: TlsFiles;
  readonly material: TlsMaterial;
  readonly fingerprint: Fingerprint;
}

/** Reads TLS files that are then followed. Rejects with {@link TlsProblem}; that a certificate has expired is no hindrance. */
export async function openTlsFiles(files: TlsFiles): Promise<OpenedTlsFiles> {
  const fingerprint = await fingerprintOf(files);
  return { files, material: await readTlsFiles(files), fingerprint };
}

/**
 * Looks at the files every second, and puts them in force when they changed, have stayed the same since the last look,
 * fit together, and are valid now. Changed authorities count by themselves where only the rest cannot be used. `stat` follows symlinks, which Kubernetes turns when a Secret changes. What cannot be
 * used is looked at again each time: the other file may come, or the time from which it is valid.
 */
export function followTlsFiles(opened: OpenedTlsFiles, ports: FollowTlsPorts): AsyncDisposable {
  const stop = new AbortController();
  const following = follow(opened, ports, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await following;
    },
  };
}

async function follow(
  { files, material: first, fingerprint }: OpenedTlsFiles,
  { replace, observer, clock, pollIntervalMs = POLL_INTERVAL_MS }: FollowTlsPorts,
  signal: AbortSignal,
): Promise<void> {
  let inForce = fingerprint;
  let lastSeen = fingerprint;
  let material = first;
  let refusedFor: string | null = null;
  const isStopping = (): boolean => signal.aborted;
  while (!isStopping()) {
    if (!(await pause(pollIntervalMs, signal))) return;
    const seen = await fingerprintOf(files);
    const isSettled = seen === lastSeen;
    lastSeen = seen;
    if (seen === inForce || !isSettled) continue;
    // What was read may be older than a change that came meanwhile.
    const isOutdated = async (): Promise<boolean> => isStopping() || (await fingerprintOf(files)) !== seen;
    const take = (taken: TlsMaterial): void => {
      replace(taken);
      material = taken;
      observer.taken(taken);
    };
    try {
      const read = await readTlsFiles(files);
      const untimely = findUntimely(read, files, clock.nowSeconds() * 1000);
      if (untimely !== null) throw new TlsProblem(untimely);
      if (await isOutdated()) continue;
      take(read);
      inForce = seen;
      refusedFor = null;
    } catch (error) {
      const changed = await readAuthoritiesAlone(files, material);
      if (changed !== null && !(await isOutdated())) {
        try {
          take(changed);
        } catch (cause) {
          // The reason why it cannot be put in force is that of the whole, told below.
          if (!(cause instanceof Error)) throw cause;
        }
      }
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== refusedFor && !isStopping()) observer.refused(reason);
      refusedFor = reason;
    }
  }
}

/**
 * What is in force with the authorities as they are now: one that was taken away must not be trusted for as long as something
 * else is wrong. Null when they are the same, or cannot be used either.
 */
async function readAuthoritiesAlone({ ca }: TlsFiles, inForce: TlsMaterial): Promise<TlsMaterial | null> {
  if (ca === null) return null;
  try {
    const read = await readTlsFiles({ certificate: null, key: null, ca });
    if (read.ca === null || inForce.ca?.equals(read.ca) === true) return null;
    return {
      ...inForce,
      ca: read.ca,
      validity: [...inForce.validity.filter(({ file }) => file !== ca), ...read.validity],
    };
  } catch (error) {
    if (error instanceof TlsProblem) return null;
    throw error;
  }
}

/** Whether the time passed; false when it was cut short. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await delay(ms, undefined, { signal, ref: false });
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  }
}

async function fingerprintOf({ certificate, key, ca }: TlsFiles): Promise<Fingerprint> {
  const present = [certificate, key, ca].filter((file) => file !== null);
  return (await Promise.all(present.map(async ({ path }) => await readFingerprint(path)))).join(' ');
}

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
 * fit together, and are valid now. `stat` follows symlinks, which Kubernetes turns when a Secret changes. What cannot be
 * used is looked at again each time: the other file may come, or the time from which it is valid.
 */
export function followTlsFiles({ files, fingerprint }: OpenedTlsFiles, ports: FollowTlsPorts): AsyncDisposable {
  const stop = new AbortController();
  const following = follow(files, fingerprint, ports, stop.signal);
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await following;
    },
  };
}

async function follow(
  files: TlsFiles,
  first: Fingerprint,
  { replace, observer, clock, pollIntervalMs = POLL_INTERVAL_MS }: FollowTlsPorts,
  signal: AbortSignal,
): Promise<void> {
  let inForce = first;
  let lastSeen = first;
  let refusedFor: string | null = null;
  const isStopping = (): boolean => signal.aborted;
  while (!isStopping()) {
    if (!(await pause(pollIntervalMs, signal))) return;
    const seen = await fingerprintOf(files);
    const isSettled = seen === lastSeen;
    lastSeen = seen;
    if (seen === inForce || !isSettled) continue;
    try {
      const material = await readTlsFiles(files);
      const untimely = findUntimely(material, files, clock.nowMs());
      if (untimely !== null) throw new TlsProblem(untimely);
      // What was read may be older than a change that came meanwhile.
      if (isStopping() || (await fingerprintOf(files)) !== seen) continue;
      replace(material);
      inForce = seen;
      refusedFor = null;
      observer.taken(material);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== refusedFor && !isStopping()) observer.refused(reason);
      refusedFor = reason;
    }
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

import type { Clock } from '../../base/clock.ts';
import { WatchedFiles } from '../../base/files/watched-files.ts';
import { findUntimely, readTlsFiles, type TlsFiles, type TlsMaterial } from './tls-files.ts';
import { TlsProblem } from './certificates.ts';

const POLL_INTERVAL_MS = 1000;

/** Notified of TLS files that changed. Nothing it is given holds a key. */
export interface TlsFilesObserver {
  /** These are in force. */
  taken(material: TlsMaterial): void;
  /** The files cannot be used, those in force stay. Called once, until the reason is another. */
  refused(reason: string): void;
}

/** What following TLS files takes, and what it calls. */
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
  readonly watched: WatchedFiles;
}

/** Reads TLS files to be followed. Rejects with {@link TlsProblem}, but not because a certificate has expired. */
export async function openTlsFiles(files: TlsFiles): Promise<OpenedTlsFiles> {
  const paths = [files.certificate, files.key, files.ca].flatMap((file) => file?.path ?? []);
  const watched = new WatchedFiles(paths);
  await watched.look();
  watched.rememberSeen();
  return { files, material: await readTlsFiles(files), watched };
}

/**
 * Looks at the files every second, and puts them in force when they changed, have stayed the same since the last look,
 * fit together, and are valid now. Changed authorities count alone where only the rest cannot be used. What cannot be
 * used is looked at again each time: the other file may come, or the time from which it is valid.
 */
export function followTlsFiles(
  { files, material: first, watched }: OpenedTlsFiles,
  { replace, observer, clock, pollIntervalMs = POLL_INTERVAL_MS }: FollowTlsPorts,
): AsyncDisposable {
  let material = first;
  let refusedFor: string | null = null;
  const take = (taken: TlsMaterial): void => {
    replace(taken);
    material = taken;
    observer.taken(taken);
  };
  const refuse = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason !== refusedFor) observer.refused(reason);
    refusedFor = reason;
  };
  return watched.follow({
    intervalMs: pollIntervalMs,
    onLook: async (change, signal) => {
      if (change !== 'settled') return;
      // What was read may be older than a change that came since.
      const isOutdated = async (): Promise<boolean> => (await watched.look()) !== 'settled' || signal.aborted;
      try {
        const read = await readTlsFiles(files);
        const untimely = findUntimely(read, files, clock.nowSeconds() * 1000);
        if (untimely !== null) throw new TlsProblem(untimely);
        if (await isOutdated()) return;
        take(read);
        watched.rememberSeen();
        refusedFor = null;
      } catch (error) {
        const changed = await readAuthoritiesAlone(files, material);
        if (changed !== null && !(await isOutdated())) {
          try {
            take(changed);
          } catch (cause) {
            // The reason why it cannot be put in force is that of the whole, logged below.
            if (!(cause instanceof Error)) throw cause;
          }
        }
        if (!signal.aborted) refuse(error);
      }
    },
    onDefect: refuse,
  });
}

/**
 * What is in force with the authorities as they are now: one that was removed must not be trusted for as long as
 * something else is wrong. Null when they are the same, or cannot be used either.
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

import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../document/problem.ts';
import type { Secret } from '../secret.ts';
import { type Fingerprint, readFingerprint } from '../../base/files/fingerprint.ts';
import { WatchedFiles } from '../../base/files/watched-files.ts';
import { findLosses, KeyRing } from './key-ring.ts';
import { type Environment, loadKeyRing, readKeyRing } from './read-key-ring.ts';
import { formatKeyRingLocation, type KeyRingLocation } from './ring-location.ts';
import type { Sealed, SealedFor, Sealer } from './sealed.ts';

/** Notified about the key ring. `source` names its place. No argument holds a key. */
export interface KeyRingObserver {
  /** A ring is in force. `warnings` are sentences for the operator. */
  loaded(source: string, ring: KeyRing, warnings: readonly string[]): void;
  /** The ring is wrong or missing now; the last good one stays in force. Called once, until the problems are others. */
  refused(source: string, problems: readonly Problem[]): void;
  /** The program itself was wrong; the last good ring stays in force. */
  defect(source: string, error: unknown): void;
}

/** What a holder needs. */
export interface KeyRingHolderPorts {
  readonly environment: Environment;
  readonly observer: KeyRingObserver;
  /** How often the file is looked at; a change counts once it lasts for as long. */
  readonly pollIntervalMs?: number;
}

const POLL_INTERVAL_MS = 1000;

/** The last good state of a key ring, kept up to date with its file; a ring in the environment stays as it is. */
export class KeyRingHolder implements Sealer, AsyncDisposable {
  readonly #location: KeyRingLocation;
  readonly #source: string;
  readonly #ports: KeyRingHolderPorts;
  #ring: KeyRing;
  /** Of the file that {@link #ring} was read from. */
  #fingerprint: Fingerprint;
  #problems: readonly Problem[] = [];
  #reloading: Promise<boolean> | null = null;
  /** Null for a ring in the environment. */
  #following: AsyncDisposable | null = null;
  #isDisposed = false;

  private constructor(
    location: KeyRingLocation,
    ports: KeyRingHolderPorts,
    loaded: { readonly ring: KeyRing; readonly fingerprint: Fingerprint },
  ) {
    this.#location = location;
    this.#source = formatKeyRingLocation(location);
    this.#ports = ports;
    this.#ring = loaded.ring;
    this.#fingerprint = loaded.fingerprint;
  }

  /** Opens a key ring for a process that runs on (spec §6). Rejects with `FaultyKeyRing` when there is no good one. */
  static async open(location: KeyRingLocation, ports: KeyRingHolderPorts): Promise<KeyRingHolder> {
    const { content, fingerprint, warnings } = await loadKeyRing(location, ports.environment);
    const holder = new KeyRingHolder(location, ports, { ring: new KeyRing(content), fingerprint });
    ports.observer.loaded(holder.#source, holder.#ring, warnings);
    if (location.kind === 'file') holder.#following = holder.#follow(location.path);
    return holder;
  }

  /** The last good ring. Read it for every use, or a rotation is missed. */
  get ring(): KeyRing {
    return this.#ring;
  }

  /** What is wrong with the ring's place now; empty while {@link ring} is what is there. */
  get problems(): readonly Problem[] {
    return this.#problems;
  }

  get keyIds(): readonly string[] {
    return this.#ring.keyIds;
  }

  get currentKeyId(): string {
    return this.#ring.currentKeyId;
  }

  seal(secret: Secret, belongsTo: SealedFor): Sealed {
    return this.#ring.seal(secret, belongsTo);
  }

  open(sealed: Sealed, belongsTo: SealedFor): Secret {
    return this.#ring.open(sealed, belongsTo);
  }

  /**
   * Looks at the file now instead of at the next turn, and gives whether another ring is in force since. Calls that
   * come together share one look, and an unchanged file is not read: many calls cost little. A wrong file, which may be
   * half written, is not reported here, but when it stays wrong.
   */
  async reload(): Promise<boolean> {
    this.#reloading ??= this.#reload().finally(() => {
      this.#reloading = null;
    });
    return await this.#reloading;
  }

  /** Stops following the file. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    await this.#following?.[Symbol.asyncDispose]();
    await this.#reloading;
  }

  async #reload(): Promise<boolean> {
    if (this.#location.kind === 'environment' || this.#isDisposed) return false;
    if ((await readFingerprint(this.#location.path)) === this.#fingerprint) return false;
    const found = await readKeyRing(this.#location, this.#ports.environment);
    if (found.kind !== 'good') return false;
    return this.#take(found);
  }

  #follow(path: string): AsyncDisposable {
    const watched = new WatchedFiles([path]);
    watched.remember(new Map([[path, this.#fingerprint]]));
    return watched.follow({
      intervalMs: this.#ports.pollIntervalMs ?? POLL_INTERVAL_MS,
      onLook: async (change) => {
        if (change === 'settled') await this.#takeSettled(watched, path);
      },
      onDefect: (error) => {
        this.#ports.observer.defect(this.#source, error);
      },
    });
  }

  async #takeSettled(watched: WatchedFiles, path: string): Promise<void> {
    const found = await readKeyRing(this.#location, this.#ports.environment);
    if (found.kind === 'changing' || this.#isDisposed) return;
    watched.remember(new Map([[path, found.fingerprint]]));
    if (found.kind === 'good') {
      this.#take(found);
      return;
    }
    const isKnown = isDeepStrictEqual(found.problems, this.#problems);
    this.#problems = found.problems;
    if (!isKnown) this.#ports.observer.refused(this.#source, found.problems);
  }

  /** Gives false for the ring that is in force already. */
  #take(found: Awaited<ReturnType<typeof loadKeyRing>>): boolean {
    const wasFaulty = this.#problems.length > 0;
    const former = this.#ring;
    if (this.#isDisposed || (found.fingerprint === this.#fingerprint && !wasFaulty)) return false;
    const ring = new KeyRing(found.content);
    this.#ring = ring;
    this.#fingerprint = found.fingerprint;
    this.#problems = [];
    this.#ports.observer.loaded(this.#source, ring, [...found.warnings, ...findLosses(former, ring)]);
    return true;
  }
}

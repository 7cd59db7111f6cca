import { BatchWriter, type BatchPorts } from '../base/batch-writer.ts';
import type { WhichSecret } from '../model/credential.ts';

/** When a credential was last used. Seconds since the epoch. */
export interface CredentialUse {
  readonly credentialId: string;
  /** With any App Secret, or none. */
  readonly lastUsedAt: number;
  /** With the retiring App Secret; null when it was not. */
  readonly retiringSecretLastUsedAt: number | null;
}

/** Keeps when credentials were used, for all replicas together. */
export interface UsageSink {
  /**
   * Stores times that are later than the stored ones; writing the same twice changes nothing. Settles within a deadline
   * of its own; rejects with `StoreUnavailable`, after which the whole batch is written again.
   */
  write(batch: readonly CredentialUse[]): Promise<void>;
}

/** A credential in use is written once in this time: so exact is the time of its last use. */
const RESOLUTION_SECONDS = 60;
const FLUSH_INTERVAL_MS = 10_000;
/** Credentials that are kept at most, each about 150 bytes; one more drops the one kept longest. */
export const MAX_KEPT = 50_000;
/** How long disposal waits for the last batch. */
const LAST_WRITE_MS = 2000;

/** What a recorder needs. */
export interface UsageRecorderPorts extends BatchPorts {
  readonly sink: UsageSink;
}

/**
 * Remembers when credentials are used, and writes it in batches every ten seconds, off the path of checks (spec §1
 * `lastUsedAt`). A use in the minute after one that was noted is not noted: recording it costs one look-up in a map.
 */
export class UsageRecorder implements AsyncDisposable {
  readonly #sink: UsageSink;
  readonly #writer: BatchWriter;
  readonly #maxKept: number;
  /** In the order in which they were first kept. */
  readonly #uses = new Map<string, Use>();
  #toWrite = new Set<Use>();
  #dropped = 0;

  constructor(ports: UsageRecorderPorts, maxKept: number = MAX_KEPT) {
    this.#sink = ports.sink;
    const work = { isWaiting: () => this.#toWrite.size > 0, write: () => this.#write() };
    this.#writer = new BatchWriter(work, ports, { intervalMs: FLUSH_INTERVAL_MS, lastWriteMs: LAST_WRITE_MS });
    this.#maxKept = maxKept;
  }

  get pending(): number {
    return this.#toWrite.size;
  }

  /** Uses that were lost, because too many waited to be written. */
  get dropped(): number {
    return this.#dropped;
  }

  /** A check was allowed on behalf of this credential. */
  used(credentialId: string, secret: WhichSecret, nowSeconds: number): void {
    const use = this.#uses.get(credentialId);
    if (use === undefined) {
      if (this.#uses.size >= this.#maxKept) this.#dropOldest();
      const retiringSecretLastUsedAt = secret === 'retiring' ? nowSeconds : null;
      const first: Use = { credentialId, lastUsedAt: nowSeconds, retiringSecretLastUsedAt };
      this.#uses.set(credentialId, first);
      this.#writeLater(first);
      return;
    }
    const notedAt = secret === 'current' ? use.lastUsedAt : use.retiringSecretLastUsedAt;
    if (notedAt !== null && nowSeconds - notedAt < RESOLUTION_SECONDS) return;
    use.lastUsedAt = Math.max(use.lastUsedAt, nowSeconds);
    if (secret === 'retiring') use.retiringSecretLastUsedAt = nowSeconds;
    this.#writeLater(use);
  }

  /** Writes what there is, waiting two seconds at most, and ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer[Symbol.asyncDispose]();
  }

  #dropOldest(): void {
    const [oldest] = this.#uses.values();
    if (oldest === undefined) return;
    this.#uses.delete(oldest.credentialId);
    if (this.#toWrite.delete(oldest)) this.#dropped += 1;
  }

  #writeLater(use: Use): void {
    this.#toWrite.add(use);
    this.#writer.wake();
  }

  /** Uses during a write belong to the next batch. */
  async #write(): Promise<void> {
    const written = this.#toWrite;
    this.#toWrite = new Set();
    const batch = [...written].map((use) => ({ ...use }));
    try {
      await this.#sink.write(batch);
    } catch (error) {
      this.#keepUnwritten(written);
      throw error;
    }
    this.#forget(batch);
  }

  /** A use that made room for others during the write is lost, unless the credential was used and kept again. */
  #keepUnwritten(uses: ReadonlySet<Use>): void {
    for (const use of uses) {
      const kept = this.#uses.get(use.credentialId);
      if (kept === use) this.#toWrite.add(use);
      else if (kept === undefined) this.#dropped += 1;
    }
  }

  /** A written use is kept only as long as it saves writing it again. */
  #forget(batch: readonly CredentialUse[]): void {
    const newest = batch.reduce((latest, { lastUsedAt }) => Math.max(latest, lastUsedAt), 0);
    for (const use of this.#uses.values()) {
      if (!this.#toWrite.has(use) && use.lastUsedAt <= newest - RESOLUTION_SECONDS) this.#uses.delete(use.credentialId);
    }
  }
}

type Use = { -readonly [K in keyof CredentialUse]: CredentialUse[K] };

import type { MongoClient } from 'mongodb';
import { backOffMs } from '../deadline.ts';
import type { CausalFloor } from './change-stream.ts';
import { readClaimNames, type StoredClaimNames } from './claim-names.ts';
import { RepeatedReading } from './repeated-reading.ts';

/** What reading claims again takes, and what it calls. */
export interface ClaimNamesReaderPorts {
  /** For `changes`. */
  readonly client: MongoClient;
  readonly floor: CausalFloor;
  readonly observer: { defect(error: unknown): void };
  /** The issuers of now. Called before they are read. */
  readonly begin: () => readonly string[];
  readonly onRead: (all: readonly StoredClaimNames[]) => void;
}

/** Changes that come together are followed by one reading. */
const GAP_MS = 300;
/** Nothing is read without a change. */
const NEVER_MS = 2 ** 31 - 1;

/** Reads the claims of issuers again where a change does not say what they are now: after a removal or an edit. */
export class ClaimNamesReader implements AsyncDisposable {
  readonly #ports: ClaimNamesReaderPorts;
  readonly #reading: RepeatedReading;
  #isWanted = false;

  constructor(ports: ClaimNamesReaderPorts) {
    this.#ports = ports;
    this.#reading = new RepeatedReading({
      read: (signal) => this.#readIfWanted(signal),
      pauseMs: (failures) => (failures > 0 ? backOffMs(failures - 1) : NEVER_MS),
      gapMs: GAP_MS,
      observer: ports.observer,
    });
  }

  readSoon(): void {
    this.#isWanted = true;
    this.#reading.readSoon();
  }

  /** Stops. No callback comes after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading[Symbol.asyncDispose]();
  }

  async #readIfWanted(signal: AbortSignal): Promise<void> {
    if (!this.#isWanted) return;
    this.#isWanted = false;
    const { client, floor, begin, onRead } = this.#ports;
    try {
      await using session = client.startSession({ causalConsistency: true });
      floor.applyTo(session);
      onRead(await readClaimNames(client.db(), begin(), { session, signal }));
    } catch (error) {
      this.#isWanted = true;
      throw error;
    }
  }
}

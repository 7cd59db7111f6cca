import { type CredentialReader } from '../../../src/stores/cache/look-ups.ts';
import { type Outlook } from '../../../src/base/resilience/breaker.ts';
import { type HeldCredential, StoreUnavailable } from '../../../src/check/store/credential-source.ts';

/** A read that waits for its answer. */
export interface OpenRead {
  readonly appKeyHash: string;
  answer(held: HeldCredential | null): void;
  fail(error?: unknown): void;
}

/** A store whose reads end when, and as, the test says. */
export class ManualReader implements CredentialReader {
  outlook: Outlook = 'reachable';
  /** Reads that wait for their answer, in the order in which they came. */
  readonly open: OpenRead[] = [];
  /** All reads so far, by the hash that was asked for. */
  readonly asked: string[] = [];

  read(appKeyHash: string): Promise<HeldCredential | null> {
    this.asked.push(appKeyHash);
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.open.splice(this.open.indexOf(read), 1);
      };
      const read: OpenRead = {
        appKeyHash,
        answer: (held) => {
          end();
          resolve(held);
        },
        fail: (error = new StoreUnavailable('no primary')) => {
          end();
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
          reject(error);
        },
      };
      this.open.push(read);
    });
  }

  /** The first read that waits. */
  get next(): OpenRead {
    const [first] = this.open;
    if (first === undefined) throw new Error('no read waits for its answer');
    return first;
  }
}

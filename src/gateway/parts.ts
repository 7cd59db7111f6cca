import type { Clock } from '../base/clock.ts';
import type { Config } from './config.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from './observe/logger.ts';
import type { Metrics } from './observe/metrics.ts';

/** What a service takes from the process it runs in. */
export interface ProcessPorts {
  readonly config: Config;
  /** Where `appSecretFrom` finds variables. */
  readonly environment: Environment;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What every part of the gateway is built with. */
export interface PartPorts extends ProcessPorts {
  readonly metrics: Metrics;
}

/**
 * The parts of a whole, ended together: the last first, each when the one after it has ended. (Node has an
 * `AsyncDisposableStack` from version 24 on.)
 */
export class OwnedParts implements AsyncDisposable {
  readonly #parts: (AsyncDisposable | Disposable)[] = [];

  /** Takes a part over, or null for a part that is not there, and gives it back. */
  own<T extends AsyncDisposable | Disposable | null>(part: T): T {
    if (part !== null) this.#parts.push(part);
    return part;
  }

  /** Ends every part once, also when called again. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      if (Symbol.asyncDispose in part) await part[Symbol.asyncDispose]();
      else part[Symbol.dispose]();
    }
  }
}

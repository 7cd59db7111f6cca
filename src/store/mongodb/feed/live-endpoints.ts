import type { Clock, StartTimer } from '../../../clock.ts';
import type { RawDocument } from '../mapping/document-fault.ts';
import { type CompiledEndpoints, EndpointDirectory } from './endpoint-directory.ts';

/** Changes that come together are compiled together. */
const COMPILE_DELAY_MS = 5;
/** Compiling takes at most this part of the time, however often endpoints change. */
const COMPILE_SHARE = 0.1;

/** What keeping endpoints compiled takes, and what it calls. */
export interface LiveEndpointsPorts {
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  /** After the whole collection was taken (`loaded`), or soon after changes (`changed`). */
  readonly onCompiled: (compiled: CompiledEndpoints, why: 'loaded' | 'changed') => void;
}

/** Keeps the endpoints of a database compiled: at once as a whole, and soon after changes. */
export class LiveEndpoints implements Disposable {
  readonly #ports: LiveEndpointsPorts;
  readonly #directory = new EndpointDirectory();
  #cancelCompiling: (() => void) | null = null;
  #compileMs = 0;

  constructor(ports: LiveEndpointsPorts) {
    this.#ports = ports;
  }

  replaceAll(documents: readonly RawDocument[]): void {
    this.#directory.replaceAll(documents);
    this.#compile('loaded');
  }

  change(id: unknown, document: RawDocument | null): void {
    if (document === null) this.#directory.remove(id);
    else this.#directory.set(document);
    const delayMs = Math.max(COMPILE_DELAY_MS, this.#compileMs / COMPILE_SHARE);
    this.#cancelCompiling ??= this.#ports.startTimer(delayMs, () => {
      this.#compile('changed');
    });
  }

  [Symbol.dispose](): void {
    this.#cancelCompiling?.();
  }

  #compile(why: 'loaded' | 'changed'): void {
    const { clock, onCompiled } = this.#ports;
    this.#cancelCompiling?.();
    this.#cancelCompiling = null;
    const startMs = clock.nowMs();
    const compiled = this.#directory.compile();
    this.#compileMs = clock.nowMs() - startMs;
    onCompiled(compiled, why);
  }
}

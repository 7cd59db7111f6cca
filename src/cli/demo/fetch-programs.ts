import { InstallFailure, type InstallProgress, installServices } from '../../../services/install-services.mjs';
import { DemoFailure } from './demo-failure.ts';

const BAR_CELLS = 24;
const BYTES_PER_MEGABYTE = 1_000_000;

/** Programs that the demo runs, as scripts/install-services names them. */
export type DemoProgram = 'envoy' | 'mongodb' | 'ratelimit' | 'redis';

/** Gives the paths of pinned programs; what is missing is fetched first. Rejects with the reason of `signal`. */
export async function fetchPrograms<Program extends DemoProgram>(
  programs: readonly Program[],
  status: StatusLine,
  signal: AbortSignal,
): Promise<Readonly<Record<Program, string>>> {
  try {
    return await installServices(programs, {
      signal,
      onProgress: (progress) => {
        show(progress, status);
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof InstallFailure ? new DemoFailure(error.message, { cause: error }) : error;
  } finally {
    status.clear();
  }
}

function show(progress: InstallProgress, status: StatusLine): void {
  switch (progress.phase) {
    case 'waiting':
      status.show(`${progress.title}: waiting for another installation to end`);
      break;
    case 'downloading':
      status.show(`${progress.title}: downloading`, barText(progress.bytes, progress.totalBytes));
      break;
    case 'unpacking':
    case 'building':
      status.show(`${progress.title}: ${progress.phase}`);
      break;
    case 'ready':
      break;
  }
}

function barText(bytes: number | undefined, totalBytes: number | undefined): string {
  if (bytes === undefined || totalBytes === undefined) return '';
  const filled = Math.round((BAR_CELLS * bytes) / totalBytes);
  const [done, total] = [bytes, totalBytes].map((count) => (count / BYTES_PER_MEGABYTE).toFixed(0));
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_CELLS - filled)}  ${String(done)} of ${String(total)} MB`;
}

const CLEAR_LINE = '\r\u001b[K';

/** Shows progress: one line that changes on a terminal, elsewhere a line for each new step. */
export class StatusLine {
  readonly #output: DemoOutput;
  #step = '';
  #isShown = false;

  constructor(output: DemoOutput) {
    this.#output = output;
  }

  /** `progress` is what changes within a step. */
  show(step: string, progress = ''): void {
    if (this.#output.isTerminal) {
      this.#output.write(`${CLEAR_LINE}${step}${progress === '' ? ' …' : `  ${progress}`}`);
      this.#isShown = true;
    } else if (step !== this.#step) {
      this.#output.write(`${step} …\n`);
    }
    this.#step = step;
  }

  /** Leaves no trace on a terminal. */
  clear(): void {
    if (this.#isShown) this.#output.write(CLEAR_LINE);
    this.#isShown = false;
  }
}

/** Where the demo writes. */
export interface DemoOutput {
  write(text: string): void;
  /** Whether people look at it, so that colours and progress make sense. */
  readonly isTerminal: boolean;
}

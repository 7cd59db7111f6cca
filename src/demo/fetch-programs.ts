import { InstallFailure, type InstallProgress, installServices } from '../../scripts/install-services.mjs';
import { DemoFailure } from './demo-failure.ts';
import type { StatusLine } from './status-line.ts';

const BAR_CELLS = 24;
const BYTES_PER_MEGABYTE = 1_000_000;

/** Programs that the demo runs, as scripts/install-services names them. */
export type DemoProgram = 'envoy' | 'ratelimit' | 'redis';

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

import { fileURLToPath } from 'node:url';
import { startChild } from '../../../test/support/process/child-process.ts';
import { readMemory } from '../../process/figures.ts';

const program = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const LOOK_EVERY_MS = 50;

/** What a command cost. */
export interface CommandCost {
  readonly seconds: number;
  /** The most resident memory that was seen; up to 50 ms before the end are missing. */
  readonly peakMiB: number;
  /** The last lines that it printed. */
  readonly tail: string;
}

/** Runs `postern` with these arguments; rejects when it does not end with 0. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandCost> {
  const startMs = performance.now();
  const child = await startChild({ command: process.execPath, args: [program, ...args], env: environment });
  let peakMiB = 0;
  const looking = setInterval(() => {
    peakMiB = Math.max(peakMiB, readPeakMiB(child.pid));
  }, LOOK_EVERY_MS);
  const { code } = await child.ended;
  clearInterval(looking);
  const tail = (child.stdout() + child.stderr()).slice(-2000);
  if (code !== 0) throw new Error(`postern ${args.join(' ')} ended with ${String(code)}: ${tail}`);
  return { seconds: (performance.now() - startMs) / 1000, peakMiB, tail };
}

/** 0 for a process that is just ending and has no memory any more. */
function readPeakMiB(pid: number): number {
  try {
    return readMemory(pid).peakMiB;
  } catch {
    return 0; // /proc says nothing about it
  }
}

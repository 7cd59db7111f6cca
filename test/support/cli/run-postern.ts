import { execFile } from 'node:child_process';
import { type PosternSettings } from '../stack/postern-process.ts';

const program = new URL('../../../dist/main.js', import.meta.url).pathname;
const deadlineMs = 120_000;

/** How a command ended, and what it wrote. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the built `postern` with these arguments in a process of its own, without standard input. */
export async function runPostern(args: readonly string[], settings: PosternSettings, cwd?: string): Promise<Ended> {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('POSTERN_'));
  return await new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, ...args],
      { env: { ...Object.fromEntries(others), ...settings }, timeout: deadlineMs, maxBuffer: 1 << 26, cwd },
      (error, out, err) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number') resolve({ code, out, err });
        else reject(new Error(`postern ${args.join(' ')} did not end by itself: ${err}`, { cause: error }));
      },
    ).stdin?.end();
  });
}

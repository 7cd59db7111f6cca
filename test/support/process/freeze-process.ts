import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { poll } from '../time/poll.ts';

/** The state behind the name in brackets, `T` for stopped (proc(5)). */
const STOPPED = /\) T /;

/**
 * Stops a process without closing its connections (SIGSTOP). Resolves when each of its threads stands still: on a busy
 * machine those that run go on for a moment after the signal. Where there is no `/proc`, the signal has to do.
 */
export async function freezeProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  if (process.platform !== 'linux') return;
  const tasks = `/proc/${String(pid)}/task`;
  await poll(`process ${String(pid)} to stand still`, async () => {
    const states = (await readdir(tasks)).map((task) => readFile(join(tasks, task, 'stat'), 'utf8'));
    return (await Promise.all(states)).every((stat) => STOPPED.test(stat)) ? true : null;
  });
}

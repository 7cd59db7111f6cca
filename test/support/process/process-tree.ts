import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { poll } from '../time/poll.ts';

/** Children first, then theirs, by proc(5). */
export async function descendantsOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8').catch(() => '');
  const children = text.split(' ').filter(Boolean).map(Number);
  const below = await Promise.all(children.map(descendantsOf));
  return [...children, ...below.flat()];
}

/** The descendant of this name, as soon as there is one. */
export async function descendantNamed(pid: number, name: string): Promise<number> {
  return await poll(`a process ${name}`, async () => {
    const processes = await descendantsOf(pid);
    const names = await Promise.all(processes.map((each) => nameOf(each).catch(() => null)));
    return processes[names.indexOf(name)] ?? null;
  });
}

/** The name of a process. */
export async function nameOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${String(pid)}/comm`, 'utf8')).trim();
}

/** Waits until none of the processes runs; one whose parent has not yet collected it does not. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  assert.ok(pids.length > 0);
  await poll('the end of the processes', async () => {
    const states = await Promise.all(
      pids.map(async (pid) => await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => null)),
    );
    return states.every((state) => state === null || /\) Z /.test(state)) ? true : null;
  });
}

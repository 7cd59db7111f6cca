import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Program } from '../../../../src/cli/programs/program.ts';
import { poll } from '../../../support/time/poll.ts';

const source = new URL('../../../../src/cli/programs/program.ts', import.meta.url).href;

describe('a program beside this process', () => {
  it('ends in its own way, and nothing but its own output is read', async () => {
    const program = await Program.start({ program: '/bin/sh', args: ['-c', 'cat; echo out; echo err >&2; exit 3'] });
    const read = { stdout: '', stderr: '' };
    program.onOutput((piece, stream) => {
      read[stream] += piece;
    });
    assert.deepEqual(await program.ended, { code: 3, signal: null });
    assert.deepEqual(read, { stdout: 'out\n', stderr: 'err\n' });
  });

  it('is stopped with SIGTERM', async () => {
    const program = await Program.start({ program: '/bin/sleep', args: ['60'] });
    program.onOutput(() => undefined);
    assert.deepEqual(await program.stop(), { code: null, signal: 'SIGTERM' });
  });

  it('is killed when this process is, even by SIGKILL', async () => {
    const script = `
      const { Program } = await import(${JSON.stringify(source)});
      const program = await Program.start({ program: '/bin/sleep', args: ['60'] });
      process.stdout.write(String(program.pid));`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    parent.kill('SIGKILL');
    await poll('the program to end', async () => await Promise.resolve(isRunning(Number(pid)) ? null : true));
  });
});

/** One that was not waited for yet (state Z of proc(5)) has ended too. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

/** What figures depend on, without anything that names the machine. `node` is the Node.js that services run on. */
export function describeMachine(node: string): Readonly<Record<string, string>> {
  const [cpu] = cpus();
  const memoryGiB = (totalmem() / 2 ** 30).toFixed(0);
  return {
    machine: `${String(cpus().length)} × ${cpu?.model ?? 'unknown CPU'}, ${memoryGiB} GiB`,
    system: `Linux ${release()}, Node.js ${versionOf(node)}`,
  };
}

function versionOf(node: string): string {
  const { stdout, error } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (error !== undefined) throw new Error(`--node: ${error.message}`);
  return stdout.trim().replace(/^v/, '');
}

import { cpus, release, totalmem } from 'node:os';

/** What figures depend on, without anything that names the machine. */
export function describeMachine(): Readonly<Record<string, string>> {
  const [cpu] = cpus();
  const memoryGiB = (totalmem() / 2 ** 30).toFixed(0);
  return {
    machine: `${String(cpus().length)} × ${cpu?.model ?? 'unknown CPU'}, ${memoryGiB} GiB`,
    system: `Linux ${release()}, Node.js ${process.versions.node}`,
  };
}

import { readdirSync, readFileSync } from 'node:fs';

/** The kernel counts in these steps in `/proc/PID/stat` (USER_HZ), whatever its own clock. */
const CLOCK_TICK_US = 10_000;
/** Fields 14 and 15 of `/proc/PID/stat`, counted from the third, which follows the name in parentheses. */
const USER_TICKS = 11;
const SYSTEM_TICKS = 12;

/** Resident memory of a process in MiB: now, and the most it ever had. */
export interface Memory {
  readonly residentMiB: number;
  readonly peakMiB: number;
}

/**
 * CPU time that a process has used, user and system, in microseconds: the nanoseconds of its threads in `schedstat`,
 * or the ticks of `stat` where the kernel keeps no such statistics. Threads that ended are missing in the former; the
 * services here keep theirs.
 */
export function readCpuUs(pid: number): number {
  const threadsNs = readThreadsNs(pid);
  return threadsNs > 0 ? threadsNs / 1000 : readTicks(pid) * CLOCK_TICK_US;
}

/** Reads the memory of a process. */
export function readMemory(pid: number): Memory {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return { residentMiB: readMiB(status, 'VmRSS'), peakMiB: readMiB(status, 'VmHWM') };
}

function readThreadsNs(pid: number): number {
  let sum = 0;
  for (const thread of readdirSync(`/proc/${String(pid)}/task`)) {
    const [onCpuNs = '0'] = readIfThere(`/proc/${String(pid)}/task/${thread}/schedstat`).split(' ');
    sum += Number(onCpuNs);
  }
  return sum;
}

function readTicks(pid: number): number {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS]);
}

/** A thread may end while its directory is read, and a kernel without the statistics has no such file. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return '0';
    throw error;
  }
}

function readMiB(status: string, name: string): number {
  const kiB = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kiB === undefined) throw new Error(`/proc has no ${name}`);
  return Number(kiB) / 1024;
}

// What a test file costs: wall time, processor time of the process and of everything that it started, time in set-up
// and tear-down, and the programs that it started.
import { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The unit of proc(5): USER_HZ is 100 on every Linux. */
const ticksPerSecond = 100;

/** The processor seconds of a process and its children that ended, and its parent; null when it is gone. */
function readProcess(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), seconds: ticks / ticksPerSecond };
  } catch {
    return null; // it ended meanwhile, or there is no /proc
  }
}

/** Processor seconds so far of this process and of all below it; of this process alone where there is no `/proc`. */
function processorSeconds() {
  const own = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  if (process.platform !== 'linux') return own();
  const processes = new Map();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? readProcess(name) : null;
    if (found !== null) processes.set(Number(name), found);
  }
  const below = new Map();
  for (const [pid, { parent }] of processes) below.set(parent, [...(below.get(parent) ?? []), pid]);
  let sum = 0;
  const left = [process.pid];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    sum += processes.get(pid)?.seconds ?? 0;
    left.push(...(below.get(pid) ?? []));
  }
  return sum;
}

/** `node main.js`, `mongod`: what was started, without its arguments; also below the shell that guards a server. */
function programOf({ file = '?', args = [] }) {
  const words = basename(file) === 'sh' && args[1] === '-c' ? args.slice(4) : [file, ...args.slice(1)];
  const name = basename(words[0] ?? 'sh');
  const script = words.slice(1).find((word) => /^[^-].*\.[cm]?[jt]s$/.test(word));
  return /^node(-|$)/.test(name) && script !== undefined ? `node ${basename(script)}` : name;
}

let started = {};
const spawn = ChildProcess.prototype.spawn;
ChildProcess.prototype.spawn = function counted(options) {
  const name = programOf(options);
  started[name] = (started[name] ?? 0) + 1;
  return spawn.call(this, options);
};

/**
 * Begins to measure a file. `watch(runner)` measures the hooks of a run of mocha; `end()` gives
 * `{ wallSeconds, processorSeconds, hookSeconds, started }`.
 */
export function measureFile() {
  const begin = { at: performance.now(), processor: processorSeconds() };
  started = {};
  let hookMs = 0;
  return {
    watch: (runner) => {
      let hookAt = 0;
      runner.on('hook', () => (hookAt = performance.now()));
      runner.on('hook end', () => (hookMs += performance.now() - hookAt));
    },
    end: () => ({
      wallSeconds: (performance.now() - begin.at) / 1000,
      processorSeconds: processorSeconds() - begin.processor,
      hookSeconds: hookMs / 1000,
      started,
    }),
  };
}

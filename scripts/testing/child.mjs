// Child processes of the test runner: output kept, deadline, ended with the runner.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The top of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

const killDelayMs = 10_000;
const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of running) signalGroup(child, 'SIGTERM');
    process.exitCode = 130;
  });
}

/** Mocha starts another process, and that one servers: all of them are of one group. */
function signalGroup(child, signal) {
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // it has ended already
  }
}

/** Whether the runner is to stop; nothing new is started then. */
export const isInterrupted = () => interrupted;

/** Makes a process, the leader of its group, end with the runner. */
export function adoptChild(child) {
  running.add(child);
  child.once('close', () => running.delete(child));
}

/** Ends a process and what it started: in order, and after a while at once. */
export function endChild(child) {
  signalGroup(child, 'SIGTERM');
  setTimeout(() => signalGroup(child, 'SIGKILL'), killDelayMs).unref();
}

/**
 * Runs a program at the top of the repository and gives `{ code, output, isTooLate }`; with `verbose`, the output is
 * also shown as it comes. After `deadlineMs` it is ended.
 */
export function runChild(command, args, { env, deadlineMs, verbose = false }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own
    });
    adoptChild(child);
    let output = '';
    let isTooLate = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
        if (verbose) process.stdout.write(text);
      });
    }
    const deadline = setTimeout(() => {
      isTooLate = true;
      endChild(child);
    }, deadlineMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(deadline);
      resolve({ code, output, isTooLate });
    });
  });
}

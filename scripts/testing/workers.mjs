// The processes that run test files: each keeps its modules and shared servers from file to file.
import { fork } from 'node:child_process';
import { resolve } from 'node:path';
import { adoptChild, endChild, isInterrupted, root } from './child.mjs';

/** Several times what the longest file takes: on a busy machine it is not the file that hangs. */
const fileDeadlineMs = 15 * 60_000;
/** Enough to end servers that are shared; a process that runs on has something left open. */
const usualEndDeadlineMs = 60_000;

const nothing = { passed: 0, failed: 0, skipped: 0, output: '', measured: null };

/** A process for test files, started at the first one. */
export class Worker {
  #env;
  #verbose;
  #child = null;
  #output = '';
  #files = [];
  #endDeadlineMs;

  /** `env` is added to the environment; with `verbose`, output is also shown as it comes. */
  constructor({ env = {}, verbose = false, endDeadlineMs = usualEndDeadlineMs } = {}) {
    this.#endDeadlineMs = endDeadlineMs;
    this.#env = env;
    this.#verbose = verbose;
  }

  /**
   * Runs a test file and gives `{ passed, failed, skipped, output, measured }`; with `dryRun` nothing is run and
   * `passed` is the number of tests. A run that breaks off, or does not end, counts as one failure, and the next file
   * gets a new process.
   */
  async run(file, { timeoutMs, dryRun = false } = {}) {
    const child = (this.#child ??= this.#start());
    this.#output = '';
    this.#files.push(file);
    const broken = await new Promise((done) => {
      const settle = (value) => {
        clearTimeout(deadline);
        child.removeListener('message', settle).removeListener('gone', breakOff);
        done(value);
      };
      const breakOff = (code) => settle(`broke off with exit code ${code}`);
      const deadline = setTimeout(() => {
        endChild(child);
        settle(`did not end in ${fileDeadlineMs / 60_000} minutes`);
      }, fileDeadlineMs);
      child.once('message', settle).once('gone', breakOff);
      child.send({ file: resolve(root, file), timeoutMs, dryRun, verbose: this.#verbose, color: process.stdout.isTTY });
    });
    if (typeof broken === 'object') return { ...broken, output: this.#output };
    this.#child = null;
    this.#files = [];
    if (isInterrupted()) return { ...nothing, output: this.#output };
    return { ...nothing, failed: 1, output: `${this.#output}\n  ${file} ${broken}.\n` };
  }

  /** Lets the process end; gives what went wrong, or null. Something that tests left open keeps it from ending. */
  async end() {
    const child = this.#child;
    if (child === null) return null;
    this.#child = null;
    this.#output = '';
    const code = await new Promise((done) => {
      const deadline = setTimeout(() => {
        endChild(child);
        done('late');
      }, this.#endDeadlineMs);
      child.once('gone', (value) => {
        clearTimeout(deadline);
        done(value);
      });
      child.send('end');
    });
    if (code === 0 || isInterrupted()) return null;
    const what = code === 'late' ? 'left something open, so that their process does not end' : `ended with ${code}`;
    return `${this.#output}\n  These files ${what}:\n${this.#files.map((file) => `    ${file}\n`).join('')}`;
  }

  #start() {
    const child = fork(new URL('worker.mjs', import.meta.url), {
      cwd: root,
      env: { ...process.env, ...this.#env },
      execArgv: ['--import', 'tsx'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true, // a group of its own
    });
    adoptChild(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.#output += text;
        if (this.#verbose) process.stdout.write(text);
      });
    }
    child.once('close', (code, signal) => child.emit('gone', code ?? signal));
    return child;
  }
}

// Child processes of the installer.
import { spawn } from 'node:child_process';

/**
 * Runs a program to its end and gives `{ code, stdout, stderr }`; `code` is null when it could not be started.
 * An abort of `signal` ends the program and rejects.
 */
export function run(command, args, { cwd, env, signal } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      signal,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.once('error', (error) => {
      // An abort shows here first; the program has ended only at 'close'.
      if (child.pid === undefined) resolve({ code: null, stdout, stderr: String(error.message) });
    });
    child.once('close', (code) => {
      if (signal?.aborted) reject(signal.reason);
      else resolve({ code, stdout, stderr });
    });
  });
}

/** The last lines of a program's output, indented, for a message to a person. */
export function lastLines(text, count = 6) {
  return text
    .trim()
    .split('\n')
    .slice(-count)
    .map((line) => `    ${line}`)
    .join('\n');
}

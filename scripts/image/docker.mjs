// Runs the `docker` command, and says what to do when it cannot.
import { spawn } from 'node:child_process';

/** Something that a person has to put right. The message says what is wrong and what to do. */
export class DockerFailure extends Error {
  constructor(what, details = []) {
    super([what, ...details.map((line) => `  ${line}`)].join('\n'));
    this.name = 'DockerFailure';
  }
}

/**
 * Runs `docker` and gives `{ code, stdout, stderr }`. With `shown` it writes to this process's own output instead;
 * `stdin`, a stream, is what it reads.
 */
export function docker(args, { shown = false, stdin, env, command = 'docker' } = {}) {
  return new Promise((resolve, reject) => {
    const out = shown ? 'inherit' : 'pipe';
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', out, out],
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text) => (stderr += text));
    child.once('error', (error) => {
      if (error.code !== 'ENOENT') return reject(error);
      reject(
        new DockerFailure('There is no docker on PATH.', [
          'install Docker Engine (https://docs.docker.com/engine/install/), or Podman with its docker command',
          'without either, Postern runs from a clone: npm ci && node dist/main.js serve',
        ]),
      );
    });
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    if (stdin !== undefined) {
      stdin.pipe(child.stdin);
      child.stdin.on('error', () => undefined); // docker ended before it read everything; its exit code says why
    }
  });
}

/** As {@link docker}, for what must succeed: gives what it printed, without the last line feed. */
export async function dockerOutput(args, options) {
  const { code, stdout, stderr } = await docker(args, options);
  if (code === 0) return stdout.trimEnd();
  throw new DockerFailure(`docker ${args[0]} failed:`, lastLines(stderr || stdout));
}

/** Makes sure that an engine answers, and gives its version. */
export async function requireEngine(options) {
  const { code, stdout, stderr } = await docker(['version', '--format', '{{.Server.Version}}'], options);
  if (code === 0 && stdout.trim() !== '') return stdout.trim();
  const said = stderr.trim().split('\n').at(-1) ?? '';
  if (/permission denied/i.test(said)) {
    throw new DockerFailure('This user may not talk to the Docker engine.', [
      said,
      'add the user to the group docker and log in again, or use a rootless engine',
    ]);
  }
  throw new DockerFailure('No Docker engine answers.', [
    said,
    'start it (Linux: sudo systemctl start docker; elsewhere: Docker Desktop), or set DOCKER_HOST to the one to use',
  ]);
}

/** The last lines of a text, for a message. */
export function lastLines(text, count = 12) {
  return text.trim().split('\n').slice(-count);
}

import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { acquireAll } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

/** A `postern` for shell scripts that runs in the test process, which costs a hundredth of a Node.js process. */
export interface CommandHere extends AsyncDisposable {
  /** The folder with the program `postern`, for PATH. */
  readonly path: string;
}

/**
 * Hands arguments, environment and, where an argument is `-`, standard input over in a folder, and takes output and
 * exit code from there. Names of arguments and variables stay as they are; the working folder is the test process's.
 */
const script = (folder: string): string => `#!/bin/sh
run=$(mktemp -d '${folder}/run-XXXXXX')
for argument; do printf '%s\\0' "$argument"; done >"$run/arguments"
cat /proc/self/environ >"$run/environment"
case " $* " in *' - '*) cat >"$run/input" ;; esac
code=$(curl -sS --unix-socket '${folder}/socket' "http://postern$run")
cat "$run/out"
cat "$run/err" >&2
exit "$code"
`;

/** Starts it; what scripts run with it ends before it is disposed. */
export async function startCommandHere(): Promise<CommandHere> {
  return await acquireAll(async (keep) => {
    const { path } = keep(await temporaryDirectory());
    const server = createServer((request, answer) => {
      void run(request.url ?? '').then(
        (code) => answer.end(String(code)),
        (error: unknown) => answer.end(String(error)),
      );
    });
    server.listen(join(path, 'socket'));
    await once(server, 'listening');
    keep({
      [Symbol.asyncDispose]: async () => {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      },
    });
    const program = join(path, 'postern');
    await writeFile(program, script(path));
    await chmod(program, 0o755);
    return { path };
  });
}

/** Runs what was handed over in a folder, and gives the exit code. */
async function run(folder: string): Promise<number> {
  const read = async (name: string): Promise<readonly string[]> =>
    (await readFile(join(folder, name), 'utf8')).split('\0').slice(0, -1);
  const environment = Object.fromEntries(
    (await read('environment')).map((line) => {
      const [name = '', ...value] = line.split('=');
      return [name, value.join('=')];
    }),
  );
  const args = (await read('arguments')).map((argument) => (argument === '-' ? join(folder, 'input') : argument));
  const { code, out, err } = await runCli(args, environment);
  await writeFile(join(folder, 'out'), out);
  await writeFile(join(folder, 'err'), err);
  return code;
}

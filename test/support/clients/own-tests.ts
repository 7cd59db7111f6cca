import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from '../docs/documents.ts';

const run = promisify(execFile);

/** Folders with what tools made. */
const made = new Set(['dist', 'target', 'vendor', 'node_modules', '__pycache__', '.hypothesis', '.mypy_cache']);
/** What every client's tests read beside its folder. */
const shared = ['vectors.json', 'public-key-vectors.json', 'once.sh'].map((name) => join(projectRoot, 'clients', name));

/** What says of which version the tools are that a client's own tests run with. */
const versions: Readonly<Record<string, string>> = {
  go: 'go version; cc --version',
  java: 'java -version; mvn --version',
  javascript: 'node --version',
  php: 'php -v; cksum "$(command -v php)"',
  python: 'python3 --version; clients/python/vendor/venv/bin/python --version',
  rust: 'cargo --version; rustc --version',
  shell: 'python3 --version; for tool in dash bash busybox awk openssl curl od; do cksum "$(command -v "$tool")"; done',
};

/**
 * The last passing run of the own tests of the client in a folder of `clients/`.
 *
 * They depend on the files of that folder, the vectors, and the tools alone, not on the gateway. So they need not run
 * again while all of that stays; with `CI=true` they always do.
 */
export interface LastPass {
  /** What that run wrote; null when there is none, or something changed after it. */
  readonly stdout: string | null;
  /** Keeps what a run wrote that passed, unless something changed meanwhile. */
  readonly keep: (stdout: string) => Promise<void>;
}

/** Looks up the last passing run of a client's own tests. */
export async function lastPass(folder: string): Promise<LastPass> {
  const file = join(projectRoot, '.services/clients', `${folder}.json`);
  const state = await stateOf(folder);
  const kept = process.env['CI'] === 'true' ? null : await readFile(file, 'utf8').catch(() => null);
  const found = kept === null ? null : (JSON.parse(kept) as { readonly state: string; readonly stdout: string });
  return {
    stdout: found?.state === state ? found.stdout : null,
    keep: async (stdout) => {
      if ((await stateOf(folder)) !== state) return;
      await mkdir(join(projectRoot, '.services/clients'), { recursive: true });
      await writeFile(`${file}.next`, JSON.stringify({ state, stdout }));
      await rename(`${file}.next`, file);
    },
  };
}

/** A hash of all that the tests depend on. */
async function stateOf(folder: string): Promise<string> {
  const files = [...(await filesBelow(join(projectRoot, 'clients', folder))).sort(), ...shared];
  const hash = createHash('sha256');
  for (const file of files) {
    const content = await readFile(file);
    hash.update(`${file}\0${String(content.length)}\0`).update(content);
  }
  const path = [process.env['PATH'] ?? '', join(projectRoot, '.services/bin')].join(delimiter);
  const script = `{ ${versions[folder] ?? ''}; } 2>&1; :`;
  const { stdout } = await run('sh', ['-c', script], { cwd: projectRoot, env: { ...process.env, PATH: path } });
  return hash.update(stdout).digest('hex');
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return [path];
      return made.has(entry.name) ? [] : await filesBelow(path);
    }),
  );
  return found.flat();
}

// Builds what the tests run when the sources are newer.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runChild } from './child.mjs';

const buildDeadlineMs = 5 * 60_000;

async function newest(path, { except } = {}) {
  const top = await stat(path).catch(() => null);
  if (top === null) return 0;
  if (!top.isDirectory()) return top.mtimeMs;
  const names = await readdir(path);
  const times = await Promise.all(
    names.map((name) => join(path, name)).map((below) => (below === except ? 0 : newest(below, { except }))),
  );
  return Math.max(0, ...times);
}

/** What has to be run to bring `dist/` up to date: nothing, the compiler, or everything. */
async function staleness() {
  const [gen, src, proto] = ['src/gen', 'src', 'proto'].map((name) => join(root, name));
  const generated = await newest(gen);
  if (generated === 0 || (await newest(proto)) > generated) return 'everything';
  const built = await stat(join(root, 'dist/main.js')).catch(() => null);
  if (built === null) return 'sources';
  const sources = Math.max(await newest(src, { except: gen }), (await stat(join(root, 'tsconfig.json'))).mtimeMs);
  return sources > built.mtimeMs ? 'sources' : 'nothing';
}

/** Builds when needed; `{ code, output }` as of the compiler, or null when there was nothing to do. */
export async function buildIfStale() {
  switch (await staleness()) {
    case 'nothing':
      return null;
    case 'everything':
      return runChild('npm', ['run', '--silent', 'build'], { deadlineMs: buildDeadlineMs });
    default: {
      const compiled = await runChild(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'], {
        deadlineMs: buildDeadlineMs,
      });
      if (compiled.code !== 0) return compiled;
      const copied = await runChild(process.execPath, ['scripts/copy-assets.mjs'], { deadlineMs: buildDeadlineMs });
      if (copied.code !== 0) return copied;
      return runChild(process.execPath, ['scripts/write-help.mjs'], { deadlineMs: buildDeadlineMs });
    }
  }
}

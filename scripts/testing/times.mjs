// How long test files take, so that the longest begin first: what was measured here last, or a guess.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './child.mjs';

const path = join(root, '.services/test-seconds.json');

/**
 * Seconds, rounded, of a file that this machine has not run yet; the longest folder or file that fits counts. Only the
 * order matters: a long file that begins last makes everybody wait.
 */
const guesses = {
  'test/unit': 0.3,
  'test/conformance': 4,
  'test/integration': 6,
  'test/e2e': 6,
  'test/clients': 40,
};

const guess = (file) => {
  const [found] = Object.keys(guesses)
    .filter((start) => file.startsWith(start))
    .sort((a, b) => b.length - a.length);
  return guesses[found] ?? 1;
};

/** The seconds of each file, by what is known. */
export async function readTimes() {
  const known = await readFile(path, 'utf8').then(JSON.parse, () => ({}));
  return {
    of: (file) => known[file] ?? guess(file),
    /** Keeps what was measured, `{ file: seconds }`, for the next run. */
    keep: async (measured) => {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, `${JSON.stringify({ ...known, ...measured }, null, 1)}\n`);
    },
  };
}

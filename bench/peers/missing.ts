import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Need } from './peer.ts';

const source = fileURLToPath(new URL('../../src', import.meta.url));
const built = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** What is missing of some files, and what to do; null when nothing is. */
export function findMissing(needs: readonly Need[]): string | null {
  const missing = needs.find(({ path }) => !existsSync(path));
  return missing === undefined ? null : `missing: ${missing.remedy}`;
}

/** Tells whether `dist/` is older than the newest file of `src/`. */
export function isBuildStale(): boolean {
  if (!existsSync(built)) return false;
  const builtMs = statSync(built).mtimeMs;
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return files.some((file) => file.endsWith('.ts') && statSync(join(source, file)).mtimeMs > builtMs);
}

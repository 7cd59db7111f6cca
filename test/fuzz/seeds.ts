import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const SEEDS = new URL('./seeds/', import.meta.url);

/** The inputs that are kept for a target, one per file of test/fuzz/seeds/<target>. */
export function readSeeds(target: string): Buffer[] {
  const folder = new URL(`${target}/`, SEEDS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(new URL(name, folder)));
}

/** Keeps an input that broke a promise as a seed; gives the path of its file. */
export function keepFinding(target: string, input: Buffer): string {
  const folder = new URL(`${target}/`, SEEDS);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`found-${createHash('sha256').update(input).digest('hex').slice(0, 12)}`, folder);
  writeFileSync(file, input);
  return file.pathname;
}

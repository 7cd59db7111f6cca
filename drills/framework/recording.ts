import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What a drill printed when it was recorded; null when it never was. */
export function recordedOutput(name: string): string | null {
  const path = pathOf(name);
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** Keeps what a drill printed. */
export function recordOutput(name: string, output: string): void {
  writeFileSync(pathOf(name), `${output.replace(/^\n+/, '').trimEnd()}\n`);
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`../recorded/${name}.txt`, import.meta.url));
}

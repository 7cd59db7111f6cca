import { readFileSync } from 'node:fs';

/** Where package.json stands, seen from the bundle in `dist/lib/`. */
const MANIFEST = '../../package.json';

/** The version of this package. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL(MANIFEST, import.meta.url), 'utf8')) as { version: string };
  return version;
}

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Need } from './peer.ts';

const module = fileURLToPath(new URL('go', import.meta.url));
/** How many characters of a failed build are shown. */
const shownCharacters = 1000;

const programs = ['authz', 'backend', 'drive', 'httpdrive', 'pace', 'verify'] as const;
type GoProgram = (typeof programs)[number];

/** The path of a program of bench/peers/go, built or not. */
export function goProgram(name: GoProgram): string {
  return `${module}/bin/${name}`;
}

/** What there is to do where it could not be built. */
export function neededGoProgram(name: GoProgram): Need {
  return { path: goProgram(name), remedy: 'install Go, and run the bench again' };
}

/** Builds the Go programs; null when they are there, else why not, for people. */
export function buildGoPrograms(): string | null {
  // The installed Go builds, or nothing does: no other one is fetched.
  const env = { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
  const build = spawnSync('go', ['build', '-trimpath', '-o', 'bin/', ...programs.map((name) => `./${name}`)], {
    cwd: module,
    env,
    encoding: 'utf8',
  });
  if (build.error !== undefined) return 'Go is not installed (no "go" on PATH)';
  return build.status === 0 ? null : `"go build" failed in bench/peers/go:\n${build.stderr.slice(-shownCharacters)}`;
}

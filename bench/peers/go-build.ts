import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const module = fileURLToPath(new URL('go', import.meta.url));
/** How many characters of a failed build are shown. */
const shownCharacters = 1000;

/** The path of a program of bench/peers/go, built or not. */
export function goProgram(name: 'authz' | 'drive' | 'pace'): string {
  return `${module}/bin/${name}`;
}

/** Builds the Go programs; null when they are there, else why not, for people. */
export function buildGoPrograms(): string | null {
  // The installed Go builds, or nothing does: no other one is fetched.
  const env = { ...process.env, GOTOOLCHAIN: 'local', CGO_ENABLED: '0' };
  const build = spawnSync('go', ['build', '-trimpath', '-o', 'bin/', './authz', './drive', './pace'], {
    cwd: module,
    env,
    encoding: 'utf8',
  });
  if (build.error !== undefined) return 'Go is not installed (no "go" on PATH)';
  return build.status === 0 ? null : `"go build" failed in bench/peers/go:\n${build.stderr.slice(-shownCharacters)}`;
}

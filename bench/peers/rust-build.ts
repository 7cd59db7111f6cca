import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const crate = fileURLToPath(new URL('rust', import.meta.url));
/** How many characters of a failed build are shown. */
const shownCharacters = 1000;

/** The program of bench/peers/rust, built or not. */
export const rustProgram = `${crate}/target/release/authz`;

/** Builds the Rust program, which takes minutes the first time. Null when it is there, else why not, for people. */
export function buildRustProgram(): string | null {
  const build = spawnSync('cargo', ['build', '--release'], { cwd: crate, encoding: 'utf8' });
  if (build.error !== undefined) return 'Rust is not installed (no "cargo" on PATH)';
  return build.status === 0
    ? null
    : `"cargo build" failed in bench/peers/rust:\n${build.stderr.slice(-shownCharacters)}`;
}

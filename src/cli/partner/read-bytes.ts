import { readFileSync } from 'node:fs';

const STANDARD_INPUT = 0;

/** The bytes of a file, `-` for standard input; or why they cannot be had, such as `ENOENT`. */
export function readBytes(path: string): Buffer | string {
  try {
    return readFileSync(path === '-' ? STANDARD_INPUT : path);
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  }
}

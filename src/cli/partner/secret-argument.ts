import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

const STANDARD_INPUT = 0;

/**
 * Reads the secret that `--secret-from` names: `env:NAME`, `file:PATH`, or `-` for standard input (interfaces §5).
 * One trailing line feed is dropped; bytes that are not UTF-8 are an error. Secrets are never arguments themselves, because `ps` shows those.
 * Throws {@link UsageError}, which never holds the text.
 */
export function readSecretArgument(source: string, environment: Readonly<Record<string, string | undefined>>): string {
  const text = readSource(source, environment);
  const value = text.endsWith('\n') ? text.slice(0, -1) : text;
  if (value === '') throw new UsageError(`--secret-from ${source}: the secret is empty`);
  return value;
}

function readSource(source: string, environment: Readonly<Record<string, string | undefined>>): string {
  if (source.startsWith('env:')) {
    const name = source.slice('env:'.length);
    const text = environment[name];
    if (text === undefined) throw new UsageError(`--secret-from: the environment variable ${name} is not set`);
    return text;
  }
  if (source === '-') return readText(STANDARD_INPUT, 'standard input');
  if (source.startsWith('file:')) return readText(source.slice('file:'.length), source.slice('file:'.length));
  throw new UsageError('--secret-from takes env:NAME, file:PATH or - for standard input, never the secret itself');
}

function readText(from: string | number, shown: string): string {
  const bytes = readSourceBytes(from, shown);
  // Decoding replaces what it cannot read: the secret would silently be another one than the partner's.
  if (!isUtf8(bytes)) throw new UsageError(`--secret-from: ${shown} is not UTF-8 text`);
  return bytes.toString('utf8');
}

function readSourceBytes(from: string | number, shown: string): Buffer {
  try {
    return readFileSync(from);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new UsageError(`--secret-from: ${shown} cannot be read (${code})`, { cause: error });
  }
}

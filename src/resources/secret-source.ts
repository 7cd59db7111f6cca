import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { codeOf } from '../base/files/fingerprint.ts';
import { MAX_JWKS_BYTES } from '../model/bounds.ts';
import { MAX_PUBLIC_KEY_CHARACTERS } from '../model/public-key/read-public-key.ts';

/** Where an App Secret is kept outside the document: `appSecretFrom: { env: NAME }` or `{ file: PATH }`. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/**
 * The text of a secret, or why there is none, in words that follow `"appSecretFrom"`. They do not repeat the name of
 * the variable or file: who confuses the two writes the secret there.
 */
export type SecretAnswer = { readonly text: string } | { readonly fault: string };

/** Looks a reference of a document file up. */
export type ReadSecret = (reference: SecretReference, documentFile: string) => SecretAnswer;

/** Stands for secrets that nobody needs, so that reading a file needs none of the variables and files that it names. */
export const anySecret: ReadSecret = () => ({ text: 'x'.repeat(32) });

/** What a file with keys holds, and how many bytes of it are read at most. */
const keyFiles = {
  'public-key': { maxBytes: MAX_PUBLIC_KEY_CHARACTERS, what: 'a public key' },
  jwks: { maxBytes: MAX_JWKS_BYTES, what: 'a set of keys' },
} as const;

/**
 * The text of a file with keys, or why there is none, in words that follow `"publicKey"`. A public key unless stated
 * otherwise.
 */
export type ReadKeyFile = (file: string, documentFile: string, kind?: keyof typeof keyFiles) => SecretAnswer;

/**
 * Reads files with public keys, whose paths are relative to the document that names them. They hold no secret, and are
 * needed wherever the document is read.
 *
 * @param onFile called with the absolute path of every file before it is read, whether it can be read or not
 */
export function keyFileReader(onFile?: (path: string) => void): ReadKeyFile {
  return (file, documentFile, kind = 'public-key') => {
    const path = isAbsolute(file) ? file : resolve(dirname(documentFile), file);
    onFile?.(path);
    const { maxBytes, what } = keyFiles[kind];
    return readPlainFile(path, maxBytes, what);
  };
}

/** 256 characters of four bytes each, with room for one line feed: a longer file holds something else. */
const MAX_SECRET_FILE_BYTES = 1025;

/**
 * Reads secrets from the environment and from files, whose paths are relative to the document that names them.
 *
 * @param onFile called with the absolute path of every file before it is read, whether it can be read or not
 */
export function secretReader({
  environment,
  onFile,
}: {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly onFile?: (path: string) => void;
}): ReadSecret {
  return (reference, documentFile) => {
    if ('env' in reference) {
      const text = environment[reference.env];
      return text === undefined ? { fault: 'names an environment variable that is not set' } : { text };
    }
    const path = isAbsolute(reference.file) ? reference.file : resolve(dirname(documentFile), reference.file);
    onFile?.(path);
    return readPlainFile(path, MAX_SECRET_FILE_BYTES, 'an App Secret');
  };
}

/** Reads only plain files: opening a pipe or a device could wait for ever. */
function readPlainFile(path: string, maxBytes: number, what: string): SecretAnswer {
  let bytes: Buffer;
  try {
    const status = statSync(path);
    if (!status.isFile()) return { fault: 'names something that is not a plain file' };
    if (status.size > maxBytes) return { fault: `names a file that is too long for ${what}` };
    bytes = readFileSync(path);
  } catch (error) {
    return { fault: `names a file that cannot be read (${codeOf(error)})` };
  }
  const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes);
  if (!Buffer.from(text, 'utf8').equals(bytes)) return { fault: 'names a file that is not UTF-8 text' };
  return { text: text.endsWith('\n') ? text.slice(0, -1) : text };
}

import { statSync, type BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * Distinguishes one content of a file from another without reading it: device, inode, size and the times of the last
 * change. It follows links, so a replaced link shows as another file. A file that cannot be read is `absent: CODE`.
 */
export type Fingerprint = string;

/** Looks at a file. */
export async function readFingerprint(path: string): Promise<Fingerprint> {
  return await stat(path, { bigint: true }).then(formatFingerprint, absent);
}

/** The same at once, for a look right before a file is read. */
export function readFingerprintSync(path: string): Fingerprint {
  try {
    return formatFingerprint(statSync(path, { bigint: true }));
  } catch (error) {
    return absent(error);
  }
}

/** The fingerprint of a file by its status. */
export function formatFingerprint({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Fingerprint {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

function absent(error: unknown): Fingerprint {
  return `absent: ${codeOf(error)}`;
}

/** The code of an error of the file system, such as `ENOENT`. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

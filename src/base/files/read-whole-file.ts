import { isUtf8 } from 'node:buffer';
import { open, stat } from 'node:fs/promises';
import { codeOf, formatFingerprint, type Fingerprint } from './fingerprint.ts';
import { PERMISSIONS_MASK } from './replace-file.ts';

/** A file read as a whole, why it cannot be read, or that it was written during the reading. */
export type WholeFile =
  | { readonly kind: 'read'; readonly text: string; readonly fingerprint: Fingerprint }
  | { readonly kind: 'faulty'; readonly line: number; readonly message: string; readonly fingerprint: Fingerprint }
  | { readonly kind: 'changing' };

/** Reads a text of at most so many bytes. Never takes a part for the whole when the file changed while it was read. */
export async function readWholeFile(path: string, maxBytes: number): Promise<WholeFile> {
  let handle;
  try {
    // Opening a pipe waits for its writer: look first.
    const before = await stat(path, { bigint: true });
    if (!before.isFile()) return faulty(formatFingerprint(before), 'is not a plain file');
    if (before.size > maxBytes) {
      return faulty(formatFingerprint(before), `is larger than ${String(maxBytes / 1024 / 1024)} MiB`);
    }
    handle = await open(path, 'r');
    const bytes = await handle.readFile();
    const after = formatFingerprint(await handle.stat({ bigint: true }));
    if (after !== formatFingerprint(before)) return { kind: 'changing' };
    if (!isUtf8(bytes))
      return { ...faulty(after, 'holds bytes here that are not UTF-8'), line: firstFaultyLine(bytes) };
    return { kind: 'read', text: bytes.toString('utf8'), fingerprint: after };
  } catch (error) {
    return faulty(`absent: ${codeOf(error)}`, `cannot be read (${codeOf(error)})`);
  } finally {
    await handle?.close();
  }
}

function faulty(fingerprint: Fingerprint, why: string): WholeFile & { readonly kind: 'faulty' } {
  return { kind: 'faulty', line: 1, message: `the file ${why}`, fingerprint };
}

function firstFaultyLine(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
  return line;
}

/** The permissions of all but the owner of a file, in its mode. */
const OTHERS_MASK = 0o077;
const GROUP_READS = 0o040;
const ROOT = 0;

/**
 * The permissions of a file, such as `0640`, when others than its owner have access to it, or the access that `mask`
 * names; null when they have not, or when it is gone, which its next reader reports.
 */
export async function findOthersAccess(path: string, mask: number = OTHERS_MASK): Promise<string | null> {
  return await stat(path).then(
    (stats) => othersAccess(stats, mask),
    () => null,
  );
}

/** What {@link findOthersAccess} says of a file with this owner, group and mode. */
export function othersAccess(
  { mode, uid, gid }: { readonly mode: number; readonly uid: number; readonly gid: number },
  mask: number = OTHERS_MASK,
): string | null {
  // A file of root that another group reads is how a service gets one that it cannot change: so Kubernetes mounts a
  // Secret with an fsGroup, and nothing else would let the service read it.
  const isForService = uid === ROOT && gid !== ROOT;
  const meant = isForService ? mask & ~GROUP_READS : mask;
  return (mode & meant) === 0 ? null : (mode & PERMISSIONS_MASK).toString(8).padStart(4, '0');
}

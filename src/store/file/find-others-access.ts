import { stat } from 'node:fs/promises';

/** Everybody but the owner of a file, in its mode. */
const OTHERS_MASK = 0o077;
const PERMISSIONS_MASK = 0o777;

/**
 * The permissions of a file, such as `0640`, when others than its owner have access to it, or the access that `mask`
 * names; null when they have not, or when it is gone, which its next reader tells.
 */
export async function findOthersAccess(path: string, mask: number = OTHERS_MASK): Promise<string | null> {
  const mode = await stat(path).then(
    (stats) => stats.mode,
    () => 0,
  );
  return (mode & mask) === 0 ? null : (mode & PERMISSIONS_MASK).toString(8).padStart(4, '0');
}

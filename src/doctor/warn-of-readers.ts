import { stat } from 'node:fs/promises';
import { type Finding, warning } from './finding.ts';

/** Read, write and execute for group and others. */
const OTHERS_MASK = 0o077;
const PERMISSIONS_MASK = 0o777;

/** Warns where others than the owner have access to a file that holds secrets; `holds` says what is in it, in a few words. */
export async function warnOfReaders(path: string, holds: string): Promise<readonly Finding[]> {
  // Gone since it was read: what reads it next tells.
  const mode = await stat(path).then(
    (stats) => stats.mode,
    () => 0,
  );
  if ((mode & OTHERS_MASK) === 0) return [];
  const shown = (mode & PERMISSIONS_MASK).toString(8).padStart(4, '0');
  const message = `others than its owner have access to it (mode ${shown}), and it holds ${holds}`;
  return [warning(`file ${path}`, message, `chmod 600 ${path}`)];
}

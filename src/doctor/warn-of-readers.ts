import { findOthersAccess } from '../store/file/find-others-access.ts';
import { type Finding, warning } from './finding.ts';

/** Warns where others than the owner have access to a file that holds secrets; `holds` says what is in it, in a few words. */
export async function warnOfReaders(path: string, holds: string): Promise<readonly Finding[]> {
  const mode = await findOthersAccess(path);
  if (mode === null) return [];
  const message = `others than its owner have access to it (mode ${mode}), and it holds ${holds}`;
  return [warning(`file ${path}`, message, `chmod 600 ${path}`)];
}

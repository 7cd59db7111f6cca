import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../../base/files/fingerprint.ts';
import type { SampleFile } from './language.ts';

/** A folder that is not to be written to. Its message says why. */
export class FolderRefusal extends Error {
  override readonly name = 'FolderRefusal';
}

/** Rejects with {@link FolderRefusal} where {@link takeEmptyFolder} would, and makes nothing. */
export async function refuseUsedFolder(path: string): Promise<void> {
  try {
    if ((await readdir(path)).length === 0) return;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw new FolderRefusal(`${path} cannot be used (${codeOf(error)})`, { cause: error });
  }
  throw new FolderRefusal(`${path} is not empty; name a folder that is, or one that does not exist`);
}

/** Makes a folder, or takes an empty one. Rejects with {@link FolderRefusal}; nothing is overwritten. */
export async function takeEmptyFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new FolderRefusal(`${path} cannot be used (${codeOf(error)})`, { cause: error });
  }
  await refuseUsedFolder(path);
}

/** Writes files into an empty folder. A file that has come there in the meantime is an error, and stays as it is. */
export async function writeFiles(path: string, files: readonly SampleFile[]): Promise<void> {
  for (const { name, text } of files) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}

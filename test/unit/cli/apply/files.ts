import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

/** Files of one suite of tests. */
export interface Files {
  /** Writes a file and gives its path. */
  write(name: string, text: string): string;
  /** The text of a file. */
  read(path: string): string;
  /** A path for a file that is not there yet. */
  path(name: string): string;
}

/** A folder for the calling `describe`. Within tests only. */
export function useFiles(): Files {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>> | undefined;
  before(async () => {
    directory = await temporaryDirectory();
  });
  after(async () => {
    await directory?.[Symbol.asyncDispose]();
  });
  const path = (name: string): string => join(directory?.path ?? '', name);
  return {
    path,
    write: (name, text) => {
      writeFileSync(path(name), text);
      return path(name);
    },
    read: (file) => readFileSync(file, 'utf8'),
  };
}

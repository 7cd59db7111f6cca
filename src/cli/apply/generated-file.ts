import { lstatIfThere } from '../../base/files/replace-file.ts';
import { openOutput } from '../../base/files/output-file.ts';
import type { GeneratedCredential } from '../../resources/changes/apply/apply-plan.ts';
import { UsageError } from '../failure.ts';
import { formatData } from '../render/data.ts';
import { declareGenerated } from './plan.ts';

/** Where generated pairs go instead of the terminal, checked before anything is changed. */
export interface GeneratedFile {
  readonly path: string;
  /** Rejects with `FileFault`, and with the error of the disk. */
  readonly write: (generated: readonly GeneratedCredential[]) => Promise<void>;
  /**
   * Writes what was generated until now, so that a process that is killed leaves it. A failure shows when all is
   * written.
   */
  readonly keep: (generated: readonly GeneratedCredential[]) => Promise<void>;
}

/**
 * A file for its owner only (mode 0600), JSON when its name says so, else YAML. Throws `UsageError` for one that is
 * there: it may hold the only copy of other secrets. Rejects with `FileFault` for one that cannot be written.
 */
export async function openGeneratedFile(path: string): Promise<GeneratedFile> {
  if ((await lstatIfThere(path))?.isFile() === true) {
    throw new UsageError(`--out: ${path} is there, and may hold secrets that are nowhere else; name another file`);
  }
  const file = await openOutput(path, 'owner');
  const format = path.endsWith('.json') ? 'json' : 'yaml';
  const write = async (generated: readonly GeneratedCredential[]): Promise<void> => {
    await file.write(once(formatData({ generated: declareGenerated(generated) }, format)));
  };
  return {
    path,
    write,
    keep: async (generated) => {
      if (!file.isReplaced || generated.length === 0) return;
      await write(generated).catch((error: unknown) => {
        if (!(error instanceof Error)) throw error;
      });
    },
  };
}

async function* once(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

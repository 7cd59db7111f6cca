import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/**
 * Splits a file that `export` wrote into files that `apply` takes one after the other: endpoints in the first, consumers
 * in equal numbers, and each grant beside its consumer's.
 *
 * @returns the paths
 */
export async function splitExport(path: string, parts: number, consumerCount: number): Promise<readonly string[]> {
  const paths = Array.from({ length: parts }, (_, part) => `${path}.${String(part)}.yaml`);
  const files = await Promise.all(paths.map((each) => open(each, 'w')));
  const perPart = Math.ceil(consumerCount / parts);
  const pending = files.map(() => 'version: 1\n');
  const write = async (part: number, text: string): Promise<void> => {
    pending[part] = (pending[part] ?? '') + text;
    if ((pending[part] ?? '').length > FLUSH_CHARACTERS) await flush(files, pending, part);
  };
  let section = '';
  let part = 0;
  let consumers = 0;
  let grants = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (/^\w+:/.test(line)) {
      section = line.split(':')[0] ?? '';
      part = 0;
      if (section === 'version') continue;
      for (const [each] of files.entries()) if (section !== 'endpoints' || each === 0) await write(each, `${line}\n`);
      continue;
    }
    if (line.startsWith('  - ')) {
      if (section === 'consumers') part = Math.floor(consumers++ / perPart);
      if (section === 'grants') part = Math.floor(grants++ / perPart);
    }
    await write(part, `${line}\n`);
  }
  for (const [each, file] of files.entries()) {
    await flush(files, pending, each);
    await file.close();
  }
  return paths;
}

const FLUSH_CHARACTERS = 1 << 20;

async function flush(files: readonly FileHandle[], pending: string[], part: number): Promise<void> {
  await files[part]?.write(pending[part] ?? '');
  pending[part] = '';
}

import { type FileHandle, open, readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { codeOf } from '../../../base/files/fingerprint.ts';
import { LockHeld, takeLock } from '../../../base/files/lock-file.ts';
import { createFile, describeFault, FileFault, lstatIfThere, replaceFile } from '../../../base/files/replace-file.ts';
import { Conflict } from '../../../resources/changes/resource-store.ts';
import type { RotationRecord } from '../../../resources/changes/rotation/rotation-record.ts';
import { describeLabels } from '../../../model/labels.ts';
import { formatSpanFlag } from '../../flags/times.ts';
import {
  declareHeader,
  declareRecord,
  isOfEveryone,
  readHeader,
  readRecord,
  type Run,
  type RunWish,
} from './rotation-lines.ts';

const OWNER_MODE = 0o600;

/**
 * Reads the file of a run: JSON lines, the first says what the run is, of several for a credential the last counts.
 * Null when there is none. Rejects with {@link Conflict} for another file or run, and {@link FileFault}.
 */
export async function readRun(path: string, wish: RunWish): Promise<Run | null> {
  const text = await ofFile(path, async () => {
    const there = await lstatIfThere(path);
    if (there === null) return null;
    return there.isFile() ? await readFile(path, 'utf8') : '';
  });
  if (text === null) return null;
  // Without its line feed, the last line was cut off with the run: what it announced was never done.
  const [first = '', ...lines] = text.split('\n').slice(0, -1);
  const header = readHeader(first);
  const read = lines.map(readRecord);
  if (header === null || read.includes(null)) {
    throw new Conflict(
      `${path} is there already, is not of "credential rotate", and is not replaced; name another file`,
    );
  }
  if (!isDeepStrictEqual(header.wish, wish)) {
    const own = `${path} belongs to the rotation of ${describeWish(header.wish)}`;
    throw new Conflict(`${own}: carry that on with the same flags, or name another file`);
  }
  const records = new Map<string, RotationRecord>();
  for (const record of read) if (record !== null) records.set(record.credentialId, record);
  return { ...header, records: [...records.values()] };
}

/** A wish in a few words: `tier=gold, with --grace 7d`. */
function describeWish(wish: RunWish): string {
  const { labels, consumerIds, method, endpointId, graceSeconds, endsFormerSecret } = wish;
  const everyone = isOfEveryone(wish) ? 'all consumers' : '';
  const place = endpointId === null ? '' : `on ${endpointId}`;
  const scope = [everyone, describeLabels(labels), consumerIds.join(' '), method ?? '', place]
    .filter((part) => part !== '')
    .join(', ');
  return `${scope}, with --grace ${formatSpanFlag(graceSeconds)}${endsFormerSecret ? ' and --force' : ''}`;
}

/**
 * Does work on the file of a run, which need not be there yet, while no other command does. Rejects with
 * {@link Conflict} when one does, and {@link FileFault}.
 */
export async function withRunLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await ofFile(path, async () => await takeLock(`${path}.lock`)).catch((error: unknown) => {
    throw error instanceof LockHeld ? new Conflict(`${path}: ${error.message}`) : error;
  });
  try {
    return await work();
  } finally {
    await lock[Symbol.asyncDispose]();
  }
}

/** The file of a run that is being carried out. Only its owner can read it. */
export class RotationFile implements AsyncDisposable {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #run: Run;
  readonly #records: Map<string, RotationRecord>;

  private constructor(path: string, handle: FileHandle, run: Run) {
    this.#path = path;
    this.#handle = handle;
    this.#run = run;
    this.#records = new Map(run.records.map((record) => [record.credentialId, record]));
  }

  /** Creates it with a new run, or goes on with that of {@link readRun}. Rejects with {@link FileFault}. */
  static async open(path: string, run: Run, isNew: boolean): Promise<RotationFile> {
    return await ofFile(path, async () => {
      const write = async (handle: FileHandle): Promise<void> => {
        await handle.writeFile(textOf(run, run.records));
      };
      if (isNew) await createFile(path, OWNER_MODE, write);
      else await replaceFile(path, OWNER_MODE, write);
      return new RotationFile(path, await open(path, 'a', OWNER_MODE), run);
    });
  }

  /** As they are now, in the order of the plan. */
  get records(): readonly RotationRecord[] {
    return [...this.#records.values()];
  }

  /** Appends a record, which is on the disk when this resolves. Rejects with {@link FileFault}. */
  async keep(record: RotationRecord): Promise<void> {
    await ofFile(this.#path, async () => {
      await this.#handle.appendFile(`${JSON.stringify(declareRecord(record))}\n`);
      await this.#handle.sync();
    });
    this.#records.set(record.credentialId, record);
  }

  /** Leaves one line for each credential. Nothing is kept after it. */
  async tidy(): Promise<void> {
    await ofFile(this.#path, async () => {
      await replaceFile(this.#path, OWNER_MODE, async (handle) => {
        await handle.writeFile(textOf(this.#run, this.records));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

function textOf(run: Run, records: readonly RotationRecord[]): string {
  return [declareHeader(run), ...records.map(declareRecord)].map((line) => `${JSON.stringify(line)}\n`).join('');
}

async function ofFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === 'unknown') throw error;
    throw new FileFault(describeFault(path, error), { cause: error });
  }
}

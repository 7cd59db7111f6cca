import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatKeyRing } from '../../../src/model/keyring/ring-document.ts';
import { testRingKey } from './test-key-ring.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';

/** Which of the test keys a ring has. */
export interface RingKeys {
  readonly current: number;
  readonly staged?: number;
  readonly former?: readonly number[];
}

/** The file of a key ring, as operators keep it. */
export interface RingFile extends AsyncDisposable {
  readonly path: string;
  /** Puts another ring in its place, at once. */
  replace(keys: RingKeys): Promise<void>;
}

/** Writes a key ring of test keys into a directory of its own. */
export async function createRingFile(keys: RingKeys): Promise<RingFile> {
  const directory = await temporaryDirectory();
  const path = join(directory.path, 'key-ring.yaml');
  const replace = async ({ current, staged, former = [] }: RingKeys): Promise<void> => {
    const numbers = [...former, current, ...(staged === undefined ? [] : [staged])];
    const text = formatKeyRing({
      currentKeyId: testRingKey(current).id,
      stagedKeyId: staged === undefined ? null : testRingKey(staged).id,
      keys: numbers.map(testRingKey),
    });
    await writeFile(`${path}.next`, text, { mode: 0o600 });
    await rename(`${path}.next`, path);
  };
  await replace(keys);
  return { path, replace, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

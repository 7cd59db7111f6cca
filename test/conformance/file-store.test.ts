import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { FileStore } from '../../src/stores/file/file-store.ts';
import { poll } from '../support/time/poll.ts';
import { temporaryDirectory } from '../support/lifetime/temporary-directory.ts';
import { describeStoreContract } from './store.ts';

describeStoreContract('of a declarative file', async (document) => {
  const directory = await temporaryDirectory();
  const path = join(directory.path, 'postern.yaml');
  let refusals = 0;
  const replace = async (text: string): Promise<void> => {
    await writeFile(`${path}.next`, text);
    await rename(`${path}.next`, path);
  };
  await replace(document);
  const checks = await FileStore.open(path, {
    clock: systemClock,
    environment: {},
    observer: {
      loaded: () => undefined,
      refused: () => {
        refusals += 1;
      },
      defect: () => undefined,
    },
  });
  return {
    checks,
    replace,
    spoil: async () => {
      const before = refusals;
      await replace(document.replace('authentication: hmac', 'authentication: nonsense'));
      await poll('the refusal of the file', () => Promise.resolve(refusals > before ? true : null));
    },
    [Symbol.asyncDispose]: async () => {
      await checks[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
});

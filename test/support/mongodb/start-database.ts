import { randomBytes } from 'node:crypto';
import { withClient } from './command.ts';
import { sharedServer } from './shared-server.ts';

/** An empty database of the shared server, which is dropped when it is disposed. */
export interface StartedDatabase extends AsyncDisposable {
  readonly uri: string;
}

/** Gives one for a part of a test, where `useDatabase` is for a `describe`. */
export async function startDatabase(): Promise<StartedDatabase> {
  const uri = (await sharedServer()).uri(`test-${randomBytes(6).toString('hex')}`);
  return {
    uri,
    [Symbol.asyncDispose]: async () => {
      await withClient(uri, async (client) => await client.db().dropDatabase());
    },
  };
}

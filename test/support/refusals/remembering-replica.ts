import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RefusalRecord } from '../../../src/check/refusals/refusal-record.ts';

/** Where it listens, and how it stops to remember. */
export interface RememberingReplica extends AsyncDisposable {
  readonly address: string;
  /** From now on it answers with 404 and this reason, as a replica that leaves refusals to a database. */
  forget(reason: string): void;
}

/** The admin listener of a replica that remembers these refusals, whatever it is asked for. */
export async function startRememberingReplica(...records: readonly RefusalRecord[]): Promise<RememberingReplica> {
  let reason: string | null = null;
  const server = createServer((_, response) => {
    if (reason === null) response.end(JSON.stringify({ records, leftOut: 0 }));
    else response.writeHead(404).end(reason);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    forget: (why) => {
      reason = why;
    },
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

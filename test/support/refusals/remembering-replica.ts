import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RefusalRecord } from '../../../src/refusals/refusal-record.ts';

/** The admin listener of a replica that remembers these refusals, whatever it is asked for. */
export async function startRememberingReplica(
  ...records: readonly RefusalRecord[]
): Promise<AsyncDisposable & { readonly address: string }> {
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ records, leftOut: 0 }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

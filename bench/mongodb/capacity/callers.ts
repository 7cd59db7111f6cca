import { RawClient, messagesOf } from '../../../test/support/grpc/raw-client.ts';
import { createCheckEditor } from '../../requests/edit-check.ts';
import { readRecordedCheck } from '../../requests/recorded-check.ts';
import { appKeyOf } from '../seed.ts';

const CHECK = '/envoy.service.auth.v3.Authorization/Check';
/** The tag of `CheckResponse.ok_response`, as one of its fields must be there in an allow. */
const OK_RESPONSE_TAG = (3 << 3) | 2;

/** What checks took, in milliseconds, and how many were not allowed. */
export interface Asked {
  readonly tookMs: readonly number[];
  readonly refused: number;
  readonly seconds: number;
}

/** Asks a running Postern as Envoy does. */
export interface Callers extends AsyncDisposable {
  /** Makes a check for each consumer, by its number, with so many at once. */
  ask(numbers: Iterable<number>, atOnce: number): Promise<Asked>;
}

/** Connects to the gRPC listener on the loopback. */
export async function openCallers(grpcPort: number): Promise<Callers> {
  const client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: grpcPort });
  const edit = createCheckEditor(readRecordedCheck().message);
  return {
    ask: async (numbers, atOnce) => {
      const tookMs: number[] = [];
      let refused = 0;
      const next = numbers[Symbol.iterator]();
      const run = async (): Promise<void> => {
        for (let item = next.next(); item.done !== true; item = next.next()) {
          const message = edit({ path: '/orders', headers: { 'x-app-key': appKeyOf(item.value) } });
          const startMs = performance.now();
          const { body } = await client.call(CHECK, message);
          tookMs.push(performance.now() - startMs);
          if (!isAllowed(messagesOf(body)[0])) refused += 1;
        }
      };
      const startMs = performance.now();
      await Promise.all(Array.from({ length: atOnce }, run));
      return { tookMs, refused, seconds: (performance.now() - startMs) / 1000 };
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

/** Walks over the top-level fields of a `CheckResponse`. */
function isAllowed(message: Buffer = Buffer.alloc(0)): boolean {
  for (let at = 0; at < message.length; ) {
    const tag = message[at] ?? 0;
    if (tag === OK_RESPONSE_TAG) return true;
    at += 1;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at] ?? 0;
      at += 1;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += length;
  }
  return false;
}

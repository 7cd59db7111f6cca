import { writeFile } from 'node:fs/promises';
import { createServer, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo } from 'node:net';
import { CheckResponse } from '../src/gen/envoy/service/auth/v3/external_auth.ts';
import { allow } from '../test/support/stack/check-answers.ts';
import { startEnvoy } from '../test/support/envoy/envoy.ts';
import { http1 } from '../test/support/http/http1-client.ts';
import { startBackend } from '../test/support/stack/recording-backend.ts';
import { partnerRequest } from './requests/http-request.ts';
import { type RecordedCheck, recordedCheckPaths } from './requests/recorded-check.ts';

const CHECK_PATH = '/envoy.service.auth.v3.Authorization/Check';
const HEALTH_SERVING = Buffer.from([0x08, 0x01]);
const MESSAGE_PREFIX_BYTES = 5;

/** Keeps the bytes of the first Check that Envoy sends; answers that it is healthy and that everything is allowed. */
class Recorder implements AsyncDisposable {
  readonly recorded: Promise<RecordedCheck>;
  readonly #server: Http2Server = createServer();

  constructor() {
    this.recorded = new Promise((resolve, reject) => {
      this.#server.on('error', reject);
      this.#server.on('stream', (stream, headers) => {
        read(stream).then((message) => {
          const isCheck = headers[':path'] === CHECK_PATH;
          answer(stream, isCheck ? CheckResponse.encode(allow()).finish() : HEALTH_SERVING);
          if (isCheck) resolve({ message, headers: fieldsOf(headers) });
        }, reject);
      });
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, '127.0.0.1', resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    return Promise.resolve();
  }
}

async function read(stream: ServerHttp2Stream): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).subarray(MESSAGE_PREFIX_BYTES);
}

function answer(stream: ServerHttp2Stream, message: Uint8Array): void {
  const frame = Buffer.alloc(MESSAGE_PREFIX_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, MESSAGE_PREFIX_BYTES);
  stream.once('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' });
  });
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.end(frame);
}

function fieldsOf(headers: IncomingHttpHeaders): (readonly [string, string])[] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

await using recorder = new Recorder();
const postern = await recorder.listen();
await using backend = await startBackend();
await using envoy = await startEnvoy({
  ports: { postern, posternHttp: backend.port, backend: backend.port },
});
const { status } = await http1(envoy.port, partnerRequest);
if (status !== 200) throw new Error(`Envoy answered ${String(status)} instead of letting the request through`);
const { message, headers } = await recorder.recorded;
await writeFile(recordedCheckPaths.message, message);
await writeFile(recordedCheckPaths.headers, `${JSON.stringify(headers, null, 2)}\n`);
process.stdout.write(`recorded a CheckRequest of ${String(message.length)} bytes\n`);

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHttp2Transport } from '../../src/wire/server/http2-transport.ts';
import { startHarness } from '../support/grpc/transport-harness.ts';

/**
 * The HTTP/2 conformance tool h2spec against the native transport. It runs when `H2SPEC` names the program:
 *
 *     GOBIN=$PWD/.services/bin go install github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible
 *     H2SPEC=.services/bin/h2spec npx mocha test/integration/h2spec.test.ts
 */
const program = process.env['H2SPEC'];

if (program !== undefined) {
  describe('h2spec', () => {
    it('passes every case, the strict ones included', async () => {
      await using harness = await startHarness((options) => createHttp2Transport(options));
      if (harness.address.kind !== 'tcp') assert.fail();
      const target = ['-h', '127.0.0.1', '-p', String(harness.address.port)];
      const output = await run(program, [...target, '--strict', '--timeout', '2']);
      assert.match(output, /\n146 tests, 146 passed, 0 skipped, 0 failed\s*$/, output);
      assert.deepEqual(harness.told.defects, []);
    }).timeout(120_000);
  });
}

/** What a program writes, whatever its exit code. */
async function run(file: string, args: readonly string[]): Promise<string> {
  return await new Promise((resolve) => {
    execFile(file, args, { maxBuffer: 16 * 1024 * 1024 }, (error, stdout) => {
      resolve(stdout === '' && error !== null ? error.message : stdout);
    });
  });
}

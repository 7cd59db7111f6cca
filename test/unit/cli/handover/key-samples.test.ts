import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientRequest } from '../../../../src/check/signing/client-request.ts';
import { goWithKey } from '../../../../src/cli/handover/samples/with-key/go.ts';
import { javaWithKey } from '../../../../src/cli/handover/samples/with-key/java.ts';
import { javascriptWithKey } from '../../../../src/cli/handover/samples/with-key/javascript.ts';
import { pythonWithKey } from '../../../../src/cli/handover/samples/with-key/python.ts';
import { shellWithKey } from '../../../../src/cli/handover/samples/with-key/shell.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { type KeyPairKind, newKeyPair } from '../../../support/partner/http-signature.ts';
import { explainAlone, keyPairEndpoint } from '../../partners/explain/endpoints.ts';
import { handover, url } from './handover-cli.ts';

const run = promisify(execFile);
const calls = [
  { http: 'GET', body: null, tag: '', coversType: false },
  { http: 'POST', body: '{"amount":12}', tag: 'pay', coversType: true },
] as const;
const samples = {
  javascript: { language: javascriptWithKey, command: [process.execPath] },
  python: { language: pythonWithKey, command: ['python3'] },
  shell: { language: shellWithKey, command: ['sh'] },
  go: { language: goWithKey, command: ['go', 'run'] },
  java: { language: javaWithKey, command: ['java', '-XX:TieredStopAtLevel=1'] },
};

/** What makes a program end at once. */
const versionArgs: Readonly<Record<string, readonly string[]>> = { go: ['version'], java: ['-version'] };

/** What a program needs: itself, and for Python the package that its page names. */
async function isThere([program = '']: readonly string[]): Promise<boolean> {
  const args = program === 'python3' ? ['-c', 'import cryptography'] : (versionArgs[program] ?? ['-c', '']);
  return await run(program, program === process.execPath ? ['--version'] : args).then(
    () => true,
    () => false,
  );
}

describe('the samples that sign with a private key', () => {
  for (const [name, { language, command }] of Object.entries(samples)) {
    it(`make signatures that the gateway takes: ${name}`, async function () {
      if (!(await isThere(command))) this.skip();
      await using folder = await temporaryDirectory();
      const requests: ClientRequest[] = [];
      const server = createServer((request, response) => {
        const pieces: Buffer[] = [];
        request.on('data', (piece: Buffer) => pieces.push(piece));
        request.on('end', () => {
          const { method = '', url: path = '', headers } = request;
          const lines = Object.entries(headers).map(([header, value]) => [header, String(value)] as const);
          const { host = '' } = headers;
          requests.push({ method, path, authority: host, headers: lines, body: Buffer.concat(pieces) });
          response.end('taken');
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      try {
        const kinds: readonly KeyPairKind[] = name === 'go' ? ['p-256'] : ['ed25519', 'p-256', 'p-384', 'rsa'];
        for (const kind of kinds) {
          const { privateKey, publicKey } = newKeyPair(kind);
          writeFileSync(join(folder.path, 'key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
          for (const call of kind === 'ed25519' || name === 'go' ? calls : calls.slice(1)) {
            writeFileSync(join(folder.path, language.programName), language.program(call));
            const [program = '', ...args] = command;
            const env = {
              ...process.env,
              ...{ POSTERN_URL: `http://127.0.0.1:${String(port)}/orders/a%20b?to=K%C3%B6ln+1` },
              ...{ APP_KEY: 'acme key 1', PRIVATE_KEY_FILE: 'key.pem' },
            };
            const { stdout } = await run(program, [...args, language.programName], { cwd: folder.path, env });
            assert.match(stdout, /taken/);
            const received = requests.at(-1);
            assert.ok(received !== undefined);
            const endpoint = keyPairEndpoint({
              scheme: 'http',
              tag: call.tag,
              coverAlso: call.coversType ? ['content-type'] : [],
            });
            const { verdict, mistakes } = await explainAlone(
              received,
              { ...endpoint, match: { ...endpoint.match, hosts: [] } },
              {
                ...{ appKey: 'acme key 1', secret: null, isTimeKnown: true },
                publicKeys: [{ publicKey, mistake: null, explainsAppKey: false }],
                nowSeconds: Math.floor(Date.now() / 1000),
              },
            );
            assert.deepEqual([verdict, mistakes], ['right', []], `${kind} ${call.http}`);
          }
        }
      } finally {
        server.close();
      }
    }).timeout(120_000);
  }

  it('stand on the page, with the shell for the languages that have none', async () => {
    const jwk = JSON.stringify(newKeyPair().publicKey.jwk);
    const page = async (options: string, ...args: readonly string[]): Promise<string> => {
      const yaml = `version: 1
endpoints:
  - { id: api, scenario: partner-openapi, match: { paths: [{ prefix: /a }] }, authentication: http-message-signature, options: ${options} }
consumers:
  - { id: acme, credentials: [{ id: c, method: http-message-signature, appKey: K, publicKey: { jwk: ${jwk} } }] }
`;
      const { code, out, err } = await handover(yaml, '--credential', 'c', '--url', url, ...args);
      assert.equal(code, 0, err);
      return out;
    };
    const python = await page('{ tag: pay }', '--language', 'python');
    assert.match(python, /load_pem_private_key/);
    assert.match(python, /;tag=\\"pay\\"/);
    assert.match(python, /PRIVATE_KEY_FILE=private-key\.pem/);
    assert.match(await page('{}', '--language', 'java'), /withECDSAinP1363Format/);
    assert.match(await page('{}', '--language', 'php'), /openssl pkeyutl -sign/);
    assert.doesNotMatch(await page('{ coverAlso: [x-a] }', '--language', 'python'), /First call|load_pem/);
  });
});

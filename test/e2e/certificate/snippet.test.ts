import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { envoyProgram } from '../../support/envoy/envoy.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

describe('postern envoy snippet --mutual-tls', () => {
  it('prints what Envoy takes, with the files in the folder that is named', async () => {
    await using folder = await temporaryDirectory();
    const write = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder.path, name), text);
      return join(folder.path, name);
    };
    const authority = makeCertificate('authority');
    const server = makeCertificate('api.example.com', authority);
    await write('tls.crt', server.cert);
    await write('tls.key', server.key);
    const { out } = await runCli(['envoy', 'snippet', '--mutual-tls', folder.path]);
    // What is the operator's own: the back end of its routes, and the address of its listener.
    const own = out
      .replace(
        /^ {4}- name: partners\n/m,
        '$&      address: { socket_address: { address: 127.0.0.1, port_value: 0 } }\n',
      )
      .replaceAll('cluster: backend', 'cluster: postern-http');
    const file = await write('envoy.yaml', own);
    const validate = async (): Promise<string> =>
      (await promisify(execFile)(await envoyProgram(), ['--mode', 'validate', '-c', file])).stdout;
    await assert.rejects(validate(), /ca\.crt/);
    await write('ca.crt', authority.cert);
    assert.match(await validate(), /^configuration .* OK$/m);
  });
});

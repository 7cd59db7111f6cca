import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const root = makeCertificate('root');
const intermediate = makeCertificate('intermediate', root, { isAuthority: true });
const stranger = makeCertificate('stranger');

/** JSON is YAML. */
const documentWith = (...authorities: readonly string[]): string =>
  JSON.stringify({
    version: 1,
    endpoints: [
      {
        id: 'batch',
        scenario: 'partner-openapi',
        match: { paths: [{ prefix: '/batch' }] },
        authentication: 'certificate',
      },
    ],
    consumers: [
      {
        id: 'acme',
        credentials: authorities.map((file, index) => ({
          id: `acme-${String(index)}`,
          method: 'certificate',
          certificate: { uri: `spiffe://acme.example/${String(index)}`, authority: { file } },
        })),
      },
    ],
  });

describe('postern doctor on the chains of client certificates', () => {
  it('reads the authorities of a declarative file, and those that the configuration of Envoy names by a file', async () => {
    await using folder = await temporaryDirectory();
    const path = (name: string): string => join(folder.path, name);
    await writeFile(path('ca.crt'), root.cert);
    await writeFile(path('intermediate.crt'), intermediate.cert);
    await writeFile(path('stranger.crt'), stranger.cert);
    await writeFile(path('envoy.yaml'), (await runCli(['envoy', 'snippet', '--mutual-tls', folder.path])).out);
    const examine = async (...authorities: readonly string[]): Promise<readonly [number, string]> => {
      await writeFile(path('postern.yaml'), documentWith(...authorities));
      const args = ['doctor', '--store', `file:${path('postern.yaml')}`, '--envoy-file', path('envoy.yaml')];
      const { code, out } = await runCli(args);
      const lines = out.split('\n');
      return [code, lines.filter((line) => line.startsWith('✗') || line.startsWith('!')).join('\n')];
    };
    assert.deepEqual(await examine('intermediate.crt'), [0, '']);
    assert.deepEqual(await examine('intermediate.crt', 'stranger.crt'), [
      1,
      '✗ client certificates: the chain of no authority of credential acme-1 leads to trusted_ca: Envoy refuses these certificates',
    ]);
  });
});

import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LanguageName, languages } from '../../../src/cli/handover/samples/languages.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { runProgram } from '../docs/documented-program.ts';
import { projectRoot, readFences } from '../docs/documents.ts';
import { fieldValue } from '../http/http-message.ts';
import { release } from '../lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../lifetime/temporary-directory.ts';
import { type OAuth2Stack, startOAuth2Stack } from '../oauth2/oauth2-stack.ts';

const endpoint = (id: string, method: string, options: string): string =>
  `  - { id: ${id}, scenario: partner-openapi, match: { paths: [{ prefix: /${id} }] }, authentication: ${method}, options: { ${options} } }`;

/** A credential of each method, on endpoints whose options differ from what clients do of themselves. */
const credentials = {
  key: { appKey: 'a-public-app-key', secret: null },
  hmac: { appKey: 'K1', secret: "a public 'secret' $HOME" },
  'parameter-signature': { appKey: 'K2', secret: 'a public secret & more' },
  oauth2: { appKey: 'K3', secret: 'a+public secret %=&' },
} as const;
const methods = Object.keys(credentials) as readonly (keyof typeof credentials)[];
const document = `version: 1
endpoints:
${endpoint('orders', 'key', 'keyNames: [{ header: X-Own }]')}
${endpoint('invoices', 'hmac', 'algorithms: [hmac-sha512], replayProtection: true')}
${endpoint('shipments', 'parameter-signature', 'parameterEncoding: raw, requireTimestamp: true')}
${endpoint('stock', 'oauth2', '')}
consumers:
  - id: acme
    credentials:
${methods
  .map((method) => {
    const { appKey, secret } = credentials[method];
    const kept = secret === null ? '' : `, appSecret: ${JSON.stringify(secret)}`;
    return `      - { id: acme-${method}, method: ${method}, appKey: ${appKey}${kept} }`;
  })
  .join('\n')}
`;

/**
 * Describes that the folder of `postern handover` runs: as its README says, with the client as it would be published,
 * against a real gateway behind Envoy.
 *
 * @param artefact makes the client's file, and gives its path
 * @param tools a folder with programs of the language that may not be on PATH
 */
export function describeHandedOver(
  name: LanguageName,
  artefact: () => Promise<string>,
  tools: () => Promise<string | null> = () => Promise.resolve(null),
): void {
  describe(`the folder that postern handover writes for ${languages[name].title}`, () => {
    let stack: OAuth2Stack;
    let folder: TemporaryDirectory;
    let client = '';
    /** The folder of the first credential, where the client is installed, and the commands that did it. */
    let first: { readonly path: string; readonly install: readonly string[] } | null = null;
    before(async function () {
      this.timeout(300_000);
      stack = await startOAuth2Stack(document);
      folder = await temporaryDirectory();
      client = await artefact();
      await writeFile(join(folder.path, 'postern.yaml'), document);
    });
    after(() => release(folder, stack));
    beforeEach(() => {
      stack.backend.reset();
    });

    for (const method of methods) {
      it(`calls with ${method}, as its README says`, async function () {
        this.timeout(300_000);
        const to = join(folder.path, method);
        const { code, err } = await runCli(
          ['handover', '--credential', `acme-${method}`, '--url', stack.url, '--language', name, '--to', to],
          { POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}` },
        );
        assert.equal(code, 0, err);
        await cp(client, join(to, languages[name].artefact), { recursive: true });
        const { appKey, secret } = credentials[method];
        // As a person fills it in.
        const [fillIn, ...others] = (
          readFences(await readFile(join(to, 'README.md'), 'utf8'), 'sh').at(-1) ?? ''
        ).split('\n');
        assert.match(fillIn ?? '', /^cp \.env\.example \.env /);
        const empty = await readFile(join(to, '.env.example'), 'utf8');
        const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
        const filled = empty
          .replace(/^APP_KEY=$/m, `APP_KEY=${quoted(appKey)}`)
          .replace(/^APP_SECRET=$/m, () => `APP_SECRET=${quoted(secret ?? '')}`);
        await writeFile(join(to, '.env'), filled);
        const programs = await tools();
        const env = programs === null ? {} : { PATH: `${programs}:${process.env['PATH'] ?? ''}` };
        const install = others.slice(0, others.indexOf('set -a'));
        const rest = others.slice(install.length);
        if (first === null) {
          await runProgram('sh', ['-ec', install.join('\n')], { cwd: to, env });
          first = { path: to, install };
        } else {
          // The same commands with the same files make the same, which is copied.
          assert.deepEqual(install, first.install);
          for (const { name: file } of languages[name].projectFiles) {
            assert.equal(await readFile(join(to, file), 'utf8'), await readFile(join(first.path, file), 'utf8'), file);
          }
          await cp(first.path, to, { recursive: true, force: false, verbatimSymlinks: true });
        }
        const output = await runProgram('sh', ['-ec', rest.join('\n')], { cwd: to, env });
        assert.match(output, /\b200\b/);
        const [request] = stack.backend.requests;
        assert.equal(stack.backend.requests.length, 1);
        assert.equal(fieldValue(request?.headers ?? [], 'x-credential-identifier'), `acme-${method}`);
      });
    }
  });
}

/** Builds a client by its own door, and gives the path of a file below its folder. */
export function built(language: string, file: string): () => Promise<string> {
  return async () => {
    const folder = join(projectRoot, 'clients', language);
    await runProgram(join(folder, 'run'), ['build'], { cwd: folder });
    return join(folder, file);
  };
}

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LanguageName, languages } from '../../../src/cli/handover/samples/languages.ts';
import { type MongodbStack, startMongodbStack } from '../../e2e/mongodb/mongodb-stack.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { runProgram } from '../docs/documented-program.ts';
import { projectRoot, readDocument, readFences } from '../docs/documents.ts';
import { fieldValue } from '../http/http-message.ts';
import { release } from '../lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../lifetime/temporary-directory.ts';
import { newKeyPair, type PartnerKeyPair } from '../partner/http-signature.ts';
import { type OAuth2Stack, startOAuth2Stack } from '../oauth2/oauth2-stack.ts';

const endpoint = (id: string, method: string, options: string): string =>
  `  - { id: ${id}, scenario: partner-openapi, match: { paths: [{ prefix: /${id} }] }, authentication: ${method}, options: { ${options} } }`;

/** A credential of each method, on endpoints whose options differ from what clients do of themselves. */
const credentials = {
  key: { method: 'key', appKey: 'a-public-app-key' },
  hmac: { method: 'hmac', appKey: 'K1', secret: "a public 'secret' $HOME" },
  'parameter-signature': { method: 'parameter-signature', appKey: 'K2', secret: 'a public secret & more' },
  oauth2: { method: 'oauth2', appKey: 'K3', secret: 'a+public secret %=&' },
  'http-message-signature': {
    method: 'http-message-signature',
    appKey: "the partner's key 1",
    pair: newKeyPair('p-256'),
  },
  'private-key-jwt': { method: 'oauth2', appKey: 'K4', pair: newKeyPair('ed25519') },
} as const;
type Credential = { readonly method: string; readonly appKey: string } & {
  readonly secret?: string;
  readonly pair?: PartnerKeyPair;
};
const all: readonly (readonly [string, Credential])[] = Object.entries(credentials);
const signed = 'coverAlso: [content-type, "@request-target"], tag: pay, replayProtection: true, scheme: http';
const document = `version: 1
endpoints:
${endpoint('orders', 'key', 'keyNames: [{ header: X-Own }]')}
${endpoint('invoices', 'hmac', 'algorithms: [hmac-sha512], replayProtection: true')}
${endpoint('shipments', 'parameter-signature', 'parameterEncoding: raw, requireTimestamp: true')}
${endpoint('stock', 'oauth2', '')}
${endpoint('payments', 'http-message-signature', signed).replace(' }] }', ' }], methods: [POST] }')}
consumers:
  - id: acme
    credentials:
${all
  .map(([id, { method, appKey, secret, pair }]) => {
    const kept = secret === undefined ? '' : `, appSecret: ${JSON.stringify(secret)}`;
    const key = pair === undefined ? '' : `, publicKey: { jwk: ${JSON.stringify(pair.publicKey.jwk)} }`;
    return `      - { id: acme-${id}, method: ${method}, appKey: ${JSON.stringify(appKey)}${kept}${key} }`;
  })
  .join('\n')}
`;

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** What a language needs here besides what its README says. */
interface Surroundings {
  /** A folder with programs that may not be on PATH. */
  readonly tools?: string;
  /** Variables by which its folders share what is built. */
  readonly env?: Readonly<Record<string, string>>;
  /** Makes the project smaller, in ways that do not change the call. */
  readonly simplify?: (folder: string) => Promise<void>;
}

/** A language, and the file of its client. */
interface Tried extends Surroundings {
  readonly name: LanguageName;
  readonly client: string;
}

/** Installs clients as the README of a folder says, once for the same files. */
class Installer {
  readonly #made = new Map<string, string>();

  /** Makes `.env` of `.env.example` with these secrets, does what stands before the call, and gives the commands of it. */
  async install(to: string, secrets: Readonly<Record<string, string>>, tried: Tried): Promise<string> {
    const { name, client, simplify } = tried;
    await cp(client, join(to, languages[name].artefact), { recursive: true });
    // As a person fills it in.
    const blocks = readFences(await readFile(join(to, 'README.md'), 'utf8'), 'sh');
    const [fillIn = '', ...others] = (blocks.at(-1) ?? '').split('\n');
    assert.match(fillIn, /^cp \.env\.example \.env /);
    const empty = await readFile(join(to, '.env.example'), 'utf8');
    const filled = Object.entries(secrets).reduce(
      (text, [variable, value]) => text.replace(`\n${variable}=\n`, () => `\n${variable}=${quoted(value)}\n`),
      empty,
    );
    await writeFile(join(to, '.env'), filled, { mode: 0o600 });
    const install = others.slice(0, others.indexOf('set -a'));
    const files = languages[name].projectFiles({ hasPrivateKey: empty.includes('PRIVATE_KEY_FILE=') });
    const key = JSON.stringify([install, files]);
    const former = this.#made.get(key);
    // The same commands with the same files make the same, which is copied.
    if (former !== undefined) await cp(former, to, { recursive: true, force: false, verbatimSymlinks: true });
    else await runProgram('sh', ['-ec', install.join('\n')], { cwd: to, env: environmentOf(tried) });
    await simplify?.(to);
    this.#made.set(key, to);
    return others.slice(install.length).join('\n');
  }
}

const environmentOf = ({ tools, env = {} }: Surroundings): Readonly<Record<string, string>> =>
  tools === undefined ? env : { ...env, PATH: `${tools}:${process.env['PATH'] ?? ''}` };

/**
 * Describes that the folder of `postern handover` runs: as its README says, with the client as it would be published,
 * against a real gateway behind Envoy.
 *
 * @param artefact makes the client's file, and gives its path
 * @param surroundings what else it needs
 */
export function describeHandedOver(
  name: LanguageName,
  artefact: () => Promise<string>,
  surroundings: () => Promise<Surroundings> = () => Promise.resolve({}),
): void {
  describe(`the folder that postern handover writes for ${languages[name].title}`, function () {
    this.timeout(300_000);
    let folder: TemporaryDirectory;
    let tried: Tried;
    const installer = new Installer();
    before(async () => {
      folder = await temporaryDirectory();
      tried = { name, client: await artefact(), ...(await surroundings()) };
    });
    after(() => release(folder));

    describe('for a credential of each method', () => {
      let stack: OAuth2Stack;
      before(async () => {
        stack = await startOAuth2Stack(document);
        await writeFile(join(folder.path, 'postern.yaml'), document);
      });
      after(() => release(stack));
      beforeEach(() => {
        stack.backend.reset();
      });

      for (const [id, { appKey, secret, pair }] of all) {
        it(`calls with ${id}, as its README says`, async () => {
          const to = join(folder.path, id);
          const { code, err } = await runCli(
            ['handover', '--credential', `acme-${id}`, '--url', stack.url, '--language', name, '--to', to],
            { POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}` },
          );
          assert.equal(code, 0, err);
          const pem = pair?.privateKey.export({ format: 'pem', type: 'pkcs8' });
          if (pem !== undefined) await writeFile(join(to, 'private.pem'), pem, { mode: 0o600 });
          const secrets = { APP_KEY: appKey, ...(secret === undefined ? {} : { APP_SECRET: secret }) };
          const call = await installer.install(to, secrets, tried);
          const output = await runProgram('sh', ['-ec', call], { cwd: to, env: environmentOf(tried) });
          assert.match(output, /\b200\b/);
          const [request] = stack.backend.requests;
          assert.equal(stack.backend.requests.length, 1);
          assert.equal(fieldValue(request?.headers ?? [], 'x-credential-identifier'), `acme-${id}`);
        });
      }
    });

    describe('in the first hour of a partner with a key', () => {
      let stack: MongodbStack;
      let call = '';
      before(async () => {
        stack = await startMongodbStack();
        const access = '--access-condition authenticated-and-authorized --option replayProtection=true';
        await stack.postern(`endpoint create orders --path /orders --authentication http-message-signature ${access}`);
      });
      after(() => release(stack));
      const at = (file: string): string => join(folder.path, 'first-hour', file);

      it("makes a key pair, as the partners' page says", async () => {
        await mkdir(at('.'), { recursive: true });
        const [, section = ''] = readDocument('docs/partners.md').split('\n## With a private key\n');
        const [commands = ''] = readFences(section, 'sh');
        await runProgram('sh', ['-euc', commands], { cwd: at('.') });
        assert.match(await readFile(at('public.pem'), 'utf8'), /^-----BEGIN PUBLIC KEY-----\n/);
      });

      it('is let in by one command of the operator', async () => {
        const url = `http://127.0.0.1:${String(stack.replica().envoy.port)}`;
        const partner = `--consumer first-hour --consumer-name Partner --public-key ${at('public.pem')} --grant orders`;
        const wish = `--handover ${at('acme')} --url ${url} --language ${name} --wait`;
        await stack.postern(`credential issue --method http-message-signature ${partner} ${wish}`);
      });

      it('installs the client, as the README says', async () => {
        await cp(at('private.pem'), at('acme/private.pem'));
        call = await installer.install(at('acme'), {}, tried);
      });

      it('calls, and is answered 200', async () => {
        const output = await runProgram('sh', ['-ec', call], { cwd: at('acme'), env: environmentOf(tried) });
        assert.match(output, /\b200\b/);
      });
    });
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

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grantId } from '../../../../src/resources/grant.ts';
import { samplePair, spki } from '../../../support/keys/bad-keys.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import type { CommandResult } from '../run-cli.ts';
import { memoryCli, type MemoryCli } from './memory-cli.ts';

const url = 'https://api.example.com';

describe('postern credential issue, for a new partner', () => {
  let cli: MemoryCli;
  let folder: TemporaryDirectory;
  let key: string;
  let to: string;
  beforeEach(async () => {
    folder = await temporaryDirectory();
    key = join(folder.path, 'acme.pem');
    to = join(folder.path, 'acme');
    writeFileSync(key, spki(samplePair.publicKey));
    cli = await memoryCli();
    const method = ['--authentication', 'http-message-signature', '--access-condition', 'authenticated-and-authorized'];
    await cli.done('endpoint', 'create', 'orders', '--path', '/orders', ...method);
  });
  afterEach(async () => {
    await folder[Symbol.asyncDispose]();
  });

  const issue = async (...flags: readonly string[]): Promise<CommandResult> =>
    await cli.run([
      ...['credential', 'issue', '--consumer', 'acme', '--method', 'http-message-signature', '--id', 'acme-signer'],
      ...['--public-key', key, ...flags],
    ]);
  const whole = (): readonly string[] => [
    ...['--consumer-name', 'Acme Ltd', '--grant', 'orders', '--handover', to, '--url', url, '--language', 'python'],
  ];
  const assertNothingMade = async (): Promise<void> => {
    assert.equal(await cli.store.find('credential', 'acme-signer'), null);
    assert.equal(await cli.store.find('consumer', 'acme'), null);
    assert.ok(!existsSync(to));
  };

  it('creates the consumer with a grant, and writes what to send', async () => {
    const { code, out, err } = await issue(...whole());
    assert.equal(code, 0, err);
    assert.match(out, /Credential acme-signer issued to acme\./);
    assert.ok(out.includes(`Only the partner can try it. Send it the folder ${to}:\n${join(to, 'README.md')}\n`), out);
    assert.doesNotMatch(out, /postern handover|postern grant add/);
    assert.match(err, /^Send postern_client-[\d.]+-py3-none-any\.whl along/m);
    assert.equal((await cli.store.find('consumer', 'acme'))?.resource.name, 'Acme Ltd');
    assert.deepEqual(readdirSync(to).sort(), [
      '.env.example',
      '.gitignore',
      'README.md',
      'first_call.py',
      'requirements.txt',
    ]);
    const page = readFileSync(join(to, 'README.md'), 'utf8');
    assert.ok(page.includes('For Acme Ltd') && page.includes(`${url}/orders`), page);
    assert.equal(
      (await cli.store.find('grant', grantId({ endpointId: 'orders', consumerId: 'acme' })))?.resource.endpointId,
      'orders',
    );
  });

  it('takes a consumer that is there, whose grants it keeps', async () => {
    await cli.done('consumer', 'create', 'acme');
    await cli.done('grant', 'add', '--endpoint', 'orders', '--consumer', 'acme', '--limit', '5/minute');
    const { code, out, err } = await issue('--grant', 'orders', '--handover', to, '--url', url);
    assert.equal(code, 0, err);
    assert.ok(readFileSync(join(to, 'README.md'), 'utf8').includes('5 requests a minute'), out);
    assert.ok(existsSync(join(to, 'first-call.sh')));
    const again = await issue('--consumer-name', 'Another');
    assert.equal(again.code, 4, again.err);
    assert.match(again.err, /acme/);
  });

  it('prints data that programs can read, and the files on the error stream', async () => {
    const { code, out, err } = await issue(...whole(), '-o', 'json');
    assert.equal(code, 0, err);
    assert.equal((JSON.parse(out) as Readonly<Record<string, unknown>>)['id'], 'acme-signer');
    assert.ok(err.includes(join(to, 'README.md')), err);
  });

  it('changes nothing in a dry run', async () => {
    const { code, out, err } = await issue(...whole(), '--dry-run');
    assert.equal(code, 0, err);
    assert.match(out, /Nothing was changed/);
    await assertNothingMade();
  });

  it('makes nothing where it could not write what to send', async () => {
    const refused = async (message: RegExp, ...flags: readonly string[]): Promise<void> => {
      const { code, err } = await issue(...flags);
      assert.equal(code, 2, err);
      assert.match(err, message);
    };
    const named = ['--consumer-name', 'Acme Ltd'];
    await refused(/--url goes with --handover: the address/, ...named, '--grant', 'orders', '--handover', to);
    await refused(/--url and --language go with --handover/, ...named, '--url', url);
    await refused(/--url and --language go with --handover/, ...named, '--language', 'go');
    await refused(
      /no endpoint lets acme in with this method; name one with --grant/,
      ...named,
      '--handover',
      to,
      '--url',
      url,
    );
    await assertNothingMade();
    mkdirSync(to);
    writeFileSync(join(to, 'mine'), 'kept');
    await refused(/--handover: .*acme is not empty/, ...whole());
    assert.deepEqual(readdirSync(to), ['mine']);
    assert.equal(await cli.store.find('consumer', 'acme'), null);
    const nowhere = await issue(...named, '--grant', 'ordrs');
    assert.equal(nowhere.code, 3, nowhere.err);
    assert.match(nowhere.err, /did you mean "orders"\?/);
    const nobody = await issue('--grant', 'orders');
    assert.equal(nobody.code, 3, nobody.err);
  });
});

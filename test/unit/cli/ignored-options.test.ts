import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { memoryCli } from './nouns/memory-cli.ts';
import { endpointsYaml, runCli } from './run-cli.ts';

describe('an option that was typed', () => {
  let folder: TemporaryDirectory;
  let store = '';
  let request = '';
  before(async () => {
    folder = await temporaryDirectory();
    store = `file:${join(folder.path, 'postern.yaml')}`;
    request = join(folder.path, 'request.txt');
    writeFileSync(join(folder.path, 'postern.yaml'), endpointsYaml);
    writeFileSync(request, 'GET /orders HTTP/1.1\nHost: a.example\n\n');
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  const sign = 'sign GET http://a.example/orders --secret-from env:SECRET';
  const kept = 'explain --request-id baac2dab';
  const cases: readonly (readonly [command: string, message: RegExp])[] = [
    [`${sign} --endpoint orders --app-key k`, /--app-key is not for key endpoints/],
    [
      `${sign} --endpoint orders --sign-header x-a`,
      /--sign-header is for hmac and http-message-signature endpoints; orders takes key/,
    ],
    [`${sign} --endpoint shipments --app-key k --sign-header x-a`, /shipments takes parameter-signature/],
    [`${kept} --endpoint orders`, /--endpoint is for the request of a FILE/],
    [`${kept} --app-key k`, /--app-key is for the request of a FILE/],
    [`${kept} --at 1795228800`, /--at is for the request of a FILE/],
    [`${kept} --entry 2`, /--entry is for the request of a FILE/],
    [`${kept} --option a=b`, /--option is for the request of a FILE/],
    ['explain REQUEST --entry 2', /--entry is for a HAR, which .*request\.txt is not/],
    ['explain REQUEST --admin http://127.0.0.1:9003', /--admin goes with --request-id/],
    [
      'explain REQUEST --method key --secret-from env:SECRET --store file:x',
      /'--store .*' cannot be used with .*--method/,
    ],
    ['explain REQUEST --method key --secret-from env:SECRET --app-key k', /--app-key is not for key/],
    ['explain REQUEST --method oauth2 --secret-from env:SECRET', /--secret-from is not for oauth2/],
    ['refusals --admin http://127.0.0.1:9003 --store file:x', /'--admin <url>' cannot be used with .*--store/],
    ['keyring remove k --without-store --store file:x', /'--without-store' cannot be used with .*--store/],
    ['demo --with-console --without-console', /'--without-console' cannot be used with .*--with-console/],
    [
      'handover --credential c --url https://a.example --language go -o json',
      /--language is for the page in Markdown; JSON and YAML hold no sample/,
    ],
    ['operator add a --role admin --expires 1d --no-token', /'--expires <time>' cannot be used with .*--no-token/],
    ['grant add --endpoint a --endpoint b --consumer c', /'--endpoint <id>' takes one value, and was given another/],
    ['validate -o json --output yaml', /'-o, --output <format>' takes one value/],
    ['credential list --method hmac --method key', /'--method <method>' takes one value/],
  ];
  for (const [command, message] of cases) {
    it(`is not ignored: ${command}`, async () => {
      const args = command.split(' ').map((word) => (word === 'REQUEST' ? request : word));
      const { code, out, err } = await runCli(args, { SECRET: 'a-secret-of-24-characters', POSTERN_STORE: store });
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
    });
  }

  it('can be given more than once where it collects, each time it is run', async () => {
    const cli = await memoryCli();
    for (const id of ['acme', 'globex']) {
      await cli.done('consumer', 'create', id, '--label', 'tier=gold', '--label', 'region=eu', '-o', 'json');
    }
    assert.match(await cli.done('consumer', 'show', 'acme'), /region=eu.*tier=gold|tier=gold.*region=eu/s);
  });

  it('is said to add nothing, where a declarative file has no use for it', async () => {
    const { out } = await runCli(['doctor', '--deep', '--fix', '--store', store], {});
    assert.match(out, /✓ --deep: adds nothing for a declarative file, which is always read as a whole\n/);
    assert.match(out, /! --fix: changes nothing in a declarative file\n/);
  });
});

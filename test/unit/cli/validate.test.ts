import assert from 'node:assert/strict';
import { systemPorts } from '../../../src/cli/program.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { registerValidate, validate } from '../../../src/cli/validate.ts';
import { type Terminal } from '../../../src/cli/terminal.ts';
import { runCli } from './run-cli.ts';

const SECRET = 'demo-secret-not-for-production';
const environmentWithSecret: Terminal['environment'] = { ACME: SECRET };

describe('postern validate', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-validate-'));
    write(
      'valid.yaml',
      `version: 1\nconsumers:\n  - id: acme\n    credentials: [{ method: hmac, appKey: a, appSecretFrom: { env: ACME } }]\n`,
    );
    write('endpoints.yaml', 'version: 1\nendpoints: [{ id: e, scenario: open, match: { paths: [{ prefix: / }] } }]\n');
    write('grants.yaml', 'version: 1\ngrants: [{ endpoint: e, consumer: acme }]\n');
    write(
      'wrong.yaml',
      `version: 1\nconsumers:\n  - id: Acme\n    credentials: [{ method: hmca, appKey: a, appSecret: ${SECRET} }]\n`,
    );
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  function write(name: string, text: string): void {
    writeFileSync(join(folder, name), text);
  }

  /** Output with the folder taken out, and the exit code. */
  async function run(
    names: readonly string[],
    format: 'table' | 'json' | 'yaml' = 'table',
    {
      isTerminal = false,
      environment = environmentWithSecret,
      selector = undefined as Readonly<Record<string, string>> | undefined,
    } = {},
  ): Promise<readonly [number, string]> {
    let text = '';
    const out = { isTerminal, write: (part: string) => (text += part) };
    const code = await validate(
      names.map((name) => join(folder, name)),
      { format, selector },
      { environment, out },
    );
    return [code, text.replaceAll(`${folder}/`, '')];
  }

  it('names the importer for a configuration of Kong, and nothing else of it', async () => {
    write('kong.yaml', '_format_version: "3.0"\nservices: [{ name: orders, url: "http://orders" }]\n');
    const { code, out } = await runCli(['validate', '-f', join(folder, 'kong.yaml')]);
    assert.equal(code, 1);
    assert.match(
      out,
      /kong\.yaml:1:18: this is a configuration of Kong; .*: postern import kong -f FILE --to postern\.yaml/,
    );
    assert.match(out, /1 problem/);
  });

  it('says that a restart cuts long limits short, without a rate limit service', async () => {
    write(
      'limits.yaml',
      'version: 1\nendpoints: [{ id: e, scenario: open, match: { paths: [{ prefix: / }] }, trafficControl: { limits: [{ requests: 5, unit: day, per: endpoint }] } }]\n',
    );
    const [code, text] = await run(['limits.yaml']);
    assert.equal(code, 0);
    assert.match(
      text,
      /^note: limits of an hour or longer begin anew at each restart, .*\(endpoint e\): start one with/,
    );
    const { notes } = JSON.parse((await run(['limits.yaml'], 'json'))[1]) as { readonly notes: readonly string[] };
    assert.match(notes[0] ?? '', /^limits of an hour or longer begin anew/);
    const environment = { POSTERN_RATE_LIMIT_SERVICE: '127.0.0.1:8081' };
    assert.doesNotMatch((await run(['limits.yaml'], 'table', { environment }))[1], /note/);
  });

  it('says that apply makes secrets, where only they are missing', async () => {
    write(
      'without.yaml',
      'version: 1\nconsumers: [{ id: acme, credentials: [{ id: a, method: hmac }, { id: b, method: key }] }]\n',
    );
    const [code, text] = await run(['without.yaml']);
    assert.equal(code, 1);
    assert.match(
      text,
      /3 problems in 1 file\nBut for App Keys and App Secrets, the document is right\. [^]*"postern apply" makes those/,
    );
    assert.match(text, /--without-secrets/);
    assert.doesNotMatch((await run(['wrong.yaml']))[1], /But for App Keys/);
  });

  it('shows a list that has no end in part', async () => {
    const many = Array.from(
      { length: 500 },
      (_, at) => `  - { id: c${String(at)}, credentials: [{ id: k${String(at)}, method: key }] }`,
    );
    write('many.yaml', `version: 1\nconsumers:\n${many.join('\n')}\n`);
    const [code, text] = await run(['many.yaml']);
    assert.equal(code, 1);
    assert.equal(text.match(/"appKey" is missing/g)?.length, 20);
    assert.match(text, /\n… and 480 more; -o json prints all\n500 problems in 1 file\n/);
    const { problems } = JSON.parse((await run(['many.yaml'], 'json'))[1]) as { readonly problems: readonly unknown[] };
    assert.equal(problems.length, 500);
  });

  it('sums up a valid file', async () => {
    assert.deepEqual(await run(['valid.yaml']), [
      0,
      'valid.yaml: valid: 0 endpoints, 1 consumer, 1 credential, 0 grants\n',
    ]);
  });

  it('takes several files as one document', async () => {
    const all = ['grants.yaml', 'valid.yaml', 'endpoints.yaml', 'valid.yaml'];
    const [code, told] = await run(all);
    assert.deepEqual(
      [code, told.split('\n').at(-2)],
      [0, '3 files: valid: 1 endpoint, 1 consumer, 1 credential, 1 grant; 1 warning'],
    );
    assert.deepEqual(await run(['grants.yaml', 'valid.yaml']), [
      1,
      `grants.yaml:2:22: there is no endpoint "e"
    2 | grants: [{ endpoint: …, consumer: … }]
      |                      ^
1 problem in 1 file
`,
    ]);
  });

  it('shows every problem in its line, and no secret', async () => {
    assert.deepEqual(await run(['wrong.yaml', 'valid.yaml'], 'table', { environment: {} }), [
      1,
      `wrong.yaml:3:9: "id" must be 1 to 63 of the characters a-z, 0-9 and "-", and begin with a letter or digit
    3 |   - id: …
      |         ^
wrong.yaml:4:29: "method" must be "key", "hmac", "parameter-signature", "http-message-signature", "oauth2", "jwt" or "certificate"; did you mean "hmac"?
    4 |     credentials: [{ method: …, appKey: …, appSecret: … }]
      |                             ^
valid.yaml:4:43: the credential on line 4 of wrong.yaml has this App Key already; an App Key belongs to one credential
    4 |     credentials: [{ method: …, appKey: …, appSecretFrom: { env: … } }]
      |                                        ^
valid.yaml:4:68: "appSecretFrom" names an environment variable that is not set
    4 |     credentials: [{ method: …, appKey: …, appSecretFrom: { env: … } }]
      |                                                                 ^
4 problems in 2 files
`,
    ]);
  });

  it('names what it cannot read, without blaming the references to it', async () => {
    assert.deepEqual(await run(['valid.yaml', 'nowhere.yaml', 'grants.yaml']), [
      1,
      'nowhere.yaml:1:1: the file cannot be read (ENOENT)\n1 problem in 1 file\n',
    ]);
  });

  it('warns of what is strange in a valid file, which stays valid', async () => {
    write('strange.yaml', 'version: 1\nendpoints: [{ id: e, scenario: open, match: { paths: [{ prefix: /a/* }] } }]\n');
    const message =
      'this path has a pattern, and a path is no pattern here: its characters count as themselves; end the prefix before it: a prefix takes all paths below';
    assert.deepEqual(await run(['strange.yaml']), [
      0,
      `strange.yaml:2:65: warning: ${message}
    2 | endpoints: [{ id: …, scenario: …, match: { paths: [{ prefix: … } }]
      |                                                              ^
strange.yaml: valid: 1 endpoint, 0 consumers, 0 credentials, 0 grants; 1 warning
`,
    ]);
    const [code, json] = await run(['strange.yaml'], 'json');
    const { valid, warnings } = JSON.parse(json) as { valid: boolean; warnings: unknown };
    assert.deepEqual(
      [code, valid, warnings],
      [0, true, [{ file: 'strange.yaml', line: 2, column: 65, path: 'endpoints[0].match.paths[0].prefix', message }]],
    );
  });

  it('checks the file that serve would serve when none is named', async () => {
    const POSTERN_STORE = `file:${join(folder, 'valid.yaml')}`;
    const found = await runCli(['validate'], { ACME: SECRET, POSTERN_STORE });
    assert.deepEqual(
      [found.code, found.out.replace(`${folder}/`, '')],
      [0, 'valid.yaml: valid: 0 endpoints, 1 consumer, 1 credential, 0 grants\n'],
    );
    const database = await runCli(['validate'], { POSTERN_STORE: 'mongodb://127.0.0.1:1/postern' });
    assert.equal(database.code, 2);
    assert.match(database.err, /^postern validate: name the files to check: POSTERN_STORE is a database/);
    const other = await runCli(['validate'], { POSTERN_STORE: 'nonsense' });
    assert.equal(other.code, 2);
  });

  it('takes files without secrets where it is asked to, as apply does, and looks none up', async () => {
    const credentials = [
      '{ method: hmac, id: stored }',
      '{ method: hmac, appKey: a, appSecretFrom: { env: NOT_SET } }',
      '{ method: hmac, appKey: b, appSecretFrom: { file: not-there }, retiringSecret: { expiresAt: 2027-01-01T00:00:00Z } }',
      '{ method: key, id: generated }',
    ];
    const consumers = `version: 1\nconsumers:\n  - id: acme\n    credentials: [${credentials.join(', ')}]\n`;
    write('without.yaml', consumers);
    write('dangling.yaml', `${consumers}grants: [{ endpoint: e, consumer: acme }]\n`);
    const withSecrets = await run(['without.yaml']);
    assert.equal(withSecrets[0], 1);
    for (const message of [
      '"appKey" is missing',
      '"appSecret" is missing',
      'variable that is not set',
      'cannot be read',
    ]) {
      assert.ok(withSecrets[1].includes(message), message);
    }
    const validated = async (name: string): Promise<readonly [number, string]> => {
      const { code, out } = await runCli(['validate', join(folder, name), '--without-secrets'], {});
      return [code, out.replaceAll(`${folder}/`, '')];
    };
    assert.deepEqual(await validated('without.yaml'), [
      0,
      'without.yaml: valid: 0 endpoints, 1 consumer, 4 credentials, 0 grants\n',
    ]);
    assert.deepEqual((await validated('dangling.yaml'))[0], 1, 'what is no secret must still be there');
    assert.equal((await validated('wrong.yaml'))[0], 1);
  });

  it('colours only on a terminal that wants it', async () => {
    const [, coloured] = await run(['wrong.yaml'], 'table', { isTerminal: true });
    assert.ok(coloured.includes('\u001b[31m^'));
    const environment = { NO_COLOR: '1' };
    const [, plain] = await run(['wrong.yaml'], 'table', { isTerminal: true, environment });
    assert.ok(!plain.includes('\u001b'));
  });

  it('gives scripts JSON and YAML', async () => {
    const [code, json] = await run(['wrong.yaml'], 'json');
    assert.equal(code, 1);
    const found = JSON.parse(json) as { valid: boolean; files: string[]; problems: unknown[] };
    assert.deepEqual(found, {
      valid: false,
      files: ['wrong.yaml'],
      problems: [
        {
          file: 'wrong.yaml',
          line: 3,
          column: 9,
          path: 'consumers[0].id',
          message: '"id" must be 1 to 63 of the characters a-z, 0-9 and "-", and begin with a letter or digit',
        },
        {
          file: 'wrong.yaml',
          line: 4,
          column: 29,
          path: 'consumers[0].credentials[0].method',
          message:
            '"method" must be "key", "hmac", "parameter-signature", "http-message-signature", "oauth2", "jwt" or "certificate"; did you mean "hmac"?',
        },
      ],
    });
    assert.deepEqual(await run(['valid.yaml'], 'yaml'), [
      0,
      'valid: true\nfiles:\n  - valid.yaml\nendpoints: 0\nconsumers: 1\ncredentials: 1\ngrants: 0\nwarnings: []\n',
    ]);
  });

  it('is a command that takes many files, as arguments too', async () => {
    let text = '';
    const out = { isTerminal: false, write: (part: string) => (text += part) };
    const terminal = { environment: { ACME: SECRET }, out } as unknown as Terminal;
    const codes: number[] = [];
    const command = (): Command => {
      const program = new Command()
        .exitOverride()
        .configureOutput({ writeErr: () => undefined, writeOut: (part) => (text += part) });
      registerValidate(program, { ...systemPorts(), terminal, finish: (code) => void codes.push(code) });
      return program;
    };
    const files = ['grants.yaml', 'valid.yaml', 'endpoints.yaml'].map((name) => join(folder, name));
    await command().parseAsync(['validate', '-f', ...files.slice(0, 2), '-f', ...files.slice(2)], { from: 'user' });
    assert.deepEqual(codes, [0]);
    await command().parseAsync(['validate', ...files.slice(0, 2), '-f', ...files.slice(2)], { from: 'user' });
    assert.deepEqual(codes, [0, 0]);
    await assert.rejects(command().parseAsync(['validate', '--help'], { from: 'user' }));
    assert.match(text, /Examples:\n {2}\$ postern validate\n {2}\$ postern validate postern\.yaml/);
  });
});

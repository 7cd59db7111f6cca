import assert from 'node:assert/strict';
import { existsSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../../support/docs/documents.ts';
import { useFiles } from '../apply/files.ts';
import { partnerKey } from '../../../support/oauth2/client-assertion.ts';
import { type Given, runCli } from '../run-cli.ts';
import { memoryCli } from '../nouns/memory-cli.ts';

const example = join(projectRoot, 'examples/kong/kong.yaml');
const secrets = ['acme-example-key-2fVn8QxL', 'acme-example-secret-7TqLx2Kd9w', 'acme-example-client-secret-Zr4'];
const oidc = '_format_version: "3.0"\nroutes:\n  - { name: a, paths: [/a], plugins: [{ name: openid-connect }] }\n';

describe('postern import kong', () => {
  const files = useFiles();
  const run = async (args: readonly string[], given?: Given): ReturnType<typeof runCli> =>
    await runCli(['import', 'kong', ...args], {}, given);

  it('prints a document that postern validate accepts and postern apply takes; what differs goes to standard error', async () => {
    for (const format of ['yaml', 'json']) {
      const { code, out, err } = await run(['-f', example, '-o', format]);
      assert.equal(code, 0, err);
      const file = files.write(`postern.${format}`, out);
      const validated = await runCli(['validate', '-f', file]);
      assert.equal(validated.out, `${file}: valid: 4 endpoints, 2 consumers, 4 credentials, 1 grant\n`);
      const cli = await memoryCli();
      assert.equal((await cli.run(['apply', '-f', file])).code, 0);
      const again = await cli.run(['diff', '-f', file]);
      assert.equal(again.code, 0, again.out);
      assert.match(err, /kong\.yaml:\d+:\d+: warning: plugin "hmac-auth": [^\n]+\n {4}-> [^\n]+\n/);
      assert.match(err, /\n4 endpoints, 2 consumers, 1 grant: 0 errors, \d+ warnings, \d+ notes?\n$/);
      for (const secret of secrets) assert.ok(!err.includes(secret) && out.includes(secret));
    }
  });

  it('writes files that only their owner can read, and the report beside', async () => {
    const [to, report, json] = [files.path('out.yaml'), files.path('report.txt'), files.path('report.json')];
    const printed = await run(['-f', example]);
    const { code, out, err } = await run(['-f', example, '--to', to, '--report', report]);
    assert.deepEqual([code, out], [0, '']);
    assert.equal(files.read(to), printed.out);
    assert.equal(files.read(report), err);
    for (const file of [to, report]) assert.equal(statSync(file).mode & 0o777, 0o600);
    await run(['-f', example, '--to', to, '--report', json]);
    const { counts, findings } = JSON.parse(files.read(json)) as {
      counts: { error: number };
      findings: { line: number }[];
    };
    assert.equal(counts.error, 0);
    assert.ok(findings.every(({ line }) => line > 1));
  });

  it('reports what is the same of several things once, with their lines', async () => {
    const routes = ['a', 'b', 'c'].map((name) => `  - { name: ${name}, paths: [/${name}/] }\n`).join('');
    const file = files.write('slashes.yaml', `_format_version: "3.0"\nroutes:\n${routes}`);
    const { err } = await run(['-f', file]);
    assert.match(
      err,
      /slashes\.yaml:3:\d+: warning: route "a": has a path that ends with "\/"[^\n]+\n {4}the same: route "b" \(line 4\), route "c" \(line 5\)\n {4}-> make sure[^\n]+\n/,
    );
    assert.match(err, /: 0 errors, 3 warnings, /);
  });

  it('prints no secrets to a terminal', async () => {
    const { code, out, err } = await run(['-f', example], { columns: 80 });
    assert.deepEqual([code, out], [2, '']);
    assert.match(
      err,
      /^postern import kong: the document holds secrets, which are not printed to a terminal: give --to FILE/,
    );
    const open = files.write('open.yaml', '_format_version: "3.0"\nroutes: [{ name: a, paths: [/a] }]\n');
    assert.equal((await run(['-f', open], { columns: 80 })).code, 0);
  });

  it('ends with 1 when something is refused or left out, and with 0 when that was expected', async () => {
    const file = files.write('oidc.yaml', oidc);
    const { code, out, err } = await run(['-f', file]);
    assert.equal(code, 1);
    assert.match(out, /enabled: false/);
    assert.ok(
      err.includes(
        `${file}:3:5: error: route "a": authenticates callers by "openid-connect", which Postern does not support`,
      ),
      err,
    );
    assert.match(err, /\n1 endpoint \(1 refuses everything\), 0 consumers, 0 grants: 1 error, /);
    assert.equal((await run(['-f', file, '--allow-partial'])).code, 0);
  });

  it('writes nothing for a file that is no configuration of Kong, and shows no line of it', async () => {
    const file = files.write(
      'bad.yaml',
      '_format_version: "3.0"\nconsumers:\n  - keyauth_credentials: [{ key: [hush] }]\n\u001b[2J: 1\n',
    );
    const to = files.path('none.yaml');
    const { code, out, err } = await run(['-f', file, '--to', to]);
    assert.deepEqual([code, out, existsSync(to)], [1, '', false]);
    assert.match(err, /: nothing was written|problems?; nothing was written\n$/);
    assert.doesNotMatch(err, /hush|\u001b/);
    const missing = await run(['-f', files.path('missing.yaml')]);
    assert.equal(missing.code, 1);
    assert.match(missing.err, /the file cannot be read \(ENOENT\)/);
    assert.match((await run(['-f', example, '--to', files.path('no/such/place')])).err, /cannot be written \(ENOENT\)/);
  });

  it('does not replace the file that it reads', async () => {
    const file = files.write('kept.yaml', oidc);
    for (const flag of ['--to', '--report']) {
      const { code, err } = await run(['-f', file, flag, file]);
      assert.equal(code, 2);
      assert.match(err, /would replace the file that is read/);
    }
    symlinkSync(file, files.path('link.yaml'));
    assert.equal((await run(['-f', file, '--to', files.path('link.yaml')])).code, 2);
    assert.equal(files.read(file), oidc);
    const both = files.path('both.yaml');
    const { code, err } = await run(['-f', file, '--to', both, '--report', both]);
    assert.deepEqual([code, existsSync(both)], [2, false]);
    assert.match(err, /--to and --report name the same file/);
  });

  it('writes neither file when one of them cannot be written', async () => {
    const to = files.path('first.yaml');
    const { code, err } = await run(['-f', example, '--to', to, '--report', files.path('.')]);
    assert.deepEqual([code, existsSync(to)], [1, false]);
    assert.match(err, /^postern import kong: .* cannot be written \(EISDIR\): it is a folder: name a file in it\n$/);
  });

  it('takes decisions from flags, and none about who gets in', async () => {
    const text = '_format_version: "3.0"\nplugins: [{ name: rate-limiting, config: { minute: 9, limit_by: ip } }]\n';
    const file = files.write('ip.yaml', `${text}routes: [{ name: a, paths: [/a] }]\n`);
    assert.equal((await run(['-f', file])).code, 1);
    assert.equal((await run(['-f', file, '--elsewhere', 'rate-limiting'])).code, 0);
    for (const [plugin, message] of [
      ['jwt', /who gets in is decided here/],
      ['acl', /who gets in is decided here/],
      ['prometheus', /it is not needed for this plugin/],
      ['\u001b[2J', /must be the name of a plugin/],
    ] as const) {
      const { code, err } = await run(['-f', file, '--elsewhere', plugin]);
      assert.equal(code, 2);
      assert.match(err, message);
    }
    assert.match((await run(['-f', file, '--shared-limits', 'half'])).err, /Allowed choices are refuse, each, divide/);
    assert.equal((await run([])).code, 2);
  });

  it('takes the audiences of issuers from a flag, and counts the issuers', async () => {
    const pem = partnerKey('p-256').publicKey.object.export({ format: 'pem', type: 'spki' }).toString();
    const secret = { key: 'acme-idp', algorithm: 'ES256', rsa_public_key: pem };
    const file = files.write(
      'tokens.yaml',
      JSON.stringify({ _format_version: '3.0', consumers: [{ username: 'acme', jwt_secrets: [secret] }] }),
    );
    const without = await run(['-f', file]);
    assert.equal(without.code, 1);
    assert.match(without.err, /-> import again with --audience, the "aud" that its tokens have/);
    const { code, out, err } = await run(['-f', file, '--audience', 'one', '--audience', 'two']);
    assert.deepEqual([code, /audiences: \[one, two\]/.test(out)], [0, true], out);
    assert.match(err, /\n0 endpoints, 1 issuer, 1 consumer, 0 grants: 0 errors, /);
    const written = files.write('tokens-out.yaml', out);
    assert.match((await runCli(['validate', '-f', written])).out, /: valid: /);
    for (const wrong of [['one', 'one'], [''], Array.from({ length: 17 }, String)]) {
      const refused = await run(['-f', file, ...wrong.flatMap((each) => ['--audience', each])]);
      assert.equal(refused.code, 2);
      assert.match(refused.err, /--audience must be a list of 1 to 16 different texts of 1 to 512 characters/);
    }
  });

  it('has help with examples and exit codes', async () => {
    const { code, out } = await run(['--help']);
    assert.equal(code, 0);
    assert.match(out, /Examples:\n {2}\$ postern import kong -f kong\.yaml --to postern\.yaml/);
    assert.match(out, /Exit codes: 0 done/);
    for (const line of out.split('\n')) assert.ok(line.length <= 125, line);
  });
});

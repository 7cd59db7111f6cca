import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { readFences } from '../../../support/docs/documents.ts';
import { runCli } from '../run-cli.ts';
import { credentialYaml, demoYaml, pageOf } from './handover-cli.ts';

const exampleSecret = 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9';

interface Example {
  readonly unsigned: string;
  readonly bytes: number;
  readonly text: string;
  readonly signature: string;
  readonly sent: string;
}

/** The signed requests of a page. */
function examplesOf(page: string): readonly Example[] {
  const fence = (name: string): string => String.raw`\x60{3}${name}\n([^\x60]*)\n\x60{3}`;
  const pattern = new RegExp(
    String.raw`${fence('text')}\n\nString to sign, (\d+) bytes, no line feed at the end:\n\n${fence('text')}\n\nSignature:\n\n${fence('text')}\n\nWhat is sent:\n\n${fence('http')}`,
    'g',
  );
  return [...page.matchAll(pattern)].map(([, unsigned = '', bytes, text = '', signature = '', sent = '']) => ({
    ...{ unsigned, bytes: Number(bytes), text, signature, sent },
  }));
}

/** What `postern explain` says of a request at the time of the examples. */
async function explain(sent: string, appKey: string, ...args: readonly string[]): Promise<string> {
  await using folder = await temporaryDirectory();
  const file = join(folder.path, 'request');
  writeFileSync(file, sent);
  const known = ['--app-key', appKey, '--secret-from', 'env:SECRET', '--at', '1795228800'];
  return (await runCli(['explain', file, ...known, ...args], { SECRET: exampleSecret })).out;
}

describe('the requests that postern handover gives to compare with', () => {
  const sha512 = (text: string): string => createHash('sha512').update(text, 'utf8').digest('hex');
  const mac = (hash: string, text: string): string =>
    createHmac(hash, exampleSecret).update(text, 'utf8').digest('base64');

  it('are three, signed by hmac over the text that is shown', async () => {
    const examples = examplesOf(await pageOf(demoYaml, 'acme-hmac'));
    assert.equal(examples.length, 3);
    for (const { text, bytes, signature, sent } of examples) {
      assert.equal(signature, mac('sha256', text));
      assert.equal(bytes, Buffer.byteLength(text));
      assert.ok(sent.includes(`appkey="acme-hmac-key"`));
      assert.ok(sent.includes(`signature="${signature}"`));
      assert.match(await explain(sent, 'acme-hmac-key', '--method', 'hmac'), /^Right: /);
      const changed = sent.replace('/invoices', '/invoices2');
      assert.match(
        await explain(changed, 'acme-hmac-key', '--method', 'hmac'),
        /^Wrong|^Not judged|AUTHENTICATION_FAILED/,
      );
    }
    assert.deepEqual(
      examples.map(({ unsigned }) => unsigned.split('\n')[0]),
      [
        'GET https://api.example.com/invoices',
        'GET https://api.example.com/invoices?year=2026&city=K%C3%B6ln+1',
        'POST https://api.example.com/invoices',
      ],
    );
  });

  it('are three, one for each form of a parameter signature', async () => {
    const examples = examplesOf(await pageOf(demoYaml, 'acme-parameters'));
    assert.equal(examples.length, 3);
    for (const { text, bytes, signature, sent } of examples) {
      assert.equal(signature, sha512(`${text}${exampleSecret}`));
      assert.equal(bytes, Buffer.byteLength(text));
      assert.ok(sent.includes(signature));
      assert.match(await explain(sent, 'acme-par-key', '--method', 'parameter-signature'), /^Right: /);
    }
    assert.deepEqual(
      examples.map(({ text }) => text),
      [
        'apiTimestamp=1795228800&appKey=acme-par-key&to=Köln 1',
        'apiTimestamp=1795228800&appKey=acme-par-key&to=Köln 1',
        'apiTimestamp=1795228800&appKey=acme-par-key&data={"weight":"2 kg"}',
      ],
    );
  });

  it('follow the options of the endpoint', async () => {
    const endpoint = (id: string, method: string, options: string, match = ''): string =>
      `{ id: ${id}, scenario: partner-openapi, match: { paths: [{ prefix: /${id} }]${match} }, authentication: ${method}, options: { ${options} } }`;
    const both = '{ id: c, methods: [hmac, parameter-signature], appKey: K, appSecret: the-secret-of-acme }';
    const page = await pageOf(
      credentialYaml(both, [
        endpoint('a', 'hmac', 'algorithms: [hmac-sha384], replayProtection: true'),
        endpoint('b', 'parameter-signature', 'parameterEncoding: raw', ', methods: [GET]'),
      ]),
      'c',
    );
    const examples = examplesOf(page);
    assert.equal(examples.length, 6);
    for (const { text, signature, sent } of examples.slice(0, 3)) {
      assert.match(text, /\nx-nonce: 000102030405060708090a0b0c0d0e0f$/);
      assert.equal(signature, mac('sha384', text));
      const options = ['--option', 'algorithms=hmac-sha384', '--option', 'replayProtection=true'];
      assert.match(await explain(sent, 'K', '--method', 'hmac', ...options), /^Right: /);
    }
    for (const { text, signature, sent } of examples.slice(3)) {
      assert.equal(signature, sha512(`${text}${exampleSecret}`));
      assert.match(sent, /^GET /);
      const raw = ['--method', 'parameter-signature', '--option', 'parameterEncoding=raw'];
      assert.match(await explain(sent, 'K', ...raw), /^Right: /);
    }
    assert.match(examples[3]?.text ?? '', /to=K%C3%B6ln\+1$/);
    assert.match(examples[5]?.text ?? '', /^Zone=2&apiTimestamp=/);
  });

  it('show where a key and a token stand', async () => {
    const keyed = readFences(await pageOf(demoYaml, 'acme-key'), 'http');
    assert.equal(keyed.length, 3);
    for (const sent of keyed) {
      await using folder = await temporaryDirectory();
      const file = join(folder.path, 'request');
      writeFileSync(file, sent.trimEnd());
      const args = ['explain', file, '--method', 'key', '--secret-from', 'env:KEY'];
      assert.match((await runCli(args, { KEY: '8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e' })).out, /^Right: /);
    }
    const [basic = '', inBody = '', call = ''] = readFences(await pageOf(demoYaml, 'acme-oauth2'), 'http');
    const pair = Buffer.from(/Basic (\S+)/.exec(basic)?.[1] ?? '', 'base64').toString();
    assert.equal(pair, `acme-oauth2-key:${exampleSecret}`);
    assert.match(inBody, /client_id=acme-oauth2-key&client_secret=n3vx/);
    assert.match(call, /^GET \/stock HTTP\/1\.1\nHost: api\.example\.com\nAuthorization: Bearer ACCESS-TOKEN\n$/);
  });

  it('are in the data for programs as well', async () => {
    const data = JSON.parse(await pageOf(demoYaml, 'acme-hmac', '-o', 'json')) as {
      readonly appKey: string;
      readonly examples: {
        readonly appSecret: string;
        readonly requests: readonly { readonly stringToSign: string; readonly signature: string }[];
      };
      readonly endpoints: readonly { readonly id: string; readonly urls: readonly string[] }[];
      readonly codes: readonly { readonly code: string }[];
    };
    assert.equal(data.appKey, 'acme-hmac-key');
    assert.deepEqual(
      data.endpoints.map(({ id, urls }) => [id, ...urls]),
      [['invoices', 'https://api.example.com']],
    );
    assert.equal(data.examples.requests.length, 3);
    for (const { stringToSign, signature } of data.examples.requests) {
      assert.equal(signature, mac('sha256', stringToSign));
    }
    assert.ok(data.codes.some(({ code }) => code === 'DIGEST_MISMATCH'));
    assert.equal(data.examples.appSecret, exampleSecret);
  });
});

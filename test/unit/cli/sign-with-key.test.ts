import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { headerOf, type ClientRequest } from '../../../src/check/signing/client-request.ts';
import { readCurlRequest } from '../../../src/partners/explain/read/curl-request.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, endpointsYaml, runCli } from './run-cli.ts';

const origin = 'http://127.0.0.1:10000';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
const payments = ['--endpoint', 'payments', '--app-key', 'acme key 1'];

describe('postern sign --private-key', () => {
  let folder: TemporaryDirectory;
  let store = '';
  let file = '';
  before(async () => {
    folder = await temporaryDirectory();
    store = `file:${join(folder.path, 'postern.yaml')}`;
    file = join(folder.path, 'acme.pem');
    writeFileSync(join(folder.path, 'postern.yaml'), endpointsYaml);
    writeFileSync(file, pem, { mode: 0o600 });
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  const sign = async (...args: readonly string[]): Promise<CommandResult> =>
    await runCli(['sign', ...args], { POSTERN_STORE: store, SECRET: 'an App Secret of 32 characters..' });

  async function signed(...args: readonly string[]): Promise<ClientRequest> {
    const { code, out, err } = await sign(...args, ...payments, '--private-key', file);
    assert.deepEqual([code, err], [0, '']);
    const read = readCurlRequest(Buffer.from(out).toString('latin1'), { body: null });
    assert.ok('request' in read, 'problem' in read ? read.problem : '');
    return read.request;
  }

  function assertSigned(request: ClientRequest, base: readonly string[]): void {
    const [, input = ''] = /^sig1=(.*)$/.exec(headerOf(request, 'signature-input') ?? '') ?? [];
    const [, signature = ''] = /^sig1=:(.*):$/.exec(headerOf(request, 'signature') ?? '') ?? [];
    assert.match(input, /;created=\d+;keyid="acme key 1";nonce="[0-9a-f-]{36}";tag="pay"$/);
    const text = [...base, `"@signature-params": ${input}`].join('\n');
    assert.ok(verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64')), `${text}\n${input}`);
  }

  it('covers what the endpoint wants, and the body by its digest', async () => {
    const type = ['-H', 'Content-Type: application/json'];
    const posted = await signed(
      'POST',
      `${origin}/payments?a=%7E&b`,
      ...type,
      '-d',
      '{"amount":12}',
      '--sign-header',
      'Content-Type',
      '--sign-header',
      'X-A',
      '-H',
      'X-A: é',
    );
    const digest = `sha-256=:${createHash('sha256').update('{"amount":12}').digest('base64')}:`;
    assert.equal(headerOf(posted, 'content-digest'), digest);
    assertSigned(posted, [
      '"@method": POST',
      '"@authority": 127.0.0.1:10000',
      '"@path": /payments',
      '"@query": ?a=%7E&b',
      `"content-digest": ${digest}`,
      '"content-type": application/json',
      '"x-a": é',
    ]);
    assertSigned(await signed('GET', 'http://API.example.com:80/payments'), [
      '"@method": GET',
      '"@authority": api.example.com',
      '"@path": /payments',
      '"@query": ?',
    ]);
  });

  it('signs each request with another nonce', async () => {
    const [one, other] = [await signed('GET', `${origin}/payments`), await signed('GET', `${origin}/payments`)];
    assert.notEqual(headerOf(one, 'signature-input'), headerOf(other, 'signature-input'));
  });

  it('signs with every kind of key', async () => {
    const keys = [
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    ];
    for (const key of keys) {
      const other = join(folder.path, 'other.jwk');
      writeFileSync(other, JSON.stringify(key.export({ format: 'jwk' })), { mode: 0o600 });
      const { code, out, err } = await sign('GET', `${origin}/payments`, ...payments, '--private-key', other);
      assert.deepEqual([code, err], [0, ''], out);
    }
  });

  it('warns of a file that others can read, and never prints the key', async () => {
    const open = join(folder.path, 'open.pem');
    writeFileSync(open, pem);
    chmodSync(open, 0o644);
    const { code, out, err } = await sign('GET', `${origin}/payments`, ...payments, '--private-key', open);
    assert.equal(code, 0);
    assert.equal(
      err,
      `warning: ${open}: others than its owner have access to this private key (mode 0644); chmod it to 0600 or 0400\n`,
    );
    assert.ok(!out.includes(pem.split('\n')[1] ?? ''));
  });

  it('names what is wrong with how it was called, with exit code 2', async () => {
    const wrong = join(folder.path, 'wrong.pem');
    writeFileSync(wrong, publicKey.export({ format: 'pem', type: 'spki' }));
    const get = ['GET', `${origin}/payments`];
    const cases: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [[...get, ...payments], /--private-key is missing: payments takes http-message-signature/],
      [[...get, ...payments, '--secret-from', 'env:SECRET'], /--secret-from has no use: payments takes http-message-/],
      [[...get, '--endpoint', 'payments', '--private-key', file], /--app-key is missing/],
      [
        ['GET', `${origin}/invoices`, '--endpoint', 'invoices', '--app-key', 'k', '--private-key', file],
        /--private-key has no use: invoices takes hmac/,
      ],
      [
        ['GET', `${origin}/invoices`, '--endpoint', 'invoices', '--app-key', 'k'],
        /--secret-from is missing: invoices takes hmac/,
      ],
      [
        [...get, ...payments, '--private-key', wrong],
        /wrong\.pem: this is no private key; signing takes the private half/,
      ],
      [[...get, ...payments, '--private-key', '/nowhere'], /--private-key: \/nowhere cannot be read \(ENOENT\)/],
      [
        [...get, ...payments, '--private-key', pem],
        /--private-key takes a file, or - for standard input, never the key/,
      ],
      [[...get, ...payments, '--private-key', '-', '-d', '@-'], /the body and the private key would both be read/],
    ];
    for (const [args, message] of cases) {
      const { code, out, err } = await sign(...args);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
      assert.ok(!err.includes(pem.split('\n')[1] ?? ''), err);
    }
  });

  it('says what the gateway would refuse, with exit code 1', async () => {
    const get = ['GET', `${origin}/payments`, ...payments, '--private-key', file];
    assert.match(
      (await sign(...get, '--sign-header', 'authorization')).err,
      /CREDENTIALS_MALFORMED: the field authorization cannot be signed/,
    );
    assert.match(
      (await sign(...get, '--sign-header', 'x-none')).err,
      /CREDENTIALS_MALFORMED: the signature covers x-none, which is not in the request/,
    );
    assert.equal((await sign(...get, '--sign-header', 'x-none')).code, 1);
  });
});

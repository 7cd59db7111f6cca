import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import {
  type HttpSignatureParts,
  newKeyPair,
  type PartnerKeyPair,
  signedByKey,
} from '../../support/partner/http-signature.ts';
import { type CommandResult, endpointsYaml, runCli } from './run-cli.ts';

const at = '2026-11-21T02:40:00Z';
const created = Date.parse(at) / 1000;
const [own, former, second, stranger] = [newKeyPair(), newKeyPair('p-256'), newKeyPair('p-256'), newKeyPair()];
const jwk = ({ publicKey }: PartnerKeyPair): string => JSON.stringify(publicKey.jwk);
const storeYaml = `${endpointsYaml}
consumers:
  - id: acme
    credentials:
      - id: acme-signer
        methods: [http-message-signature]
        appKey: acme key 1
        publicKey: { jwk: ${jwk(own)} }
        retiringPublicKey: { publicKey: { jwk: ${jwk(former)} }, expiresAt: 2026-11-01T00:00:00Z }
      - id: acme-second
        methods: [http-message-signature]
        appKey: acme-2
        publicKey: { jwk: ${jwk(second)} }
`;

describe('postern explain, of requests that are signed with a private key', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    writeFileSync(join(folder.path, 'postern.yaml'), storeYaml);
    writeFileSync(join(folder.path, 'own.jwk'), jwk(own));
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  function requestOf(parts: Partial<HttpSignatureParts>): string {
    const usual = { key: own, keyid: 'acme key 1', created, more: ';tag="pay"', target: '/payments?a=1' };
    const {
      method = 'GET',
      target = '',
      headers,
      host = '',
      body,
    } = signedByKey({ ...usual, host: '127.0.0.1:10000', ...parts });
    const lines = [
      `${method} ${target} HTTP/1.1`,
      `Host: ${host}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    return [...lines, '', body?.toString('latin1') ?? ''].join('\r\n');
  }

  const explain = async (parts: Partial<HttpSignatureParts>, ...args: readonly string[]): Promise<CommandResult> => {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, requestOf(parts), 'latin1');
    const store = args.includes('--method') ? {} : { POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}` };
    return await runCli(['explain', file, '--at', at, ...args], {
      SECRET: 'an App Secret of 32 characters..',
      ...store,
    });
  };

  it('needs no secret: the public key of the store tells', async () => {
    const { code, out, err } = await explain({});
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^Right: the signature fits the request\.\nThe gateway lets it pass, to the limits\.\n/);
    const wrong = await explain({ values: { '"@path"': '/payments/' } });
    assert.equal(wrong.code, 1);
    assert.match(wrong.out, /^Wrong: a "\/" at the end of the path .* \[last-slash\]\n/);
    assert.match(wrong.out, /gateway {2}"@path": \/payments\\n/);
    assert.match(wrong.out, /signed {3}"@path": \/payments\/\\n/);
  });

  it('says what to cover', async () => {
    const { out } = await explain({ covered: ['"@method"', '"@path"'] });
    assert.match(out, /\[not-covered\]/);
    assert.match(
      out.replaceAll('\n', ' '),
      /Cover @method, @authority, @path, @query; as Accept-Signature has it: sig1=\("@method" "@authority" "@path" "@query"\);created;tag="pay"/,
    );
  });

  it('knows the former key, the keys of other credentials, and thumbprints', async () => {
    assert.match((await explain({ key: former })).out, /the former private key was used.*\[former-key\]/s);
    const ofOther = await explain({ key: second });
    assert.match(
      ofOther.out,
      /key of the credential acme-second, not with that of acme-signer\.? ?\[key-of-another-cre/,
    );
    assert.match(ofOther.out.replaceAll('\n', ' '), /Send "acme-2", the App Key of acme-second, as keyid/);
    const byThumbprint = await explain({ key: second, keyid: second.publicKey.thumbprint });
    assert.match(byThumbprint.out, /thumbprint of the public key of the credential acme-second/);
    assert.doesNotMatch(byThumbprint.out, /app-key-unknown/);
    assert.match((await explain({ keyid: 'unknown' })).out, /\[app-key-unknown\]/);
  });

  it('says that no known mistake fits, without a word of App Secrets', async () => {
    const { code, out } = await explain({ key: stranger });
    assert.equal(code, 1);
    assert.match(out, /The gateway builds this signature base; compare it with yours/);
    assert.match(out, /Likely causes: a private key of another pair/);
    assert.doesNotMatch(out, /App Secret/);
  });

  it('takes the public key where there is no store', async () => {
    const alone = ['--method', 'http-message-signature', '--option', 'scheme=http'];
    const key = ['--public-key', join(folder.path, 'own.jwk')];
    assert.equal((await explain({}, ...alone, ...key)).code, 0);
    assert.match((await explain({ key: stranger }, ...alone, ...key)).out, /Likely causes: a private key/);
    const cases: readonly (readonly [args: readonly string[], message: RegExp])[] = [
      [alone, /--public-key is missing: without a store there is no other source of the key/],
      [[...alone, ...key, '--secret-from', 'env:SECRET'], /--secret-from has no use beside --public-key/],
      [['--method', 'hmac', '--secret-from', 'env:SECRET', ...key], /--public-key is not for hmac/],
      [key, /--public-key goes with --method; with a store, the credential has its key there/],
    ];
    for (const [args, message] of cases) {
      const { code, out, err } = await explain({}, ...args);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
    }
  });

  it('says that --secret-from has no use', async () => {
    const { out } = await explain({}, '--secret-from', 'env:SECRET');
    assert.match(out.replaceAll('\n', ' '), /compared with nothing: there is none, as callers sign with a private key/);
  });
});

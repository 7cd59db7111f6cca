import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { codesOf, credentialYaml, demoYaml, handover, hmacYaml, pageOf, url, valueOf } from './handover-cli.ts';

const keyed = (match: string, more = ''): string =>
  `{ id: api, scenario: partner-openapi, match: { ${match} }, authentication: hmac${more} }`;

describe('what postern handover tells a partner', () => {
  it('has the address, the App Key, the endpoints and how they authenticate', async () => {
    const page = await pageOf(demoYaml, 'acme-hmac');
    assert.match(page, /^# Calling https:\/\/api\.example\.com\n\nFor Acme Ltd, with the credential `acme-hmac`\./);
    assert.equal(valueOf(page, 'App Key'), '`acme-hmac-key`');
    assert.equal(
      valueOf(page, '`invoices`'),
      '`https://api.example.com/invoices` and below | any | HMAC signature | none',
    );
    assert.ok(!page.includes('orders') && !page.includes('shipments') && !page.includes('stock'));
  });

  it('says from where to call, where consumer or credential have a list, and what another address gets', async () => {
    const endpoint = keyed('paths: [{ prefix: /a }]');
    const listed = (ofConsumer: string, ofCredential: string): string =>
      hmacYaml([endpoint])
        .replace('  - id: acme\n', `  - id: acme\n${ofConsumer}`)
        .replace('appSecret:', `${ofCredential} appSecret:`);
    const consumer = '    allowFrom: [203.0.113.0/24, "2001:db8::/32"]\n';
    const anywhere = await pageOf(hmacYaml([endpoint]), 'acme-hmac');
    assert.equal(valueOf(anywhere, 'Call from'), null);
    assert.ok(!codesOf(anywhere).includes('ADDRESS_NOT_ALLOWED'));
    const both = await pageOf(listed(consumer, 'allowFrom: [203.0.113.7, 198.51.100.0/24, "2001::/16"],'), 'acme-hmac');
    assert.equal(valueOf(both, 'Call from'), '`2001:db8::/32`, `203.0.113.7`');
    assert.ok(codesOf(both).includes('ADDRESS_NOT_ALLOWED'));
    const nowhere = await handover(
      listed(consumer, 'allowFrom: [198.51.100.7],'),
      '--credential',
      'acme-hmac',
      '--url',
      url,
    );
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.err, /no address is in the allowFrom of the consumer acme and of the credential acme-hmac/);
  });

  it('says by which way the App Secret comes, in the words of the operator where there are some', async () => {
    assert.match(
      String(valueOf(await pageOf(demoYaml, 'acme-hmac'), 'App Secret')),
      /^You get it apart from this page/,
    );
    const said = await pageOf(demoYaml, 'acme-hmac', '--secret-by', 'by phone from *Jane*');
    assert.equal(valueOf(said, 'App Secret'), String.raw`by phone from \*Jane\*`);
    const ofKey = await pageOf(demoYaml, 'acme-key', '--secret-by', 'by phone');
    assert.equal(valueOf(ofKey, 'App Key'), 'It is a secret. by phone');
    assert.equal(valueOf(ofKey, 'App Secret'), null);
  });

  it('shows no App Key of a credential that is for key among other methods', async () => {
    const mixed = '{ id: acme-both, methods: [hmac, key], appKey: both-doors, appSecret: the-secret-of-acme }';
    const page = await pageOf(credentialYaml(mixed, [keyed('paths: [{ prefix: / }]')]), 'acme-both');
    assert.ok(!page.includes('both-doors'));
    assert.match(String(valueOf(page, 'App Key')), /^It is a secret\./);
    assert.match(page, /made with the App Key `8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e`, which is an example/);
  });

  it('has the options that a program must know', async () => {
    const plain = await pageOf(demoYaml, 'acme-hmac');
    assert.equal(valueOf(plain, 'Algorithm'), '`hmac-sha256`');
    assert.equal(valueOf(plain, 'Clock'), 'at most 300 seconds from ours, both ways');
    assert.equal(valueOf(plain, 'Replay protection'), 'off: no nonce is needed');
    const options =
      ', options: { algorithms: [hmac-sha512, hmac-sha384], clockSkewSeconds: 60, replayProtection: true, signatureHints: true }';
    const strict = await pageOf(hmacYaml([keyed('paths: [{ prefix: /a }]', options)]), 'acme-hmac');
    assert.equal(valueOf(strict, 'Algorithm'), '`hmac-sha512` or `hmac-sha384`');
    assert.equal(valueOf(strict, 'Clock'), 'at most 60 seconds from ours, both ways');
    assert.match(String(valueOf(strict, 'Replay protection')), /^on: .*`X-Nonce`.*switch the nonce on$/);
    assert.match(String(valueOf(strict, 'Hints')), /stringToSign/);
    assert.match(strict, /algorithm="hmac-sha512", headers="date request-line x-nonce"/);
  });

  it('has what parameters must be like', async () => {
    const endpoint =
      '{ id: api, scenario: partner-openapi, match: { paths: [{ prefix: /a }] }, authentication: parameter-signature, options: { parameterEncoding: raw, requireTimestamp: true, replayProtection: true } }';
    const credential = '{ id: c, method: parameter-signature, appKey: K, appSecret: the-secret-of-acme }';
    const page = await pageOf(credentialYaml(credential, [endpoint]), 'c');
    assert.match(String(valueOf(page, 'Values')), /^signed as they are sent, percent-encoded/);
    assert.match(String(valueOf(page, 'Timestamp')), /required/);
    assert.match(page, /nonce=000102030405060708090a0b0c0d0e0f&to=K%C3%B6ln\+1\n/);
    assert.ok(!codesOf(page).includes('AMBIGUOUS_PARAMETERS'));
    assert.ok(codesOf(page).includes('REQUEST_REPLAYED'));
  });

  it('names each place of an App Key, and prefers a header', async () => {
    const endpoint = (names: string): string =>
      `{ id: api, scenario: partner-openapi, match: { paths: [{ prefix: /a }] }, authentication: key${names} }`;
    const page = async (names: string): Promise<string> =>
      await pageOf(credentialYaml('{ id: c, method: key, appKey: a-secret-app-key }', [endpoint(names)]), 'c');
    const usual = await page('');
    assert.equal(valueOf(usual, 'Prefer'), 'the header: addresses end up in logs');
    assert.match(usual, /^X-App-Key: 8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e$/m);
    const own = await page(', options: { keyNames: [{ query: key }, { header: X-Own }] }');
    assert.match(own, /\| App Key \| the query parameter `key`, or the header `X-Own` \|/);
    assert.match(own, /^X-Own: 8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e$/m);
    const query = await page(', options: { keyNames: [{ query: key }] }');
    assert.match(query, /^GET \/a\?key=8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e HTTP\/1\.1$/m);
    assert.equal(valueOf(query, 'Prefer'), null);
    const bearer = await page(', options: { keyNames: [{ header: Authorization, scheme: Bearer }] }');
    assert.match(bearer, /\| App Key \| the header `Authorization`, after the word `Bearer` and a blank \|/);
    assert.match(bearer, /^Authorization: Bearer 8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e$/m);
    // No client writes such a word: the sample needs none.
    assert.match(bearer, /^printf '%s\\n' 'Authorization: Bearer '"\$APP_KEY" \| curl -H @- /m);
    assert.doesNotMatch(bearer, /postern-curl/);
  });

  it('has the limits that count for this partner, and until when it is granted', async () => {
    const limits =
      'trafficControl: { limits: [{ requests: 6000, unit: minute, per: endpoint }, { requests: 1, unit: second, per: consumer }] }';
    const open = keyed('paths: [{ prefix: /a }]', `, ${limits}`);
    const row = '`https://api.example.com/a` and below | any | HMAC signature | ';
    const ofEndpoint = await pageOf(hmacYaml([open]), 'acme-hmac');
    assert.equal(
      valueOf(ofEndpoint, '`api`'),
      `${row}6 000 requests a minute for all callers together; 1 request a second`,
    );
    assert.match(ofEndpoint, /Answers carry `RateLimit`/);
    const grant =
      '{ endpoint: api, consumer: acme, limits: [{ requests: 7, unit: day, per: consumer }], expiresAt: 2999-01-01T00:00:00Z }';
    const granted = keyed('paths: [{ prefix: /a }]', `, accessCondition: authenticated-and-authorized, ${limits}`);
    assert.equal(
      valueOf(await pageOf(hmacYaml([granted], [grant]), 'acme-hmac'), '`api`'),
      `${row}7 requests a day; 6 000 requests a minute for all callers together | 2999-01-01 00:00:00 UTC`,
    );
  });

  it('has hosts, paths and HTTP methods as they are matched', async () => {
    const page = async (match: string): Promise<string> => await pageOf(hmacYaml([keyed(match)]), 'acme-hmac');
    const rowOf = async (match: string): Promise<string> => String(valueOf(await page(match), '`api`'));
    const rest = ' | any | HMAC signature | none';
    assert.equal(
      await rowOf('hosts: [pay.example.org, "*.example.net"], paths: [{ exact: /a }, { prefix: /b }]'),
      `\`https://pay.example.org/a\`, \`https://pay.example.org/b\` and below, \`https://*.example.net/a\`, \`https://*.example.net/b\` and below${rest}`,
    );
    assert.equal(await rowOf('hosts: [API.example.com], paths: [{ exact: /a }]'), `\`${url}/a\`${rest}`);
    assert.equal(await rowOf('hosts: ["*.example.com"], paths: [{ exact: /a }]'), `\`${url}/a\`${rest}`);
    assert.match(await page('hosts: ["*.example.org"], paths: [{ exact: /a }]'), /^Host: api\.example\.org$/m);
    const reading = await page('paths: [{ exact: /a }], methods: [GET, HEAD]');
    assert.match(reading, /`GET`, `HEAD`/);
    assert.equal(reading.match(/^GET \/a/gm)?.length, 6);
    assert.ok(!/^POST /m.test(reading));
  });

  it('tells endpoints with the same rules once, and others in a section of their own', async () => {
    const endpoints = ['a', 'b', 'c'].map(
      (id) =>
        `{ id: ${id}, scenario: partner-openapi, match: { paths: [{ prefix: /${id} }] }, authentication: hmac, options: { clockSkewSeconds: ${id === 'c' ? '60' : '300'} } }`,
    );
    const page = await pageOf(hmacYaml(endpoints), 'acme-hmac');
    assert.deepEqual(page.match(/^## HMAC signature.*$/gm), ['## HMAC signature: a, b', '## HMAC signature: c']);
    assert.match(page, /more than 300 seconds from our clock\. `Date` is more than 60 seconds from our clock\./);
  });

  it('shows texts of operators as they are, whatever they hold', async () => {
    const hostile = `{ id: api, description: "a | b\\n# c <img> [d](e) \`f\`", scenario: partner-openapi, match: { paths: [{ prefix: "/a\`|b" }] }, authentication: hmac }`;
    const page = await pageOf(hmacYaml([hostile]), 'acme-hmac');
    const row = page.split('\n').find((line) => line.startsWith('| `api`')) ?? '';
    assert.ok(row.includes(String.raw`a \| b` + '\ufffd' + String.raw`\# c \<img\> \[d\](e) \`f\``), row);
    assert.ok(row.includes('``https://api.example.com/a`\\|b`` and below'), row);
    assert.deepEqual(page.match(/^# (?!Copy).*$/gm), ['# Calling https://api.example.com']);
  });
});

describe('what postern handover tells a partner with a key pair', () => {
  const thumbprint = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
  const key = 'publicKey: { jwk: { kty: OKP, crv: Ed25519, x: 11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo } }';
  const former = `retiringPublicKey: { ${key}, expiresAt: 2099-01-01T00:00:00Z }`;
  const yamlFor = (method: string): string =>
    credentialYaml(`{ id: c, method: ${method}, appKey: thumbprint, ${key}, ${former} }`, [
      `{ id: api, scenario: partner-openapi, match: { paths: [{ prefix: /a }] }, authentication: ${method} }`,
    ]);

  for (const method of ['http-message-signature', 'oauth2']) {
    it(`says with which key to sign for ${method}, and asks for no secret`, async () => {
      const page = await pageOf(yamlFor(method), 'c');
      assert.equal(valueOf(page, 'App Key'), `\`${thumbprint}\``);
      assert.match(String(valueOf(page, 'Sign with')), /^the private key of the public key that you sent us: Ed25519/);
      assert.ok(String(valueOf(page, 'Its thumbprint')).includes(`\`${thumbprint}\``));
      assert.equal(valueOf(page, 'Former public key'), 'works until 2099-01-01 00:00:00 UTC');
      assert.doesNotMatch(page, /App Secret|APP_SECRET|`client_secret`.*your/);
      assert.ok(page.includes('### First call'));
      assert.match(page, /^PRIVATE_KEY_FILE=private\.pem$/m);
      assert.match(page, /^\.env\nprivate\.pem$/m);
    });
  }

  it('leads from a key pair to the file to send, with commands of each platform, and never asks for the private key', async () => {
    const page = await pageOf(yamlFor('http-message-signature'), 'c');
    const section = page.slice(page.indexOf('## Your key pair'), page.indexOf('## What you may call'));
    assert.match(section, /Send us `public\.pem`, and no other file\. The private key never leaves your machine/);
    assert.match(section, /```powershell\nssh-keygen -q -t ecdsa -b 256 -m PKCS8 -f private\.pem\n/);
    const [, commands = ''] = /```sh\n([^]*?)```/.exec(section) ?? [];
    await using folder = await temporaryDirectory();
    await promisify(execFile)('sh', ['-euc', commands], { cwd: folder.path });
    assert.match(await readFile(join(folder.path, 'private.pem'), 'utf8'), /^-----BEGIN PRIVATE KEY-----\n/);
    assert.match(await readFile(join(folder.path, 'public.pem'), 'utf8'), /^-----BEGIN PUBLIC KEY-----\n/);
  });

  it('shows a first call only where a client knows all that the signature covers', async () => {
    const pageWith = async (cover: string, methods = ''): Promise<string> =>
      await pageOf(
        credentialYaml(`{ id: c, method: http-message-signature, appKey: thumbprint, ${key} }`, [
          `{ id: api, scenario: partner-openapi, match: { paths: [{ prefix: /a }]${methods} }, authentication: http-message-signature, options: { coverAlso: [${cover}] } }`,
        ]),
        'c',
      );
    assert.ok((await pageWith('"@target-uri", host')).includes('--cover @target-uri --cover host'));
    assert.ok((await pageWith('content-type', ', methods: [POST]')).includes('--cover content-type'));
    assert.ok(!(await pageWith('content-type')).includes('### First call'), 'a GET has no content-type');
    assert.ok(!(await pageWith('x-tenant')).includes('### First call'), 'nobody knows its value');
  });

  it('says nothing of key pairs where the partner has an App Secret', async () => {
    assert.ok(
      !(
        await pageOf(
          hmacYaml(['{ id: a, scenario: partner-openapi, match: { paths: [{ prefix: /a }] }, authentication: hmac }']),
          'acme-hmac',
        )
      ).includes('key pair'),
    );
  });

  it('tells OAuth2 clients what an assertion has', async () => {
    const page = await pageOf(yamlFor('oauth2'), 'c');
    assert.equal(valueOf(page, '`client_assertion_type`'), '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`');
    assert.equal(valueOf(page, '`iss` and `sub`'), 'your App Key');
  });

  it('has the key in its data, and says that no secret is on the way', async () => {
    const { out } = await handover(yamlFor('oauth2'), '--credential', 'c', '--url', url, '-o', 'json');
    const data = JSON.parse(out) as Readonly<Record<string, unknown>>;
    assert.deepEqual(data['key'], { type: 'Ed25519', bits: 256, thumbprint });
    assert.equal(data['examples'], undefined);
    const wrong = await handover(yamlFor('oauth2'), '--credential', 'c', '--url', url, '--secret-by', 'by phone');
    assert.deepEqual([wrong.code, wrong.out], [2, '']);
    assert.match(
      wrong.err,
      /--secret-by: the partner proves with a key, tokens or a certificate of its own, and gets no secret/,
    );
  });
});

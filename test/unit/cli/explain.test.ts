import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { record } from '../../support/refusals/refused.ts';
import { startRememberingReplica } from '../../support/refusals/remembering-replica.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, endpointsYaml, runCli } from './run-cli.ts';

/** The endpoints, and who may call them. */
const storeYaml = (secretText: string): string => `${endpointsYaml}${consumersYaml(secretText)}`;

const secret = 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9';
const date = 'Sat, 07 Nov 2026 02:40:00 GMT';
const at = '2026-11-07T02:40:00Z';

/** Credentials in every state, all with the same App Secret. */
const consumersYaml = (secretText: string): string => `
  - id: guarded
    scenario: partner-openapi
    match: { paths: [{ prefix: /guarded }] }
    authentication: hmac
    accessCondition: authenticated-and-authorized
consumers:
  - id: acme
    credentials:
      - { id: a, method: hmac, appKey: k, appSecret: '${secretText}' }
      - { id: b, method: hmac, appKey: revoked, appSecret: '${secretText}', state: revoked }
      - { id: c, method: hmac, appKey: expired, appSecret: '${secretText}', expiresAt: 2026-11-06T00:00:00Z }
      - { id: d, method: hmac, appKey: early, appSecret: '${secretText}', notBefore: 2026-11-08T00:00:00Z }
      - { id: e, method: parameter-signature, appKey: foreign, appSecret: '${secretText}' }
      - { id: f, method: key, appKey: some-app-key }
      - { id: g, method: key, appKey: revoked-key, state: revoked }
      - id: h
        method: hmac
        appKey: rotated
        appSecret: another-app-secret-of-today
        retiringSecret: { appSecret: '${secretText}', expiresAt: 2026-11-06T00:00:00Z }
      - id: i
        method: hmac
        appKey: rotating
        appSecret: another-app-secret-of-today
        retiringSecret: { appSecret: '${secretText}', expiresAt: 2026-11-08T00:00:00Z }
      - { id: j, method: hmac, appKey: elsewhere, appSecretFrom: { env: NOWHERE } }
  - id: listed
    allowFrom: [203.0.113.0/24]
    credentials: [{ id: l, method: hmac, appKey: listed, appSecret: '${secretText}', allowFrom: [203.0.113.7] }]
  - id: idle
    enabled: false
    credentials: [{ id: z, method: hmac, appKey: disabled, appSecret: '${secretText}' }]
`;

describe('postern explain', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    writeFileSync(join(folder.path, 'postern.yaml'), storeYaml(secret));
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function explain(text: string | Buffer, args: readonly string[], secretText = secret): Promise<CommandResult> {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, text);
    const usual = [
      ['--secret-from', 'env:SECRET'],
      ['--at', at],
    ].filter(([flag = '']) => !args.includes(flag));
    const all = ['explain', file, ...usual.flat(), ...args];
    return runCli(all, { SECRET: secretText, POSTERN_STORE: `file:${join(folder.path, 'postern.yaml')}` });
  }

  const hmac = ['--endpoint', 'invoices', '--app-key', 'k'];
  const raw = (signed: string, path = '/invoices?a=1'): string =>
    [
      `GET ${path} HTTP/1.1`,
      'Host: 127.0.0.1:10000',
      `Date: ${date}`,
      `Authorization: hmac appkey="k", algorithm="hmac-sha256", headers="date request-line", signature="${createHmac('sha256', secret).update(signed).digest('base64')}"`,
      '',
      '',
    ].join('\r\n');
  const right = `date: ${date}\nGET /invoices?a=1 HTTP/1.1`;

  it('says verdict, answer, difference and fix, in this order', async () => {
    const { code, out, err } = await explain(raw(`date: ${date}\nGET /invoices HTTP/1.1`), hmac);
    assert.deepEqual([code, err], [1, '']);
    assert.equal(
      out,
      `Wrong: the path was signed without its query. [path-without-query]
The gateway answers 401 AUTHENTICATION_FAILED: the signature does not fit the request.

The string to sign differs from byte 50 on (line 2, byte 14):
  gateway  GET /invoices?a=1 HTTP/1.1
  signed   GET /invoices HTTP/1.1
                        ^ 0x3f for the gateway, 0x20 signed

Fix: Sign the path with "?" and the query, exactly as they are sent.

Note: The App Secret given with --secret-from is the current one of the credential: a.
`,
    );
  });

  it('says that a right request is right', async () => {
    assert.deepEqual(await explain(raw(right), hmac), {
      code: 0,
      out: `Right: the signature fits the request.
The gateway lets it pass, to the limits.

Note: The App Secret given with --secret-from is the current one of the credential: a.
`,
      err: '',
    });
  });

  it('judges the address of --from by the address lists, and says that it lacks one', async () => {
    const listed = ['--endpoint', 'invoices', '--app-key', 'listed'];
    const sent = raw(right).replace('appkey="k"', 'appkey="listed"');
    const unknown = await explain(sent, listed);
    assert.equal(unknown.code, 1, unknown.err);
    assert.match(unknown.out, /^Not judged: nothing is wrong .*; it does not show the address of the caller\.\n/);
    assert.match(unknown.out, /Where the request came from is not in its text, .*: --from ADDRESS judges it\.\n/);
    assert.match((await explain(sent, [...listed, '--from', '203.0.113.7'])).out, /^Right: the signature fits/);
    const forged = sent.replace('Host:', 'X-Envoy-External-Address: 203.0.113.7\r\nHost:');
    const { code, out } = await explain(forged, [...listed, '--from', '203.0.113.8']);
    assert.equal(code, 1);
    assert.match(out, /^Wrong: the credential l may not be used from this address\. \[address-not-allowed\]\n/);
    assert.match(out, /The gateway answers 403 ADDRESS_NOT_ALLOWED: /);
    assert.match((await explain(sent, [...listed, '--from', '10.0.0.0/8'])).err, /It must be an IPv4 or IPv6 address/);
    const unlisted = await explain(raw(right), [...hmac, '--from', '::1']);
    assert.match(
      unlisted.out,
      /^Right: [^]*\nNote: --from has no use here: no address list is asked for this request\.\n/,
    );
  });

  it('says that an old request was right', async () => {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, raw(right).replaceAll('2026', '2020'));
    const old = raw(right.replace('2026', '2020')).replace('2026', '2020');
    writeFileSync(file, old);
    const store = `file:${join(folder.path, 'postern.yaml')}`;
    const { code, out } = await runCli(['explain', file, '--secret-from', 'env:S', '--store', store, ...hmac], {
      S: secret,
    });
    assert.equal(code, 0, out);
    assert.match(out, /^Right, but old: /);
    assert.match(out, /answers 401 REQUEST_EXPIRED/);
  });

  it('lists several mistakes, each with its fix', async () => {
    const { out } = await explain(raw(`date: ${date}\nget /invoices HTTP/1.1`), hmac);
    assert.match(
      out,
      /^Wrong: 2 mistakes\.\n {2}1\. .* \[path-without-query\]\n {2}2\. .* \[method-case\]\nThe gateway/,
    );
    assert.match(out, /Fix:\n {2}- Sign the path.*\n {2}- Write the method/);
  });

  it('shows the string to sign and what was tried, when nothing fits', async () => {
    const { code, out } = await explain(raw('something else'), hmac);
    assert.equal(code, 1);
    assert.match(out, /^Wrong: the signature fits neither the request nor any known mistake\./);
    assert.ok(out.includes(`\n  date: ${date}\n  GET /invoices?a=1 HTTP/1.1\n`));
    assert.match(out, /Checked, alone and in pairs: path-without-query, /);
    assert.match(out, /Likely causes: an App Secret that belongs to another App Key/);
    assert.ok(out.split('\n').every((line) => line.length <= 120));
  });

  it('says which secret was given, whatever becomes of the request', async () => {
    const other = 'another-app-secret-of-somebody';
    const today = 'another-app-secret-of-today';
    const by = (appKey: string): string => raw(right).replace('appkey="k"', `appkey="${appKey}"`);
    const keyed = 'GET /orders?appKey=some-app-key HTTP/1.1\nHost: a.example\n\n';
    const cases: readonly (readonly [text: string, secret: string, verdict: RegExp, note: string])[] = [
      [by('k'), secret, /^Right: /, 'is the current one of the credential: a.'],
      [by('k'), other, /^Right: /, 'is another one than the store has for the credential: a.'],
      [by('rotating'), secret, /^Right: /, 'is the former one, replaced at the last rotation, of the credential: i.'],
      [by('rotated'), today, /^Wrong: /, 'is the current one of the credential: h.'],
      [by('nobody'), other, /^Wrong: /, 'was compared with nothing: no credential has the App Key of the request.'],
      [by('elsewhere'), secret, /^Right: /, 'cannot be read here; the credential is: j.'],
    ];
    for (const [text, given, verdict, note] of cases) {
      const { out } = await explain(text, [], given);
      assert.match(out, verdict);
      assert.ok(out.includes(`Note: The App Secret given with --secret-from`) && out.includes(note), out);
    }
    const sent = await explain(keyed, [], 'some-app-key');
    assert.match(sent.out, /is the one of the request, and one of the credential f\./);
    const revoked = await explain(keyed, [], 'revoked-key');
    assert.match(revoked.out, /is another one than the one of the request, and one of the credential g\./);
    const open = await explain('GET /status HTTP/1.1\nHost: a.example\n\n', ['--app-key', 'k']);
    assert.match(open.out, /Note: --secret-from has no use here: the endpoint status is open/);
    assert.match(open.out, /Note: --app-key has no use here/);
    assert.match(
      (await explain(keyed, ['--app-key', 'k'], 'some-app-key')).out,
      /--app-key has no use on a key endpoint/,
    );
  });

  it('judges what curl -v shows of a request, and says what it does not show', async () => {
    const body = Buffer.from('{"a":1}');
    const digest = `SHA-256=${createHash('sha256').update(body).digest('base64')}`;
    const text = `date: ${date}\nPOST /invoices HTTP/1.1\ndigest: ${digest}`;
    const signature = createHmac('sha256', secret).update(text).digest('base64');
    const shown = [
      ...['POST /invoices HTTP/1.1', 'Host: 127.0.0.1:10000', `Date: ${date}`, `Digest: ${digest}`],
      `Authorization: hmac appkey="k", algorithm="hmac-sha256", headers="date request-line digest", signature="${signature}"`,
      ...['Content-Length: 7', ''],
    ].map((line) => `> ${line}\n`);
    const { code, out } = await explain(shown.join(''), hmac);
    assert.deepEqual(
      [code, out],
      [
        1,
        `Not judged: nothing is wrong with what the text shows; it does not show the body.
Whether the gateway lets it pass is not known.

Note: Content-Length says 7 bytes, but there are 0 bytes of body. --body FILE gives it.
Note: The App Secret given with --secret-from is the current one of the credential: a.
Note: Whether the Digest is that of the body that was sent is not known.
`,
      ],
    );
    const file = join(folder.path, 'body.json');
    writeFileSync(file, body);
    assert.match((await explain(shown.join(''), [...hmac, '--body', file])).out, /^Right: /);
    writeFileSync(file, '{"a":2}');
    const other = await explain(shown.join(''), [...hmac, '--body', file]);
    assert.match(other.out, /^Wrong: the Digest is that of another body/);
    const masked = await explain(shown.join('').replace(/signature=".*"/, 'signature="***"'), hmac);
    assert.match(masked.out, /^Not judged: .* it does not show the body and the credentials\.\n/);
    assert.match(masked.out, /Note: Not in the text, because it was masked: the value of Authorization\.\n/);
  });

  it('prints JSON and YAML', async () => {
    const { code, out } = await explain(raw(`date: ${date}\nGET /invoices HTTP/1.1`), [...hmac, '-o', 'json']);
    assert.equal(code, 1);
    const found = JSON.parse(out) as Record<string, unknown>;
    assert.deepEqual(Object.keys(found).sort(), [
      ...[
        'answer',
        'authentication',
        'checked',
        'difference',
        'hidden',
        'mistakes',
        'notes',
        'requestId',
        'stringToSign',
        'verdict',
      ],
    ]);
    assert.deepEqual([found['verdict'], found['stringToSign']], ['wrong', right]);
    assert.deepEqual(found['answer'], {
      status: 401,
      code: 'AUTHENTICATION_FAILED',
      detail: 'the signature does not fit the request',
      isAccessChecked: true,
    });
    assert.match((await explain(raw(right), [...hmac, '-o', 'yaml'])).out, /^verdict: right\n/);
  });

  it('reads curl with a file beside it, raw HTTP and HAR', async () => {
    const body = join(folder.path, 'body.json');
    writeFileSync(body, '{"a":1}');
    const digest = `SHA-256=${createHash('sha256').update('{"a":1}').digest('base64')}`;
    const text = `date: ${date}\nPOST /invoices HTTP/1.1\ndigest: ${digest}`;
    const mac = createHmac('sha256', secret).update(text).digest('base64');
    const authorization = `hmac appkey="k", algorithm="hmac-sha256", headers="date request-line digest", signature="${mac}"`;
    const curl = `curl http://127.0.0.1:10000/invoices \\\n --data-binary @${body} -H 'Date: ${date}' \\\n -H 'Digest: ${digest}' -H 'Authorization: ${authorization}'\n`;
    const request = {
      method: 'POST',
      url: 'http://127.0.0.1:10000/invoices',
      headers: [
        { name: 'Date', value: date },
        { name: 'Digest', value: digest },
        { name: 'Authorization', value: authorization },
      ],
      postData: { mimeType: 'application/json', text: '{"a":1}' },
    };
    const entries = [{ request: { method: 'GET', url: 'http://127.0.0.1/', headers: [] } }, { request }];
    const http = [
      'POST /invoices HTTP/1.1',
      'Host: a',
      ...request.headers.map(({ name, value }) => `${name}: ${value}`),
      '',
      '{"a":1}',
    ].join('\n');
    const beside = ['--body', join(folder.path, 'body.json')];
    assert.match((await explain(curl, [...hmac, ...beside])).out, /^Right/, curl);
    for (const given of [http, JSON.stringify({ request })]) {
      assert.match((await explain(given, hmac)).out, /^Right/, given);
    }
    assert.match((await explain(JSON.stringify({ log: { entries } }), [...hmac, '--entry', '2'])).out, /^Right/);
    const first = await explain(JSON.stringify({ log: { entries } }), hmac);
    assert.match(first.out, /Note: The HAR has 2 entries; this is the first\. --entry N takes another\./);
  });

  it('never prints the secret, a right signature, or the App Key of a key endpoint', async () => {
    const key = 'app-key-of-somebody';
    const texts = [
      await explain(`curl 'http://h/orders?appKey=${key}x'`, ['--endpoint', 'orders'], key),
      await explain(`curl 'http://h/orders?appKey=other' -H 'X-App-Key: ${key}'`, ['--endpoint', 'orders'], key),
    ];
    for (const { out, err } of texts) assert.ok(!(out + err).includes(key));
    // Even where it stands in the request itself.
    const path = `/invoices?secret=${secret}`;
    const shown = [
      await explain(raw('something', path), hmac),
      await explain(raw('something', path), [...hmac, '-o', 'json']),
      await explain(raw(`date: ${date}\nGET ${path} HTTP/2`, path), hmac),
      await explain(raw(`date: ${date}\nGET /invoices HTTP/1.1`, path), hmac),
    ];
    const mac = createHmac('sha256', secret).update(`date: ${date}\nGET ${path} HTTP/1.1`).digest('base64');
    for (const { out, err } of shown) {
      assert.match(out, /AUTHENTICATION_FAILED/);
      assert.ok(!(out + err).includes(secret.slice(0, 20)), out);
      assert.ok(!(out + err).includes(mac));
    }
  });

  it('names what is wrong with how it was called, with exit code 2', async () => {
    const cases: readonly (readonly [string, readonly string[], RegExp])[] = [
      ['hello', hmac, /request\.txt: /],
      ['', hmac, /there is no text/],
      ['curl -d @nowhere http://a/', hmac, /from the file nowhere, which is not read: --body FILE names it/],
      [
        raw(right),
        [...hmac, '--at', 'yesterday'],
        /'--at <time>' argument 'yesterday' is invalid\. Write a time with its zone/,
      ],
      [raw(right), [...hmac, '--at', '2026-11-07T02:40:00'], /with its zone/],
      [raw(right), [...hmac, '--entry', '0'], /a whole number from 1/],
      [raw(right), [...hmac, '-o', 'xml'], /Allowed choices are table, json, yaml/],
      [raw(right), [...hmac, '--secret-from', 'env:NOWHERE'], /NOWHERE is not set/],
    ];
    for (const [text, args, message] of cases) {
      const { code, out, err } = await explain(text, args);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
    }
    const absent = await runCli(
      [
        'explain',
        '/nowhere',
        '--secret-from',
        'env:S',
        '--endpoint',
        'orders',
        '--store',
        `file:${join(folder.path, 'postern.yaml')}`,
      ],
      { S: 'x' },
    );
    assert.deepEqual([absent.code, absent.err], [2, 'postern explain: /nowhere cannot be read (ENOENT)\n']);
    const both = await runCli(['explain', '-', '--secret-from', '-', '--endpoint', 'orders']);
    assert.equal(both.code, 2);
    assert.match(both.err, /put one into a file/);
  });

  it('has exit code 3 for an endpoint that does not exist', async () => {
    const { code, err } = await explain(raw(right), ['--endpoint', 'invoice']);
    assert.equal(code, 3);
    assert.match(err, /did you mean "invoices"\?/);
  });

  it('takes the time in each form', async () => {
    for (const time of ['1794019200', '2026-11-07T03:40:00.5+01:00', date]) {
      assert.match((await explain(raw(right), [...hmac, '--at', time])).out, /^Right: /, time);
    }
  });

  /** A request with a right signature by an App Key of the store, without any flag. */
  const by = (appKey: string, path = '/invoices'): string =>
    raw(`date: ${date}\nGET ${path} HTTP/1.1`, path).replace('appkey="k"', `appkey="${appKey}"`);
  const bare = async (
    text: string,
    args: readonly string[] = [],
    more: Readonly<Record<string, string>> = {},
  ): Promise<CommandResult> => {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, text);
    const store = `file:${join(folder.path, 'postern.yaml')}`;
    // Where no Postern listens: whatever else runs on this machine.
    const environment = { SECRET: secret, POSTERN_STORE: store, POSTERN_ADMIN_ADDRESS: '127.0.0.1:1', ...more };
    return await runCli(['explain', file, ...(args.includes('--at') ? [] : ['--at', at]), ...args], environment);
  };

  it('takes endpoint, App Key and App Secret from the store', async () => {
    assert.deepEqual(await bare(by('k')), {
      code: 0,
      out: 'Right: the signature fits the request.\nThe gateway lets it pass, to the limits.\n',
      err: '',
    });
    const { out } = await bare(raw(`date: ${date}\nGET /invoices HTTP/1.1\n`, '/invoices'));
    assert.match(out, /^Wrong: .*\[line-feed-at-the-end\]/);
    assert.match((await bare(by('rotating'))).out, /^Right: /);
    const nowhere = await bare(by('k', '/nowhere'));
    assert.deepEqual([nowhere.code, nowhere.out], [2, '']);
    assert.match(nowhere.err, /no endpoint of the store matches host, path and method; name/);
  });

  it('judges credential, state, method and grant as serve does', async () => {
    const cases: readonly (readonly [string, string, number, RegExp])[] = [
      [by('nobody'), 'app-key-unknown', 401, /the App Key is unknown/],
      [by('revoked'), 'credential-revoked', 401, /the credential b is revoked/],
      [by('expired'), 'credential-expired', 401, /the credential c has expired/],
      [by('early'), 'credential-not-yet-valid', 401, /the credential d is not valid yet/],
      [by('foreign'), 'credential-of-another-method', 401, /the credential e is not for hmac/],
      [by('disabled'), 'consumer-disabled', 401, /the consumer idle is disabled/],
      [by('rotated'), 'former-secret', 401, /the former App Secret was used/],
      [by('k', '/guarded'), 'not-authorized', 403, /the consumer acme has no grant/],
      ["curl 'http://h/orders' -H 'X-App-Key: nobody'", 'app-key-unknown', 401, /the App Key is unknown/],
      ["curl 'http://h/orders' -H 'X-App-Key: revoked-key'", 'credential-revoked', 401, /the credential g is revoked/],
      ["curl 'http://h/orders' -H 'X-App-Key: Some-App-Key'", 'key-case', 401, /upper and lower case/],
    ];
    for (const [text, name, status, what] of cases) {
      const { code, out, err } = await bare(text, ['-o', 'json']);
      assert.deepEqual([code, err], [1, ''], out);
      const { verdict, mistakes, answer } = JSON.parse(out) as {
        verdict: string;
        mistakes: readonly { name: string; what: string }[];
        answer: { status: number };
      };
      const found = mistakes.find((mistake) => mistake.name === name);
      assert.deepEqual([verdict, answer.status], ['wrong', status], out);
      assert.match(found?.what ?? out, what);
    }
  });

  it('says what to write into the file, which no command changes', async () => {
    const path = join(folder.path, 'postern.yaml');
    const cases: readonly (readonly [string, string])[] = [
      [by('k', '/guarded'), `Add { endpoint: guarded, consumer: acme } to the "grants" of ${path}.`],
      [by('revoked'), `Give the consumer acme a new credential of the method hmac, in ${path}.`],
      [by('expired'), `Give the credential c a later "expiresAt", or acme a new one, in ${path}.`],
      [by('disabled'), `Enable the consumer: remove "enabled: false" from idle, in ${path}.`],
    ];
    for (const [text, fix] of cases) {
      const { out } = await bare(text);
      assert.ok(out.includes(`\nFix: ${fix}\n`), out);
      assert.doesNotMatch(out, /postern (?:grant|credential|consumer)/);
    }
  });

  it('compares with the refusal that a replica on this machine remembers, where one answers', async () => {
    await using replica = await startRememberingReplica(record({ requestId: 'r-1', path: '/guarded' }));
    const named = ['--request-id', 'r-1'];
    const { out } = await bare(by('k', '/guarded'), named, { POSTERN_ADMIN_ADDRESS: replica.address });
    assert.match(out, /\nNote: The refusal that is kept: AUTHENTICATION_FAILED, the signature does not fit/);
    const silent = await bare(by('k', '/guarded'), named);
    assert.match(
      silent.out,
      /\nNote: The refusal was not looked up: http:\/\/127\.0\.0\.1:1 does not answer: .*; --admin names the replica that remembers it\.\n/,
    );
    await using other = await startRememberingReplica();
    other.forget('this process keeps no refusals itself');
    const elsewhere = await bare(by('k', '/guarded'), named, { POSTERN_ADMIN_ADDRESS: other.address });
    assert.match(
      elsewhere.out,
      /not-authorized.*\nNote: The refusal was not looked up: .* answered 404: this process/s,
    );
    const asked = await bare(by('k', '/guarded'), [...named, '--admin', '127.0.0.1:1']);
    assert.deepEqual([asked.code, asked.out], [5, '']);
  });

  it('says which methods the endpoint of a path takes', async () => {
    const yaml = storeYaml(secret).replace(
      'paths: [{ prefix: /status }] }',
      'paths: [{ prefix: /status }], methods: [GET, HEAD] }',
    );
    writeFileSync(join(folder.path, 'methods.yaml'), yaml);
    const post = 'POST /status HTTP/1.1\nHost: a.example\nContent-Length: 0\n\n';
    const { code, out } = await bare(post, [], { POSTERN_STORE: `file:${join(folder.path, 'methods.yaml')}` });
    assert.equal(code, 1);
    assert.match(out, /^Wrong: the endpoint status takes GET, HEAD; the request is POST\. \[endpoint-not-found\]\n/);
    assert.match(out, /The gateway answers 404 ENDPOINT_NOT_FOUND: the endpoint status takes GET, HEAD/);
  });

  it('does not call an old request right that was refused when it was made', async () => {
    const late = ['--at', '2026-11-07T05:00:00Z'];
    assert.match((await bare(by('k'), late)).out, /REQUEST_EXPIRED/);
    const { code, out } = await bare(by('k', '/guarded'), late);
    assert.equal(code, 1);
    assert.match(out, /\[not-authorized\]/);
  });

  it('says when the secret given is not the one of the store', async () => {
    const file = join(folder.path, 'request.txt');
    writeFileSync(file, by('rotated'));
    const store = `file:${join(folder.path, 'postern.yaml')}`;
    const given = { SECRET: 'a-secret-that-was-never-issued', POSTERN_STORE: store };
    const { out } = await runCli(['explain', file, '--at', at, '--secret-from', 'env:SECRET'], given);
    assert.match(out, /\[secret-not-stored\]/);
    const unread = await bare(by('elsewhere'));
    assert.equal(unread.code, 2);
    assert.match(unread.err, /credential j cannot be read here: .* not set; give it with --secret-from/);
    assert.match((await bare(by('elsewhere'), ['--secret-from', 'env:SECRET'])).out, /^Right: /);
  });

  it('names the endpoint that host, path and method lead to', async () => {
    const { code, out } = await bare(by('k', '/invoices'), ['--endpoint', 'guarded']);
    assert.equal(code, 1);
    assert.match(out, /match the endpoint invoices, not guarded\. \[another-endpoint\]/);
  });

  it('works without a store', async () => {
    const file = join(folder.path, 'request.txt');
    const alone = async (text: string, args: readonly string[]): Promise<CommandResult> => {
      writeFileSync(file, text);
      return await runCli(['explain', file, '--at', at, ...args], { SECRET: secret, POSTERN_STORE: 'file:/nowhere' });
    };
    const told = ['--method', 'hmac', '--secret-from', 'env:SECRET'];
    assert.deepEqual(await alone(by('anybody'), told), {
      code: 0,
      out: 'Right: the signature fits the request.\nThe gateway lets it pass, to the access condition and the limits.\n',
      err: '',
    });
    assert.match((await alone(by('anybody'), [...told, '--app-key', 'k'])).out, /\[other-app-key\]/);
    assert.match(
      (await alone(by('k'), [...told, '--option', 'algorithms=hmac-sha512'])).out,
      /\[algorithm-not-allowed\]/,
    );
    const usage: readonly (readonly [readonly string[], RegExp])[] = [
      [['--method', 'hmac'], /--secret-from is missing/],
      [[...told, '--endpoint', 'invoices'], /'--method <method>' cannot be used with option '--endpoint <id>'/],
      [['--option', 'clockSkewSeconds=1'], /--option goes with --method/],
      [[...told, '--option', 'clockSkew=1'], /clockSkew/],
      [['--method', 'basic'], /Allowed choices are key, hmac, parameter-signature, http-message-signature, oauth2/],
    ];
    for (const [args, message] of usage) {
      const { code, err } = await alone(by('k'), args);
      assert.equal(code, 2, err);
      assert.match(err, message);
    }
  });

  it('carries the requestId, given or read from the refusal, and says how to find it in the log', async () => {
    const id = 'baac2dab-20a4-46e5-ae98-41a4cbf83ec1';
    const { out } = await bare(by('k'), ['--request-id', id]);
    assert.ok(out.endsWith(`\nRequest ${id}. Its line in the log of Postern:\n  grep -F '"requestId":"${id}"'\n`), out);
    const refusal = `{"code":"AUTHENTICATION_FAILED","message":"The credentials or the signature are not valid.","requestId":"${id}"}`;
    const pasted = await bare(`curl 'http://h/orders?appKey=x'\n${refusal}\n`, ['-o', 'json']);
    assert.equal((JSON.parse(pasted.out) as { requestId: string }).requestId, id);
    const verbose = await bare(`> GET /orders?appKey=x HTTP/1.1\r\n> Host: h\r\n> \r\n< x-request-id: ${id}\r\n`);
    assert.ok(verbose.out.includes(`Request ${id}.`));
    const wrong = await bare(by('k'), ['--request-id', "'; rm"]);
    assert.deepEqual([wrong.code, wrong.out], [2, '']);
  });

  it('refuses CONNECT as the gateway does', async () => {
    const { out } = await bare(by('k').replace('GET', 'CONNECT'), ['--endpoint', 'invoices']);
    assert.match(out, /PATH_NOT_NORMAL: the target of CONNECT is not a path/);
  });
});

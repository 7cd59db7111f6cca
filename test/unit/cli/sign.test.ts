import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCurlRequest } from '../../../src/partners/explain/read/curl-request.ts';
import type { ClientRequest } from '../../../src/check/signing/client-request.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type CommandResult, endpointsYaml, runCli } from './run-cli.ts';

const secret = 'it\'s a "secret" of 32 characters';
const origin = 'http://127.0.0.1:10000';

describe('postern sign', () => {
  let folder: TemporaryDirectory;
  let store = '';
  before(async () => {
    folder = await temporaryDirectory();
    writeFileSync(join(folder.path, 'postern.yaml'), endpointsYaml);
    writeFileSync(join(folder.path, 'secret.txt'), `${secret}\n`);
    store = `file:${join(folder.path, 'postern.yaml')}`;
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  async function sign(args: readonly string[], secretFrom = 'env:SECRET'): Promise<CommandResult> {
    return runCli(['sign', ...args, '--secret-from', secretFrom], { SECRET: secret, POSTERN_STORE: store });
  }

  async function signed(args: readonly string[]): Promise<ClientRequest> {
    const { code, out, err } = await sign(args);
    assert.deepEqual([code, err], [0, '']);
    assert.ok(out.endsWith('\n'));
    const read = readCurlRequest(Buffer.from(out).toString('latin1'), { body: null });
    assert.ok('request' in read, 'problem' in read ? read.problem : '');
    return read.request;
  }

  const header = ({ headers }: ClientRequest, wanted: string): string =>
    headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? '';

  it('puts an App Key into the first place that the endpoint looks at', async () => {
    const query = await signed(['GET', `${origin}/orders?x=1`, '--endpoint', 'orders']);
    assert.equal(query.path, `/orders?x=1&appKey=${encodeURIComponent(secret)}`);
    const inHeader = await signed(['GET', `${origin}/by-header`, '--endpoint', 'by-header']);
    assert.deepEqual([inHeader.path, header(inHeader, 'x-app-key')], ['/by-header', secret]);
  });

  it('signs by hmac, with body, empty header and further headers', async () => {
    const request = await signed([
      ...['POST', `${origin}/invoices?a=%7E{b}`, '--endpoint', 'invoices', '--app-key', 'k', '-d', "it's ü"],
      ...['-H', 'Content-Type: text/plain', '-H', 'X-Empty:', '--sign-header', 'Host', '--sign-header', 'X-Empty'],
    ]);
    assert.equal(request.path, '/invoices?a=%7E{b}');
    assert.equal(request.body.toString(), "it's ü");
    const digest = `SHA-256=${createHash('sha256').update("it's ü").digest('base64')}`;
    assert.equal(header(request, 'digest'), digest);
    const text = [
      `date: ${header(request, 'date')}`,
      'POST /invoices?a=%7E{b} HTTP/1.1',
      `digest: ${digest}`,
      'host: 127.0.0.1:10000',
      'x-empty: ',
    ].join('\n');
    const mac = createHmac('sha256', secret).update(text).digest('base64');
    assert.equal(
      header(request, 'authorization'),
      `hmac appkey="k", algorithm="hmac-sha256", headers="date request-line digest host x-empty", signature="${mac}"`,
    );
  });

  it('signs parameters in the URL, in a form and around JSON', async () => {
    const base = ['--endpoint', 'shipments', '--app-key', 'k'];
    const hash = (text: string): string =>
      createHash('sha512')
        .update(text + secret)
        .digest('hex');
    const url = new URLSearchParams(
      (await signed(['GET', `${origin}/shipments?to=K%C3%B6ln+1`, ...base])).path.split('?')[1],
    );
    assert.equal(url.get('sign'), hash(`apiTimestamp=${url.get('apiTimestamp') ?? ''}&appKey=k&to=Köln 1`));
    const formRequest = await signed(['POST', `${origin}/shipments`, '-d', 'to=K%C3%B6ln', ...base]);
    assert.equal(header(formRequest, 'content-type'), 'application/x-www-form-urlencoded');
    const form = new URLSearchParams(formRequest.body.toString());
    assert.equal(form.get('sign'), hash(`apiTimestamp=${form.get('apiTimestamp') ?? ''}&appKey=k&to=Köln`));
    const data = '{"a": "\u{1f600}\\n\'\\""}';
    const json = await signed([
      'POST',
      `${origin}/shipments`,
      '-H',
      'Content-Type: application/json',
      '-d',
      data,
      ...base,
    ]);
    const wrapper = JSON.parse(json.body.toString()) as Record<string, unknown>;
    assert.equal(wrapper['data'], data);
    assert.equal(wrapper['sign'], hash(`apiTimestamp=${String(wrapper['apiTimestamp'])}&appKey=k&data=${data}`));
  });

  it('prints a command that carries any body to the byte', async () => {
    const bodies: readonly Buffer[] = [
      Buffer.from([0, 1, 10, 13, 255]),
      Buffer.from('line one\nline "two"\r\n'),
      Buffer.from('@not a file'),
      Buffer.from("'; echo $HOME `date` \\ !"),
      Buffer.alloc(65_537, 'x'),
      Buffer.alloc(200_000, 'ü'),
    ];
    const file = join(folder.path, 'body.bin');
    for (const body of bodies) {
      writeFileSync(file, body);
      const { out } = await sign([
        'POST',
        `${origin}/invoices`,
        '--endpoint',
        'invoices',
        '--app-key',
        'k',
        '-d',
        `@${file}`,
      ]);
      // A curl that prints its body shows what a shell makes of the command.
      const script = `curl() { while [ "$1" != --data-binary ]; do shift; done; if [ "$2" = @- ]; then cat; else printf %s "$2"; fi; }\n${out}`;
      assert.ok(execFileSync('sh', { input: script, maxBuffer: 1e7 }).equals(body), body.toString('latin1', 0, 20));
    }
  });

  it('never prints the App Secret', async () => {
    for (const endpoint of ['invoices', 'shipments']) {
      const { out, err } = await sign(['GET', `${origin}/${endpoint}`, '--endpoint', endpoint, '--app-key', 'k']);
      assert.ok(out.startsWith('curl '));
      assert.ok(!(out + err).includes('of 32 characters'));
      assert.ok(!decodeURIComponent(out).includes('of 32 characters'));
    }
  });

  it('takes the secret from a file, without its last line feed', async () => {
    const args = ['GET', `${origin}/by-header`, '--endpoint', 'by-header'];
    const { code, out } = await sign(args, `file:${join(folder.path, 'secret.txt')}`);
    assert.equal(code, 0);
    assert.equal(out, (await sign(args)).out);
  });

  it('names what is wrong with how it was called, with exit code 2', async () => {
    const cases: readonly (readonly [readonly string[], RegExp, string?])[] = [
      [['GET', `${origin}/stock`, '--endpoint', 'stock', '--app-key', 'k'], /takes access tokens, which are fetched/],
      [['GET', `${origin}/status`, '--endpoint', 'status'], /is open/],
      [['GET', `${origin}/invoices`, '--endpoint', 'invoices'], /--app-key is missing/],
      [['GET', '/invoices', '--endpoint', 'invoices'], /the URL must be like/],
      [['GET', `${origin}/a b`, '--endpoint', 'invoices'], /the URL must be like/],
      [['GET', `${origin}/#x`, '--endpoint', 'invoices'], /the URL must be like/],
      [['G T', `${origin}/invoices`, '--endpoint', 'invoices'], /not an HTTP method/],
      [['GET', `${origin}/orders`, '--endpoint', 'orders', '-H', 'no header'], /"Name: value"/],
      [['GET', `${origin}/orders`, '--endpoint', 'orders', '-d', '@/nowhere/at/all'], /cannot be read \(ENOENT\)/],
      [['GET', `${origin}/orders`, '--endpoint', 'orders'], /never the secret itself/, secret],
      [['GET', `${origin}/orders`, '--endpoint', 'orders'], /NOWHERE is not set/, 'env:NOWHERE'],
      [['GET', `${origin}/orders`, '--endpoint', 'orders'], /cannot be read \(ENOENT\)/, 'file:/nowhere'],
      [['GET', `${origin}/orders`, '--endpoint', 'orders', '-d', '@-'], /put one into a file/, '-'],
      [['GET', `${origin}/orders`, '--endpoint', 'orders', '--store', 'nonsense'], /file:PATH/],
      [['GET', '--endpoint', 'orders'], /missing required argument 'url'/],
      [['GET', `${origin}/orders`], /required option '--endpoint/],
      [['GET', `${origin}/orders`, '--endpoint', 'orders', '--app-secret', 'x'], /unknown option '--app-secret'/],
    ];
    for (const [args, message, secretFrom] of cases) {
      const { code, out, err } = await sign(args, secretFrom);
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
      assert.ok(!err.includes('of 32 characters'), err);
    }
  });

  it('says what the partner sends where there is nothing to sign', async () => {
    const file = join(folder.path, 'unsigned.yaml');
    const endpointOf = (authentication: string): object => ({
      ...{ id: authentication, scenario: 'partner-openapi', authentication },
      match: { paths: [{ prefix: `/${authentication}` }] },
    });
    writeFileSync(file, JSON.stringify({ version: 1, endpoints: ['oauth2', 'jwt', 'certificate'].map(endpointOf) }));
    for (const [id, what] of [
      ['oauth2', 'takes access tokens, which are fetched, not signed'],
      ['jwt', 'takes tokens of an issuer, which the partner gets there: send one as "Authorization: Bearer TOKEN"'],
      ['certificate', 'takes client certificates: send one with "curl --cert FILE --key FILE"'],
    ] as const) {
      const { code, out, err } = await sign(['GET', `${origin}/${id}`, '--endpoint', id, '--store', `file:${file}`]);
      assert.deepEqual([code, out], [2, '']);
      assert.ok(err.includes(`the endpoint ${id} ${what}\n`), err);
    }
  });

  it('refuses a secret that is not UTF-8 text instead of using another one', async () => {
    const file = join(folder.path, 'latin1.txt');
    writeFileSync(file, Buffer.from('a secret of Z\xfcrich, in Latin-1', 'latin1'));
    const { code, out, err } = await sign(['GET', `${origin}/orders`, '--endpoint', 'orders'], `file:${file}`);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /--secret-from: .*latin1\.txt is not UTF-8 text/);
    assert.ok(!err.includes('rich'), err);
  });

  it('refuses a secret with characters at its edges that nobody sees', async () => {
    const file = join(folder.path, 'marked.txt');
    writeFileSync(file, '\ufeffan App Secret of 32 characters..\n');
    const { code, out, err } = await sign(['GET', `${origin}/orders`, '--endpoint', 'orders'], `file:${file}`);
    assert.deepEqual([code, out], [2, '']);
    assert.match(
      err,
      /marked\.txt: the secret begins with a byte order mark \(U\+FEFF\), which nobody sees: remove it/,
    );
    assert.ok(!err.includes('of 32 characters'), err);
  });

  it('says which endpoint may have been meant, with exit code 3', async () => {
    const { code, err } = await sign(['GET', `${origin}/orders`, '--endpoint', 'order']);
    assert.equal(code, 3);
    assert.match(err, /there is no endpoint "order"; did you mean "orders"\?/);
  });

  it('refuses what the gateway would refuse, with exit code 1', async () => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['POST', `${origin}/shipments`, '--endpoint', 'shipments', '-H', 'Content-Type: text/plain', '-d', 'x'],
        /BODY_NOT_VERIFIABLE/,
      ],
      [['GET', `${origin}/shipments?a=%zz`, '--endpoint', 'shipments'], /MALFORMED_REQUEST/],
      [['GET', `${origin}/shipments?appKey=a`, '--endpoint', 'shipments'], /CREDENTIALS_MALFORMED/],
      [['GET', `${origin}/invoices`, '--endpoint', 'invoices', '--sign-header', 'x-nothing'], /CREDENTIALS_MALFORMED/],
      [
        ['GET', `${origin}/invoices`, '--endpoint', 'invoices', '--sign-header', 'authorization'],
        /CREDENTIALS_MALFORMED/,
      ],
      [['GET', `${origin}/invoices/../x`, '--endpoint', 'invoices'], /PATH_NOT_NORMAL/],
      [['GET', `${origin}//shipments`, '--endpoint', 'shipments'], /PATH_NOT_NORMAL/],
      [['GET', `${origin}/orders/%2e`, '--endpoint', 'orders'], /PATH_NOT_NORMAL/],
      [['CONNECT', `${origin}/orders`, '--endpoint', 'orders'], /PATH_NOT_NORMAL/],
      [['GET', 'http://user@127.0.0.1/orders', '--endpoint', 'orders'], /MALFORMED_REQUEST/],
      [['GET', `${origin}/orders`, '--endpoint', 'orders', '-H', 'Host: a,b'], /MALFORMED_REQUEST/],
    ];
    for (const [args, message] of cases) {
      const { code, out, err } = await sign([...args, ...(args.includes('orders') ? [] : ['--app-key', 'k'])]);
      assert.deepEqual([code, out], [1, ''], err);
      assert.match(err, message);
    }
  });

  it('lists the problems of a store that is not a document', async () => {
    const file = join(folder.path, 'wrong.yaml');
    writeFileSync(file, 'version: 2\n');
    const wrong = await sign(['GET', `${origin}/orders`, '--endpoint', 'orders', '--store', `file:${file}`]);
    assert.deepEqual([wrong.code, wrong.out], [1, '']);
    assert.match(wrong.err, /wrong\.yaml:1:/);
    const absent = await sign(['GET', `${origin}/orders`, '--endpoint', 'orders', '--store', 'file:/nowhere.yaml']);
    assert.match(absent.err, /cannot be read \(ENOENT\)/);
  });
});

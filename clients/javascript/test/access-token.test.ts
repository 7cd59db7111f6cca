import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, PosternTokenError, type PosternClient } from '../src/index.ts';
import { FakeGateway, ok, refused, tokenAnswer } from './support/fake-gateway.ts';

const appKey = 'partner.a_b-1';
const appSecret = 'hidden: 100% ö';
const tokenUrl = 'https://api.example.com/oauth2/token';
const url = 'https://api.example.com/stock';

function clientOver({ fetch, wait }: FakeGateway, now: () => number = () => 0): PosternClient {
  return createClient({ method: 'oauth2', appKey, appSecret, tokenUrl, fetch, wait, now });
}

const urls = ({ sent }: FakeGateway): string[] => sent.map((each) => new URL(each.url).pathname);
const bearers = ({ sent }: FakeGateway): (string | null)[] =>
  sent.map(({ headers }) => headers.get('authorization')).filter((value) => value?.startsWith('Bearer ') === true);

describe('an access token', () => {
  it('is asked for with Basic, both parts form-encoded, and sent', async () => {
    const gateway = new FakeGateway(tokenAnswer('t1'), ok());
    await clientOver(gateway).fetch(url, { headers: { Authorization: 'Basic old' } });
    const [asked] = gateway.sent;
    assert.equal(asked?.url, tokenUrl);
    assert.deepEqual([asked.init.method, asked.init.body], ['POST', 'grant_type=client_credentials']);
    assert.equal(asked.init.redirect, 'manual');
    const basic = asked.headers.get('authorization')?.replace('Basic ', '') ?? '';
    assert.equal(Buffer.from(basic, 'base64').toString(), 'partner.a_b-1:hidden%3A%20100%25%20%C3%B6');
    assert.deepEqual(bearers(gateway), ['Bearer t1']);
  });
  it('is kept, and shared by calls at the same time', async () => {
    const gateway = new FakeGateway(tokenAnswer('t1'), ok(), ok(), ok());
    const client = clientOver(gateway);
    await Promise.all([client.fetch(url), client.fetch(url)]);
    await client.fetch(url);
    assert.deepEqual(urls(gateway), ['/oauth2/token', '/stock', '/stock', '/stock']);
  });
  for (const [life, kept] of [
    [3600, 3540],
    [600, 540],
    [100, 90],
    [10, 9],
  ] as const) {
    it(`that lives ${String(life)} s is kept for ${String(kept)} s`, async () => {
      const gateway = new FakeGateway(tokenAnswer('t1', life), ok(), ok(), tokenAnswer('t2', life), ok());
      let seconds = 0;
      const client = clientOver(gateway, () => seconds * 1000);
      await client.fetch(url);
      seconds = kept;
      await client.fetch(url);
      seconds += 0.001;
      await client.fetch(url);
      assert.deepEqual(bearers(gateway), ['Bearer t1', 'Bearer t1', 'Bearer t2']);
    });
  }
  it('is renewed once after TOKEN_INVALID, also with 0 retries and POST', async () => {
    const gateway = new FakeGateway(tokenAnswer('t1'), refused(401, 'TOKEN_INVALID'), tokenAnswer('t2'), ok());
    const { fetch, wait } = gateway;
    const client = createClient({ method: 'oauth2', appKey, appSecret, tokenUrl, fetch, wait, retries: 0 });
    assert.equal((await client.fetch(url, { method: 'POST', body: 'a' })).status, 200);
    assert.deepEqual(bearers(gateway), ['Bearer t1', 'Bearer t2']);
    assert.deepEqual(gateway.waits, []);
  });
  it('is not renewed twice in a call, and forgotten all the same', async () => {
    const invalid = (): Response => refused(401, 'TOKEN_INVALID');
    const answers = [tokenAnswer('t1'), invalid(), tokenAnswer('t2'), invalid(), tokenAnswer('t3'), ok()];
    const gateway = new FakeGateway(...answers);
    const client = clientOver(gateway);
    assert.equal((await client.fetch(url)).status, 401);
    assert.equal((await client.fetch(url)).status, 200);
    assert.deepEqual(bearers(gateway), ['Bearer t1', 'Bearer t2', 'Bearer t3']);
  });
  it('is forgotten when a stream cannot be sent again; the answer is given', async () => {
    const gateway = new FakeGateway(tokenAnswer('t1'), refused(401, 'TOKEN_INVALID'), tokenAnswer('t2'), ok());
    const client = clientOver(gateway);
    const init = { method: 'POST', body: new Blob(['a']).stream(), duplex: 'half' as const };
    assert.equal((await client.fetch(url, init)).status, 401);
    assert.equal((await client.fetch(url)).status, 200);
  });
  it('is kept when an older one was refused', async () => {
    let refuse: (response: Response) => void = () => undefined;
    const slow = new Promise<Response>((resolve) => {
      refuse = resolve;
    });
    const answers = [tokenAnswer('t1'), () => slow, refused(401, 'TOKEN_INVALID'), tokenAnswer('t2'), ok(), ok()];
    const gateway = new FakeGateway(...answers);
    const client = clientOver(gateway);
    const first = client.fetch(url);
    assert.equal((await client.fetch(url)).status, 200);
    refuse(refused(401, 'TOKEN_INVALID'));
    assert.equal((await first).status, 200);
    assert.deepEqual(bearers(gateway), ['Bearer t1', 'Bearer t1', 'Bearer t2', 'Bearer t2']);
  });
  it('is waited for only until the signal of the call is aborted; others get it', async () => {
    const abort = new AbortController();
    let give: (response: Response) => void = () => undefined;
    const slow = new Promise<Response>((resolve) => {
      give = resolve;
    });
    const gateway = new FakeGateway(() => slow, ok());
    const client = clientOver(gateway);
    const [first, second] = [client.fetch(url, { signal: abort.signal }), client.fetch(url)];
    abort.abort(new Error('enough'));
    await assert.rejects(first, /enough/);
    give(tokenAnswer('t1'));
    assert.equal((await second).status, 200);
  });
  it('is put into what sign gives', async () => {
    const { headers } = await clientOver(new FakeGateway(tokenAnswer('t1'))).sign({ method: 'GET', url });
    assert.deepEqual(headers, [['Authorization', 'Bearer t1']]);
  });
});

describe('an answer of the token URL that is no token', () => {
  const wrong: [string, Response, Partial<PosternTokenError>][] = [
    [
      'a refusal of RFC 6749',
      Response.json({ error: 'invalid_client', error_description: 'Client authentication failed.' }, { status: 401 }),
      { status: 401, error: 'invalid_client' },
    ],
    ['a page', new Response('<html>'), { status: 200, error: null }],
    ['nothing', new Response(null, { status: 204 }), { status: 204, error: null }],
    ['a redirect', new Response(null, { status: 302, headers: { location: 'https://a/' } }), { status: 302 }],
    ['a token of another type', Response.json({ access_token: 't', token_type: 'mac' }), { status: 200 }],
    ['a token that is no text', Response.json({ access_token: 1, token_type: 'bearer' }), { status: 200 }],
    ['a token with a line feed', Response.json({ access_token: 'a\nb', token_type: 'bearer' }), { status: 200 }],
    ['a token with status 500', Response.json({ access_token: 't', token_type: 'bearer' }, { status: 500 }), {}],
    ['too much', new Response(' '.repeat(65_537)), { status: 200 }],
    ['an echo of the secret', Response.json({ error: appSecret, error_description: appSecret }), { error: null }],
  ];
  for (const [what, answer, expected] of wrong) {
    it(what, async () => {
      await assert.rejects(clientOver(new FakeGateway(answer)).fetch(url), (error) => {
        assert.ok(error instanceof PosternTokenError);
        for (const [name, value] of Object.entries(expected)) {
          assert.equal(error[name as keyof PosternTokenError], value, name);
        }
        return true;
      });
    });
  }
  it('is not kept: the next call asks again', async () => {
    const gateway = new FakeGateway(new TypeError('fetch failed'), tokenAnswer('t1'), ok());
    const client = clientOver(gateway);
    await assert.rejects(client.fetch(url), /the token URL gave no answer/);
    assert.equal((await client.fetch(url)).status, 200);
  });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import { createClient, type ClientSettings } from '../src/index.ts';
import { FakeGateway, tokenAnswer } from './support/fake-gateway.ts';

const url = 'https://api.example.com/a';
const secret = 'hidden-secret';
const appSecret = secret;
const credentials: [string, ClientSettings][] = [
  ['key', { method: 'key', appKey: secret }],
  ['key in the query', { method: 'key', appKey: secret, carrier: { query: 'appKey' } }],
  ['hmac', { method: 'hmac', appKey: 'public', appSecret }],
  ['parameter-signature', { method: 'parameter-signature', appKey: 'public', appSecret }],
  ['oauth2', { method: 'oauth2', appKey: 'public', appSecret, tokenUrl: 'https://api.example.com/oauth2/token' }],
];

/** Every way to print a value. */
function printed(value: unknown): string {
  const options = { depth: null, showHidden: true, getters: true };
  return [inspect(value), inspect(value, options), inspect([value], options), String(value)].join('\n');
}

describe('no secret is printed', () => {
  for (const [what, settings] of credentials) {
    it(`${what}: a client`, () => {
      const client = createClient(settings);
      const text = [printed(client), JSON.stringify(client), client.toString(), printed(client.fetch)].join('\n');
      assert.doesNotMatch(text, /hidden/);
      assert.match(text, /\[secret\]/);
      assert.equal('public' in settings || text.includes('public'), settings.method !== 'key');
    });
    it(`${what}: what sign gives`, async () => {
      const gateway = new FakeGateway(tokenAnswer('hidden-token'));
      const signed = await createClient({ ...settings, fetch: gateway.fetch }).sign({ method: 'GET', url });
      assert.doesNotMatch(printed(signed), /hidden/);
    });
    it(`${what}: an error of a fetch that repeats the request`, async () => {
      const gateway = new FakeGateway();
      const client = createClient({
        ...settings,
        retries: 0,
        fetch: async (url, init) => {
          if (url.endsWith('/token')) return await Promise.resolve(tokenAnswer('hidden-token'));
          const cause = Object.assign(new Error('nested'), { request: { url, headers: init.headers } });
          throw new TypeError(`request to ${url} failed`, { cause });
        },
        wait: gateway.wait,
      });
      await assert.rejects(client.fetch(url), (error) => {
        assert.ok(error instanceof TypeError);
        assert.match(error.message, /^request to https:\/\/api\.example\.com\/a.* failed$/);
        assert.doesNotMatch(printed(error), /hidden/);
        return true;
      });
    });
  }
  it('an answer to a call with the key in the query', async () => {
    const [, settings] = credentials[1] ?? assert.fail();
    const gateway = new FakeGateway(({ url: sent }) =>
      Object.defineProperty(new Response('done'), 'url', { value: sent, configurable: true }),
    );
    const response = await createClient({ ...settings, fetch: gateway.fetch }).fetch(url);
    assert.match(gateway.sent[0]?.url ?? '', /hidden/);
    assert.equal(response.url, url);
    assert.doesNotMatch(printed(response), /hidden/);
  });
  it('an error of a fetch that repeats the token request', async () => {
    const fetch = async (_: string, init: object): Promise<Response> => await Promise.reject(new Error(inspect(init)));
    const [, settings] = credentials[4] ?? assert.fail();
    const error: unknown = await createClient({ ...settings, fetch })
      .fetch(url)
      .catch((reason: unknown) => reason);
    assert.doesNotMatch(printed(error), new RegExp(Buffer.from(`public:${secret}`).toString('base64')));
    assert.match(printed(error), /TypeError: the token URL gave no answer/);
  });
  const keyClient = (failure: Error): Promise<unknown> => {
    const { fetch } = new FakeGateway(failure);
    const client = createClient({ method: 'key', appKey: secret, fetch, retries: 0 });
    return client.fetch(url).catch((reason: unknown) => reason);
  };
  it('an error that leads back to itself is looked at once', async () => {
    const failure: Error & { self?: unknown } = new TypeError('fetch failed');
    failure.self = { failure, list: [failure, secret] };
    assert.doesNotMatch(printed(await keyClient(failure)), /hidden/);
  });
  it('an error with more on it than can be looked at is replaced', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => ({ index }));
    const error = await keyClient(Object.assign(new TypeError('fetch failed'), { many }));
    assert.ok(error instanceof TypeError);
    assert.deepEqual([error.message, 'many' in error], ['fetch failed', false]);
  });
  it('an error without a secret is given as it is', async () => {
    const failure = new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') });
    const { fetch } = new FakeGateway(failure);
    const client = createClient({ method: 'key', appKey: secret, fetch, retries: 0 });
    await assert.rejects(client.fetch(url), (error) => error === failure);
  });
});

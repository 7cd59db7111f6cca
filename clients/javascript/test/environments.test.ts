import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createClient, type BaseFetch } from '../src/index.ts';
import { nodeHashes } from '../src/node-hashes.ts';
import { webHashes } from '../src/web-hashes.ts';
import { appKey, appSecret } from './support/credentials.ts';
import { FakeGateway, ok } from './support/fake-gateway.ts';
import { problemOf } from './support/problem.ts';

const url = 'https://api.example.com/a';
const names = ['SHA-256', 'SHA-384', 'SHA-512'] as const;
const encodings = ['base64', 'hex'] as const;

/** What a browser's Request does with a header that scripts may not set. */
class BrowserRequest extends Request {
  constructor(input: string, init: RequestInit = {}) {
    const headers = new Headers(init.headers);
    headers.delete('date');
    super(input, { ...init, headers });
  }
}

async function withGlobal<T>(name: 'Request' | 'fetch' | 'crypto', value: unknown, run: () => Promise<T>): Promise<T> {
  const before = Object.getOwnPropertyDescriptor(globalThis, name);
  Object.defineProperty(globalThis, name, { value, configurable: true });
  try {
    return await run();
  } finally {
    Object.defineProperty(globalThis, name, before ?? {});
  }
}

describe('in a browser', () => {
  const browser = async <T>(run: () => Promise<T>, { fetch }: { fetch: BaseFetch } = new FakeGateway()): Promise<T> =>
    await withGlobal('Request', BrowserRequest, async () => await withGlobal('fetch', fetch, run));

  it('hmac is refused before anything is sent, and says why', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret });
    const problem = await browser(async () => await problemOf(client.fetch(url)));
    assert.equal(problem.code, 'HEADER_NOT_SIGNABLE');
    assert.match(problem.message, /lets no script set the header Date/);
  });
  it('hmac works over another fetch', async () => {
    const gateway = new FakeGateway(ok());
    const client = createClient({ method: 'hmac', appKey, appSecret, fetch: gateway.fetch });
    assert.equal((await browser(async () => await client.fetch(url))).status, 200);
    assert.equal(gateway.sent[0]?.headers.has('date'), true);
  });
  it('parameter signatures work', async () => {
    const gateway = new FakeGateway(ok());
    const client = createClient({ method: 'parameter-signature', appKey, appSecret });
    assert.equal((await browser(async () => await client.fetch(url), gateway)).status, 200);
    assert.match(gateway.sent[0]?.url ?? '', /&sign=[0-9a-f]{128}$/);
  });
  it('without WebCrypto, as on http pages, signing says what is missing', async () => {
    await assert.rejects(
      withGlobal('crypto', {}, async () => await webHashes.hash('SHA-256', [], 'hex')),
      /no WebCrypto; browsers offer it on https pages/,
    );
  });
  it('hashes are those of Node', async () => {
    const node = nodeHashes();
    assert.ok(node !== null, 'this Node has node:crypto');
    const sample = fc.tuple(fc.constantFrom(...names), fc.array(fc.uint8Array()), fc.constantFrom(...encodings));
    await fc.assert(
      fc.asyncProperty(sample, fc.string({ unit: 'grapheme' }), fc.string(), async ([name, given, as], key, text) => {
        const pieces = given.map((piece) => new Uint8Array(piece));
        assert.equal(await webHashes.hash(name, pieces, as), node.hash(name, pieces, as));
        // WebCrypto imports no empty key, and no App Secret is empty.
        assert.equal(await webHashes.hmac(name, `k${key}`, text, as), node.hmac(name, `k${key}`, text, as));
      }),
    );
  });
  it('there is no node:crypto where the process does not give it', () => {
    for (const process of [undefined, {}, { getBuiltinModule: () => undefined }, { getBuiltinModule: () => ({}) }]) {
      assert.equal(nodeHashes({ process }), null);
    }
  });
});

describe('the fetch of the environment', () => {
  it('is looked up when a call is made', async () => {
    const gateway = new FakeGateway(ok());
    const client = createClient({ method: 'key', appKey });
    assert.equal((await withGlobal('fetch', gateway.fetch, async () => await client.fetch(url))).status, 200);
    assert.equal(gateway.sent[0]?.headers.get('x-app-key'), appKey);
  });
  it('can be taken off the client', async () => {
    const gateway = new FakeGateway(ok());
    const { fetch } = createClient({ method: 'key', appKey, fetch: gateway.fetch });
    assert.equal((await fetch(url)).status, 200);
  });
});

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { createClient, encodeParameters, type FetchInit } from '../src/index.ts';
import { appKey, appSecret } from './support/credentials.ts';
import { problemOf } from './support/problem.ts';
import { VerifyingServer } from './support/verifying-server.ts';

const server = await VerifyingServer.start();
after(async () => {
  await server[Symbol.asyncDispose]();
});
const hmac = createClient({ method: 'hmac', appKey, appSecret, signedHeaders: ['host'] });
const parameters = createClient({ method: 'parameter-signature', appKey, appSecret });

async function verified(response: Response): Promise<void> {
  assert.equal(await response.text(), 'verified');
}

const streamOf = (text: string): ReadableStream => new Blob([text]).stream();
const bodies: [string, () => FetchInit, string | RegExp][] = [
  ['a text', () => ({ body: '{"a":"ö"}' }), '{"a":"ö"}'],
  ['an empty text', () => ({ body: '' }), ''],
  ['bytes', () => ({ body: new Uint8Array([0, 255, 10]) }), '\u0000\ufffd\n'],
  ['a part of bytes', () => ({ body: new Uint8Array([1, 65, 2]).subarray(1, 2) }), 'A'],
  ['an ArrayBuffer', () => ({ body: new Uint8Array([65]).buffer }), 'A'],
  ['a Blob', () => ({ body: new Blob(['blob']) }), 'blob'],
  ['a form', () => ({ body: new URLSearchParams({ a: 'b c' }) }), 'a=b+c'],
  ['a form with a file', () => ({ body: formData() }), /name="a"; filename="x.txt"[^]*one/],
  ['a stream', () => ({ body: streamOf('once'), duplex: 'half' }), 'once'],
  ['a stream of Node', () => ({ body: Readable.from(['on', 'ce']) as unknown as BodyInit, duplex: 'half' }), 'once'],
];

function formData(): FormData {
  const form = new FormData();
  form.append('a', new Blob(['one']), 'x.txt');
  return form;
}

describe('hmac signs what is sent', () => {
  for (const [what, init, expected] of bodies) {
    it(what, async () => {
      await verified(await hmac.fetch(`${server.url}/a?b=1`, { method: 'POST', ...init() }));
      const text = server.last?.body.toString() ?? '';
      if (typeof expected === 'string') assert.equal(text, expected);
      else assert.match(text, expected);
    });
  }
  it('a Request with a body', async () => {
    const request = new Request(`${server.url}/a`, { method: 'PUT', headers: { 'x-a': '1' }, body: 'text' });
    await verified(await hmac.fetch(request));
    assert.equal(server.last?.method, 'PUT');
    assert.equal(server.last.headers['x-a'], '1');
    assert.equal(server.last.headers['content-type'], 'text/plain;charset=UTF-8');
    assert.equal(server.last.body.toString(), 'text');
  });
  it('a Request with an init that changes it', async () => {
    const request = new Request(`${server.url}/a`, { method: 'PUT', headers: { 'x-a': '1' }, body: 'text' });
    await verified(await hmac.fetch(request, { method: 'POST', headers: { 'x-b': '2' }, body: 'other' }));
    assert.equal(server.last?.method, 'POST');
    assert.deepEqual([server.last.headers['x-a'], server.last.headers['x-b']], [undefined, '2']);
    assert.equal(server.last.body.toString(), 'other');
  });
  it('a URL object, and the Content-Type that fetch gives a form', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, signedHeaders: ['content-type'] });
    await verified(
      await client.fetch(new URL(`${server.url}/a`), { method: 'POST', body: new URLSearchParams('a=1') }),
    );
    assert.equal(server.last?.headers['content-type'], 'application/x-www-form-urlencoded;charset=UTF-8');
  });
  for (const [given, sent] of [
    ['', '/'],
    ['?', '/'],
    ['/a?', '/a'],
    ['/a#b', '/a'],
    ['/a?b=1#c', '/a?b=1'],
    ['/a b/ö?q=\'ü{}|^`"<>', '/a%20b/%C3%B6?q=%27%C3%BC{}|^`%22%3C%3E'],
    ['/a/../b/./c\\d', '/b/c/d'],
    ['/%7e%zz?%', '/%7e%zz?%'],
  ] as const) {
    it(`the URL …${given} as ${sent}`, async () => {
      await verified(await hmac.fetch(server.url + given));
      assert.equal(server.last?.target, sent);
    });
  }
  it('the authority of the URL, which a header Host does not change', async () => {
    await verified(await hmac.fetch(server.url, { headers: { Host: 'other.example.com' } }));
    assert.equal(`http://${String(server.last?.headers.host)}`, server.url);
  });
  it('a header that was given twice, as the one that fetch sends', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, signedHeaders: ['x-a'] });
    await verified(
      await client.fetch(server.url, {
        headers: [
          ['X-A', '1'],
          ['x-a', '2'],
        ],
      }),
    );
    assert.equal(server.last?.headers['x-a'], '1, 2');
  });
  it('in the place of a Date, Digest, X-Nonce and Authorization that were given', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, nonce: true });
    const headers = { date: 'x', digest: 'x', 'x-nonce': 'x', authorization: 'Bearer x' };
    await verified(await client.fetch(server.url, { method: 'POST', headers, body: 'a' }));
    assert.match(String(server.last?.headers['x-nonce']), /^[0-9a-f]{32}$/);
  });

  it('any URL, method, header and body', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, signedHeaders: ['host', 'x-a'] });
    const method = fc.constantFrom('POST', 'put', 'PATCH', 'DELETE');
    const path = fc.array(fc.string({ unit: 'grapheme' }).map(encodeURIComponent));
    const header = fc.string().filter((text) => /^[\t\x20-\x7e]*$/.test(text));
    const body = fc.uint8Array({ maxLength: 300 });
    await fc.assert(
      fc.asyncProperty(method, path, fc.webQueryParameters(), header, body, fc.boolean(), async (...given) => {
        const [method, path, query, value, bytes, once] = given;
        const init = { method, headers: { 'X-A': value } };
        const sent = once ? { body: new Blob([bytes]).stream(), duplex: 'half' as const } : { body: bytes };
        await verified(await client.fetch(`${server.url}/${path.join('/')}?${query}`, { ...init, ...sent }));
        assert.ok(server.last?.body.equals(bytes));
      }),
      { numRuns: 200 },
    );
  });
});

describe('parameter-signature signs what is sent', () => {
  it('the query', async () => {
    await verified(await parameters.fetch(`${server.url}/a?b=ö&c=%2b&d=x y`));
    assert.match(server.last?.target ?? '', /^\/a\?b=%C3%B6&c=%2b&d=x%20y&appKey=/);
  });
  it('a form', async () => {
    await verified(await parameters.fetch(server.url, { method: 'POST', body: new URLSearchParams({ b: 'ö +' }) }));
    assert.match(server.last?.body.toString() ?? '', /^b=%C3%B6\+%2B&appKey=/);
  });
  it('JSON in a wrapper, with the right Content-Length', async () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': '13' };
    await verified(await parameters.fetch(server.url, { method: 'POST', headers, body: '{"amount":12}' }));
    assert.equal(server.last?.headers['content-length'], String(server.last?.body.length));
  });
  it('any parameters, in a query and in a form', async () => {
    const text = fc.string({ unit: 'grapheme' }).filter((each) => !/[&=]/.test(each));
    const name = text.filter((each) => !['appKey', 'sign', 'apiTimestamp'].includes(each));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, text), { maxLength: 20 }), fc.boolean(), async (pairs, isForm) => {
        const encoded = encodeParameters(pairs);
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
        await verified(
          isForm && encoded !== ''
            ? await parameters.fetch(server.url, { method: 'POST', headers, body: encoded })
            : await parameters.fetch(`${server.url}?${encoded}`),
        );
      }),
      { numRuns: 200 },
    );
  });
  it('any text as JSON', async () => {
    const headers = { 'Content-Type': 'application/json' };
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (body) => {
        fc.pre(body !== '');
        await verified(await parameters.fetch(server.url, { method: 'POST', headers, body }));
        assert.equal((JSON.parse(server.last?.body.toString() ?? '') as { data: string }).data, body);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a body that cannot be sent', () => {
  const post = (body: unknown): FetchInit => ({ method: 'POST', body: body as BodyInit, duplex: 'half' });
  it('a stream over the bound is not read to its end, nothing is sent', async () => {
    let pulled = 0;
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(1_048_576));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    server.last = null;
    assert.equal((await problemOf(hmac.fetch(server.url, post(stream)))).code, 'BODY_TOO_LARGE');
    assert.ok(pulled <= 13, String(pulled));
    assert.deepEqual([cancelled, server.last], [true, null]);
  });
  it('JSON for a wrapper is read up to the bound of a wrapper', async () => {
    const init = {
      ...post(new Blob(['x'.repeat(2_097_153)]).stream()),
      headers: { 'Content-Type': 'application/json' },
    };
    assert.equal((await problemOf(parameters.fetch(server.url, init))).code, 'BODY_TOO_LARGE');
  });
  it('a stream of Node over the bound', async () => {
    const pieces = Readable.from(Array.from({ length: 11 }, () => new Uint8Array(1_048_576)));
    assert.equal((await problemOf(hmac.fetch(server.url, post(pieces)))).code, 'BODY_TOO_LARGE');
  });
  it('a plain object, which fetch would send as [object Object]', async () => {
    await assert.rejects(hmac.fetch(server.url, post({ amount: 12 })), /a body of this kind cannot be signed/);
  });
  it('a stream of text', async () => {
    const stream = new ReadableStream<string>({
      start: (controller) => {
        controller.enqueue('text');
      },
    });
    await assert.rejects(hmac.fetch(server.url, post(stream)), /gives Uint8Arrays/);
  });
  it('a body with GET', async () => {
    await assert.rejects(hmac.fetch(server.url, { method: 'GET', body: 'a' }), /GET request has no body/);
  });
  it('a Request that was read', async () => {
    const request = new Request(server.url, { method: 'POST', body: 'a' });
    await request.text();
    await assert.rejects(hmac.fetch(request), /was read already/);
  });
});

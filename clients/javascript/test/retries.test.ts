import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, it } from 'node:test';
import { createClient, readRefusal, type CommonSettings, type PosternClient } from '../src/index.ts';
import { waitFor } from '../src/retry-rules.ts';
import { appKey, appSecret, now } from './support/credentials.ts';
import { FakeGateway, ok, refused } from './support/fake-gateway.ts';

const url = 'https://api.example.com/a';

function hmacOver(gateway: FakeGateway, settings: Partial<CommonSettings> = {}): PosternClient {
  const { fetch, wait } = gateway;
  return createClient({ method: 'hmac', appKey, appSecret, now, fetch, wait, ...settings });
}

function keyOver({ fetch, wait }: FakeGateway): PosternClient {
  return createClient({ method: 'key', appKey, fetch, wait });
}

/** Whole seconds of the waits, and that none has more than a fifth by chance. */
function assertWaits({ waits }: FakeGateway, seconds: readonly number[]): void {
  assert.equal(waits.length, seconds.length);
  for (const [index, least] of seconds.entries()) {
    const wait = (waits[index] ?? 0) / 1000;
    assert.ok(wait > least && wait < least * 1.2 + 0.02, `waited ${String(wait)} s for ${String(least)} s`);
  }
}

describe('a call is made again', () => {
  it('after 429 RATE_LIMITED and its Retry-After, also POST', async () => {
    const gateway = new FakeGateway(refused(429, 'RATE_LIMITED', { 'retry-after': '60' }), ok());
    const response = await hmacOver(gateway).fetch(url, { method: 'POST', body: 'a' });
    assert.equal(await response.text(), 'done');
    assertWaits(gateway, [60]);
  });
  it('at least a second later, so that the signature is another one', async () => {
    const gateway = new FakeGateway(refused(429, 'RATE_LIMITED', { 'retry-after': '0' }), ok());
    let time = now();
    const client = hmacOver(gateway, {
      now: () => time,
      wait: (milliseconds) => {
        time += milliseconds;
        return Promise.resolve();
      },
    });
    await client.fetch(url);
    const [first, second] = gateway.sent.map(({ headers }) => [headers.get('date'), headers.get('authorization')]);
    assert.equal(first?.[0], 'Sat, 21 Nov 2026 02:40:00 GMT');
    assert.equal(second?.[0], 'Sat, 21 Nov 2026 02:40:01 GMT');
    assert.notEqual(first[1], second[1]);
  });
  for (const code of ['STORE_UNAVAILABLE', 'LIMITER_UNAVAILABLE', 'UNAVAILABLE']) {
    it(`after 503 ${code}, 1, 2 and 4 seconds later`, async () => {
      const gateway = new FakeGateway(refused(503, code), refused(503, code), refused(503, code), ok());
      assert.equal((await hmacOver(gateway, { retries: 3 }).fetch(url, { method: 'POST' })).status, 200);
      assertWaits(gateway, [1, 2, 4]);
    });
  }
  it('after 503 and its Retry-After', async () => {
    const gateway = new FakeGateway(refused(503, 'UNAVAILABLE', { 'retry-after': '7' }), ok());
    await hmacOver(gateway).fetch(url);
    assertWaits(gateway, [7]);
  });
  it('after 401 REQUEST_REPLAYED, a second later and with another nonce', async () => {
    const gateway = new FakeGateway(refused(401, 'REQUEST_REPLAYED'), ok());
    const { fetch, wait } = gateway;
    await createClient({ method: 'hmac', appKey, appSecret, nonce: true, fetch, wait }).fetch(url);
    assertWaits(gateway, [1]);
    assert.equal(new Set(gateway.sent.map(({ headers }) => headers.get('x-nonce'))).size, 2);
  });
  it('but not a POST after 401 REQUEST_REPLAYED, which the API has', async () => {
    const gateway = new FakeGateway(refused(401, 'REQUEST_REPLAYED'), ok());
    const response = await hmacOver(gateway).fetch(url, { method: 'POST', body: 'x' });
    assert.equal((await readRefusal(response))?.acceptedBefore, true);
    assertWaits(gateway, []);
  });
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']) {
    it(`when a ${method} had no answer`, async () => {
      const gateway = new FakeGateway(new TypeError('fetch failed'), new TypeError('fetch failed'), ok());
      assert.equal((await hmacOver(gateway).fetch(url, { method })).status, 200);
      assertWaits(gateway, [1, 2]);
    });
  }
  it('with its body, from memory when that was a stream', async () => {
    const gateway = new FakeGateway(refused(503, 'UNAVAILABLE'), ok());
    const body = new Blob(['{"a":1}']).stream();
    await hmacOver(gateway).fetch(url, { method: 'POST', body, duplex: 'half' });
    assert.deepEqual(
      gateway.sent.map(({ init }) => Buffer.from(init.body as Uint8Array).toString()),
      ['{"a":1}', '{"a":1}'],
    );
  });
  it('with its body, when that can be read again and is not signed', async () => {
    const gateway = new FakeGateway(refused(503, 'UNAVAILABLE'), ok());
    const body = new URLSearchParams('a=1');
    await keyOver(gateway).fetch(url, { method: 'POST', body });
    assert.deepEqual(
      gateway.sent.map(({ init }): unknown => init.body),
      [body, body],
    );
  });
});

describe('a call is not made again', () => {
  const answers: [string, () => Response][] = [
    ['429 without Retry-After', () => refused(429, 'RATE_LIMITED')],
    ['429 with Retry-After over a minute', () => refused(429, 'RATE_LIMITED', { 'retry-after': '61' })],
    ['503 with Retry-After over a minute', () => refused(503, 'UNAVAILABLE', { 'retry-after': '61' })],
    ['429 of the API', () => new Response('{}', { status: 429, headers: { 'retry-after': '1' } })],
    ['503 GATEWAY_ERROR, which may have reached the API', () => refused(503, 'GATEWAY_ERROR')],
    ['503 of the API', () => new Response('down', { status: 503 })],
    ['401 AUTHENTICATION_FAILED', () => refused(401, 'AUTHENTICATION_FAILED')],
    ['401 REQUEST_EXPIRED without correction', () => refused(401, 'REQUEST_EXPIRED')],
    ['401 TOKEN_INVALID of another method', () => refused(401, 'TOKEN_INVALID')],
    ['403 with the code of a limit', () => refused(403, 'RATE_LIMITED', { 'retry-after': '1' })],
    ['500', () => refused(500, 'INTERNAL')],
  ];
  for (const [what, answer] of answers) {
    it(`after ${what}; the answer is readable`, async () => {
      const gateway = new FakeGateway(answer());
      const response = await hmacOver(gateway).fetch(url);
      assert.equal(await response.text(), await answer().text());
      assertWaits(gateway, []);
    });
  }
  it('more often than retries says; the last answer is readable', async () => {
    const gateway = new FakeGateway(...Array.from({ length: 3 }, () => refused(503, 'UNAVAILABLE')));
    const response = await hmacOver(gateway).fetch(url);
    assert.equal(((await response.json()) as { code: string }).code, 'UNAVAILABLE');
    assertWaits(gateway, [1, 2]);
  });
  it('with 0 retries', async () => {
    const gateway = new FakeGateway(refused(503, 'UNAVAILABLE'));
    assert.equal((await hmacOver(gateway, { retries: 0 }).fetch(url)).status, 503);
  });
  for (const method of ['POST', 'PATCH']) {
    it(`when a ${method} had no answer: it may have reached the API`, async () => {
      const failure = new TypeError('fetch failed');
      await assert.rejects(hmacOver(new FakeGateway(failure)).fetch(url, { method }), failure);
    });
  }
  it('when its stream is not in memory, and that is passed through as it is', async () => {
    const gateway = new FakeGateway(refused(503, 'UNAVAILABLE'));
    const body = new Blob(['a']).stream();
    assert.equal((await keyOver(gateway).fetch(url, { method: 'PUT', body, duplex: 'half' })).status, 503);
    assert.equal(gateway.sent[0]?.init.body, body);
  });
  it('when a stream that is not in memory had no answer', async () => {
    const failure = new TypeError('fetch failed');
    const init = { method: 'PUT', body: new Blob(['a']).stream(), duplex: 'half' as const };
    await assert.rejects(keyOver(new FakeGateway(failure)).fetch(url, init), failure);
  });
  it('when its signal was aborted before', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const gateway = new FakeGateway();
    await assert.rejects(hmacOver(gateway).fetch(url, { signal }), /enough/);
    assert.equal(gateway.sent.length, 0);
  });
  it('when its signal is aborted while it waits', async () => {
    const abort = new AbortController();
    const gateway = new FakeGateway(refused(429, 'RATE_LIMITED', { 'retry-after': '60' }));
    const { fetch } = gateway;
    const client = createClient({ method: 'hmac', appKey, appSecret, fetch });
    const calling = client.fetch(url, { signal: abort.signal });
    setImmediate(() => {
      abort.abort(new Error('enough'));
    });
    await assert.rejects(calling, /enough/);
    assert.equal(gateway.sent.length, 1);
  });
  it('when its signal is aborted while it is sent', async () => {
    const abort = new AbortController();
    const gateway = new FakeGateway(() => {
      abort.abort(new Error('enough'));
      throw abort.signal.reason;
    });
    await assert.rejects(hmacOver(gateway).fetch(url, { signal: abort.signal }), /enough/);
  });
});

describe('waiting', () => {
  it('ends at once when the signal is aborted, with its reason', async () => {
    const abort = new AbortController();
    const waiting = waitFor(60_000, abort.signal);
    abort.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
  });
  it('does not begin when the signal was aborted before', async () => {
    await assert.rejects(waitFor(60_000, AbortSignal.abort(new Error('enough'))), /enough/);
  });
  it('ends by itself, and leaves nothing at the signal', async () => {
    const { signal } = new AbortController();
    await waitFor(1, signal);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
});

describe('what fetch is called with', () => {
  it('everything that was given, and no redirect', async () => {
    const gateway = new FakeGateway(ok());
    const dispatcher = {};
    await hmacOver(gateway).fetch(url, { credentials: 'include', dispatcher } as RequestInit);
    const { credentials, redirect, dispatcher: given } = gateway.sent[0]?.init as unknown as Record<string, unknown>;
    assert.deepEqual([credentials, redirect], ['include', 'manual']);
    assert.equal(given, dispatcher);
  });
  it('the settings of a Request, and its signal', async () => {
    const gateway = new FakeGateway(ok());
    const request = new Request(url, { credentials: 'omit', redirect: 'error', keepalive: true });
    await hmacOver(gateway).fetch(request);
    const { credentials, redirect, keepalive, signal } = gateway.sent[0]?.init ?? {};
    assert.deepEqual([credentials, redirect, keepalive], ['omit', 'error', true]);
    assert.equal(signal, request.signal);
  });
  it('no redirect for a Request that says nothing of them', async () => {
    const gateway = new FakeGateway(ok());
    await hmacOver(gateway).fetch(new Request(url));
    assert.equal(gateway.sent[0]?.init.redirect, 'manual');
  });
  it('nothing when redirects are to be followed', async () => {
    const gateway = new FakeGateway(ok());
    await assert.rejects(hmacOver(gateway).fetch(url, { redirect: 'follow' }), {
      name: 'TypeError',
      message:
        "redirect: 'follow' would take the credential along: leave it out, and call the address that the answer names",
    });
    assert.equal(gateway.sent.length, 0);
  });
  it('no answer of a fetch that followed a redirect', async () => {
    const answer = Object.defineProperty(ok(), 'redirected', { value: true });
    await assert.rejects(hmacOver(new FakeGateway(answer)).fetch(url), /^TypeError: the fetch of the settings follows/);
  });
});

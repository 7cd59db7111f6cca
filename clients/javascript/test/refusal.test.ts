import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRefusal } from '../src/index.ts';
import { now } from './support/credentials.ts';
import { refused } from './support/fake-gateway.ts';

const fields = { code: 'RATE_LIMITED', message: 'm', requestId: 'r' };

function answer(body: unknown, headers: Record<string, string> = {}, status = 401): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } });
}

describe('readRefusal', () => {
  it('reads all of it, and leaves the body readable', async () => {
    const response = answer({ ...fields, stringToSign: 'date: x', other: 1 }, { 'retry-after': '7' }, 429);
    assert.deepEqual(await readRefusal(response), {
      ...{ status: 429, ...fields, retryAfter: 7, stringToSign: 'date: x', acceptedBefore: false },
    });
    assert.equal(((await response.json()) as typeof fields).code, 'RATE_LIMITED');
  });
  it('can read it twice', async () => {
    const response = refused(401, 'TOKEN_INVALID');
    assert.deepEqual(await readRefusal(response), await readRefusal(response));
  });
  it('takes a media type with parameters, in any case', async () => {
    const refusal = await readRefusal(answer(fields, { 'content-type': 'Application/JSON; charset=utf-8' }));
    assert.equal(refusal?.code, 'RATE_LIMITED');
  });
  for (const [text, seconds] of [
    ['0', 0],
    ['Sat, 21 Nov 2026 02:40:30 GMT', 30],
    ['Sat, 21 Nov 2026 02:39:00 GMT', 0],
    ['1.5', null],
    ['-1', null],
    ['soon', null],
    ['', null],
  ] as const) {
    it(`reads Retry-After "${text}" as ${String(seconds)}`, async () => {
      assert.equal((await readRefusal(answer(fields, { 'retry-after': text }), now))?.retryAfter, seconds);
    });
  }
  const others: [string, Response][] = [
    ['an answer below 400', answer(fields, {}, 200)],
    ['another media type', answer(fields, { 'content-type': 'text/json' })],
    ['no JSON', answer('{')],
    ['not UTF-8', new Response(new Uint8Array([0x22, 0xff, 0x22]), { status: 401 })],
    ['a list', answer([fields])],
    ['null', answer('null')],
    ['a code that is no text', answer({ ...fields, code: 1 })],
    ['no message', answer({ code: 'A', requestId: 'r' })],
    ['no requestId', answer({ code: 'A', message: 'm' })],
    ['65 537 bytes', answer({ ...fields, message: 'm'.repeat(65_537 - JSON.stringify(fields).length + 1) })],
    ['a longer Content-Length', answer(fields, { 'content-length': '65537' })],
    ['no body', new Response(null, { status: 401, headers: { 'content-type': 'application/json' } })],
  ];
  for (const [what, response] of others) {
    it(`gives null for ${what}`, async () => {
      const copy = await response.clone().text();
      assert.equal(await readRefusal(response), null);
      assert.equal(await response.text(), copy);
    });
  }
  it('takes 65 536 bytes', async () => {
    const message = 'm'.repeat(65_536 - JSON.stringify(fields).length + 1);
    assert.equal((await readRefusal(answer({ ...fields, message })))?.message, message);
  });
  it('refuses a body that was read', async () => {
    const response = refused(401, 'TOKEN_INVALID');
    await response.text();
    await assert.rejects(readRefusal(response), TypeError);
  });
});

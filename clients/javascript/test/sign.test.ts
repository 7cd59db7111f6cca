import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type SignedRequest } from '../src/index.ts';
import { appKey, appSecret, now, nowSeconds } from './support/credentials.ts';

const headers = { 'Content-Type': 'application/json' };

function timeOf({ body }: SignedRequest): number {
  return (JSON.parse(Buffer.from(body ?? []).toString()) as { apiTimestamp: number }).apiTimestamp;
}

describe('a wrapper, where a nonce is wanted', () => {
  const sign = (nonce: boolean, time: () => number = now): ((body: string) => Promise<number>) => {
    const client = createClient({ method: 'parameter-signature', appKey, appSecret, nonce, now: time });
    return async (body) =>
      timeOf(await client.sign({ method: 'POST', url: 'https://api.example.com/', headers, body }));
  };

  it('is moved on by a second while its signature was made before, also at the same time', async () => {
    const signed = sign(true);
    const times = await Promise.all(Array.from({ length: 61 }, async () => await signed('{}')));
    assert.deepEqual(
      times.sort(),
      Array.from({ length: 61 }, (_, index) => nowSeconds + index),
    );
  });
  it('is moved on by a minute at most', async () => {
    const signed = sign(true);
    for (let count = 0; count < 61; count += 1) await signed('{}');
    assert.equal(await signed('{}'), nowSeconds + 60);
  });
  it('keeps its time when it differs', async () => {
    const signed = sign(true);
    assert.deepEqual([await signed('{}'), await signed('[]')], [nowSeconds, nowSeconds]);
  });
  it('remembers times that are still to come', async () => {
    let milliseconds = now();
    const signed = sign(true, () => milliseconds);
    await signed('{}');
    await signed('{}');
    milliseconds += 1000;
    assert.equal(await signed('{}'), nowSeconds + 2);
  });
  it('keeps its time where no nonce is wanted', async () => {
    const signed = sign(false);
    assert.deepEqual([await signed('{}'), await signed('{}')], [nowSeconds, nowSeconds]);
  });
});

describe('sign', () => {
  it('gives a Content-Length that was given the right value', async () => {
    const client = createClient({ method: 'parameter-signature', appKey, appSecret, now });
    const request = { method: 'POST', url: 'https://api.example.com/', headers: { ...headers, 'content-length': '2' } };
    const signed = await client.sign({ ...request, body: '{}' });
    assert.deepEqual(new Headers(signed.headers).get('content-length'), String(signed.body?.length));
  });
  it('takes a Request', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, now });
    const request = new Request('https://api.example.com/a?b', { method: 'POST', headers, body: '{"amount":12}' });
    const signed = await client.sign(request);
    assert.deepEqual([signed.method, signed.url], ['POST', 'https://api.example.com/a?b']);
    assert.match(signed.stringToSign ?? '', /\ndigest: SHA-256=cOHSj2I54a\+6Ljo7lnFnRBfnb0YSa3W51f4ENtdSoBM=$/);
    assert.equal(Buffer.from(signed.body ?? []).toString(), '{"amount":12}');
  });
  it('signs a Host that was given, as it is what a library sends', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, now, signedHeaders: ['host'] });
    const given = { method: 'GET', url: 'https://api.example.com/', headers: { Host: 'other.example.com:8443' } };
    assert.match((await client.sign(given)).stringToSign ?? '', /\nhost: other\.example\.com:8443$/);
  });
  it('signs a value without blanks and tabs at its ends, as it arrives', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, now, signedHeaders: ['x-a', 'x-b'] });
    const given: [string, string][] = [
      ['X-A', ' \ta \t b\t '],
      ['X-B', ' \t '],
    ];
    const { stringToSign } = await client.sign({ method: 'GET', url: 'https://api.example.com/', headers: given });
    assert.match(stringToSign ?? '', /\nx-a: a \t b\nx-b: $/);
  });
  it('leaves a user out of the host', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret, now, signedHeaders: ['host'] });
    const { stringToSign } = await client.sign({ method: 'GET', url: 'https://a@b:c@api.example.com/' });
    assert.match(stringToSign ?? '', /\nhost: api\.example\.com$/);
  });
  it('refuses a body that is neither text nor bytes', async () => {
    const client = createClient({ method: 'hmac', appKey, appSecret });
    const request = { method: 'POST', url: 'https://api.example.com/', body: { amount: 12 } as unknown as string };
    await assert.rejects(client.sign(request), /text or bytes/);
  });
});

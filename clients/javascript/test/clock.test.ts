import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, type PosternClient } from '../src/index.ts';
import { appKey, appSecret, now, nowSeconds } from './support/credentials.ts';
import { FakeGateway, ok, refused } from './support/fake-gateway.ts';

const url = 'https://api.example.com/a';

function clientOver({ fetch, wait }: FakeGateway, clockCorrection: number): PosternClient {
  return createClient({ method: 'hmac', appKey, appSecret, now, fetch, wait, retries: 0, clockCorrection });
}

function expired(seconds: number): Response {
  return refused(401, 'REQUEST_EXPIRED', { date: httpDate(seconds) });
}

function httpDate(seconds: number): string {
  return new Date(seconds * 1000).toUTCString();
}

describe('the clock', () => {
  for (const difference of [900, -900]) {
    it(`is corrected by ${String(difference)} s, at once and for the calls after it`, async () => {
      const gateway = new FakeGateway(expired(nowSeconds + difference), ok(), ok());
      const client = clientOver(gateway, 900);
      assert.equal((await client.fetch(url)).status, 200);
      await client.fetch(url);
      const dates = gateway.sent.map(({ headers }) => headers.get('date'));
      const right = httpDate(nowSeconds + difference);
      assert.deepEqual(dates, [httpDate(nowSeconds), right, right]);
      assert.deepEqual(gateway.waits, []);
    });
    it(`is not corrected by a second more than ${String(difference)} s`, async () => {
      const gateway = new FakeGateway(expired(nowSeconds + difference + Math.sign(difference)));
      assert.equal((await clientOver(gateway, 900).fetch(url)).status, 401);
    });
  }
  it('is corrected once in a call', async () => {
    const gateway = new FakeGateway(expired(nowSeconds + 400), expired(nowSeconds + 500));
    assert.equal((await clientOver(gateway, 900).fetch(url)).status, 401);
  });
  it('is measured again from the machine, never from what was corrected', async () => {
    const answers = [expired(nowSeconds + 800), ok(), expired(nowSeconds + 1600)];
    assert.equal((await twice(clientOver(new FakeGateway(...answers), 900))).status, 401);
  });
  for (const [what, headers] of [
    ['an answer without Date', {}],
    ['a Date in another form', { date: '2026-11-21T02:55:00Z' }],
  ] as const) {
    it(`is not corrected by ${what}`, async () => {
      const gateway = new FakeGateway(refused(401, 'REQUEST_EXPIRED', headers));
      assert.equal((await clientOver(gateway, 1e9).fetch(url)).status, 401);
    });
  }
});

async function twice(client: PosternClient): Promise<Response> {
  assert.equal((await client.fetch(url)).status, 200);
  return await client.fetch(url);
}

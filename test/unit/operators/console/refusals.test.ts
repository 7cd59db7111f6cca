import assert from 'node:assert/strict';
import { TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { partnerEndpoint } from '../../../support/pipeline/resources.ts';
import { record } from '../../../support/refusals/refused.ts';

describe('console: refusals', () => {
  const detail = 'the endpoint catalogue takes GET; the request is POST';
  let console: TestConsole;

  beforeEach(() => {
    console = new TestConsole(new MemoryResourceStore({}));
    console.add('sam', 'support');
    const unmatched = { consumerId: null, credentialId: null, endpointId: null, method: 'POST', path: '/catalogue' };
    console.refusals.push(
      record({ requestId: 'own', consumerId: 'acme' }),
      record({ requestId: 'wrong', ...unmatched, code: 'ENDPOINT_NOT_FOUND', detail }),
    );
  });

  it('are those of known callers, or those that no endpoint took', async () => {
    const known = await console.open('sam', '/refusals');
    assert.match(known.text, /href="\/refusals\/own"/);
    assert.ok(!known.text.includes('/refusals/wrong'));
    const unmatched = await console.open('sam', '/refusals?unmatched=true');
    assert.match(unmatched.text, /<option value="true" selected>that no endpoint took<\/option>/);
    assert.match(unmatched.text, /href="\/refusals\/wrong"/);
    assert.ok(unmatched.text.includes(detail) && !unmatched.text.includes('/refusals/own'));
    assert.ok(!/href="\/(consumers|endpoints)\/(undefined|null)?"/.test(unmatched.text.split('<main')[1] ?? ''));
  });

  it('have a page of their own, without a consumer where nobody was looked up', async () => {
    const page = await console.open('sam', '/refusals/wrong');
    assert.equal(page.status, 200);
    assert.match(page.text, /<strong>the endpoint catalogue takes GET; the request is POST<\/strong>/);
    assert.ok(!page.text.includes('undefined') && !page.text.includes('>Consumer<'), page.text);
  });

  it('are found by a request id that is pasted, alone or with the answer around it, on Start too', async () => {
    assert.match((await console.open('sam', '/')).text, /action="\/refusals"[^]*name="requestId"/);
    const find = async (text: string): Promise<string> =>
      (await console.open('sam', `/refusals?${new URLSearchParams({ requestId: text }).toString()}`)).text;
    const answer = '{"code":"ENDPOINT_NOT_FOUND","message":"no endpoint","requestId":"wrong"}';
    for (const text of ['wrong', ' wrong ', answer]) {
      const found = await find(text);
      assert.match(found, /name="requestId" value="wrong"/);
      assert.match(found, /href="\/refusals\/wrong"/);
      assert.ok(!found.includes('/refusals/own'));
    }
    assert.match(
      await find('gone'),
      /No refusal with this request id is kept\.[^]*&quot;requestId&quot;:&quot;gone&quot;/,
    );
    assert.match(await find('no id at all'), /This is no request id/);
    console.add('victor', 'viewer');
    assert.doesNotMatch((await console.open('victor', '/')).text, /requestId/);
  });

  it('with a wrong signature take what the partner sent, explain it, and do not show it', async () => {
    const endpoint = partnerEndpoint('hmac');
    console = new TestConsole(new MemoryResourceStore({ endpoints: [endpoint] }));
    console.add('sam', 'support');
    console.refusals.push(record({ requestId: 'r-9', endpointId: endpoint.id, code: 'AUTHENTICATION_FAILED' }));
    const page = await console.open('sam', '/refusals/r-9');
    assert.match(page.text, /<label for="request">Paste what the partner sent/);
    const request = 'curl https://api.example.com/orders/7 -H \'Authorization: hmac appkey="lost"\'';
    const explained = await console.submit('sam', '/refusals/r-9', { request });
    assert.equal(explained.status, 200, explained.text);
    assert.match(explained.text, /aria-label="Explanation">(Wrong|Not judged): /);
    assert.ok(!explained.text.includes('appkey=&quot;lost&quot;'));
    const wrong = await console.submit('sam', '/refusals/r-9', { request: '{' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="request-fault"/);
  });

  it('are joined where they are the same, with how many they are', async () => {
    const late = { code: 'REQUEST_EXPIRED', consumerId: 'acme' };
    for (const seconds of [301, 302, 303]) {
      console.refusals.push(
        record({ ...late, path: `/orders/${String(seconds)}`, detail: `${String(seconds)} s old` }),
      );
    }
    const { text } = await console.open('sam', '/refusals');
    assert.equal(text.match(/<code>REQUEST_EXPIRED<\/code>/g)?.length, 1);
    assert.match(text, /\/orders\/…<\/code>[^]*REQUEST_EXPIRED[^]*data-label="Times">3</);
  });
});

import assert from 'node:assert/strict';
import { TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
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
});

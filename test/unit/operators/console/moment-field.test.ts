import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { momentOfForm } from '../../../../src/operators/console/parts/moment-field.ts';
import { formOf } from '../../../../src/operators/console/frame/form.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { hiddenValue, TestConsole } from '../../../support/console/test-console.ts';
import { keyEndpoint } from '../../../support/pipeline/resources.ts';

describe('console: a time that is typed or chosen', () => {
  it('is what was chosen, in UTC, in place of a text that stayed as it was', () => {
    for (const [typed, former, picked, taken] of [
      ['90d', '', '', '90d'],
      ['', '', '2027-01-01T10:30', '2027-01-01T10:30:00Z'],
      ['', '', '2027-01-01T10:30:15', '2027-01-01T10:30:15Z'],
      ['2026-12-01T00:00:00Z', '2026-12-01T00:00:00Z', '2027-01-01T10:30', '2027-01-01T10:30:00Z'],
      ['90d', '', '2027-01-01T10:30', '90d or 2027-01-01T10:30:00Z'],
      ['', '', 'tomorrow', 'tomorrow'],
    ] as const) {
      const fields = { at: typed, 'at-former': former, 'at-picked': picked };
      assert.equal(momentOfForm(formOf(new URLSearchParams(fields)), 'at'), taken);
    }
  });

  it('is taken for credentials, access and tokens, with the zone said, and two that differ are refused', async () => {
    const store = new MemoryResourceStore({
      consumers: [{ ...consumerDefaults, id: 'acme' }],
      endpoints: [keyEndpoint({ id: 'orders' })],
    });
    const console = new TestConsole(store);
    console.add('alice', 'admin');
    const picked = '2026-12-01T10:30';
    const at = Date.UTC(2026, 11, 1, 10, 30) / 1000;

    const path = '/consumers/acme/issue';
    const page = await console.open('alice', path);
    assert.match(page.text, /<label for="expiresAt-picked">Ends, chosen in UTC<\/label>/);
    assert.match(page.text, /<input type="datetime-local" id="expiresAt-picked" name="expiresAt-picked" value=""/);
    const fields = { method: 'hmac', id: 'acme-1', 'expiresAt-picked': picked };
    const onceKey = hiddenValue(page, 'onceKey');
    const both = await console.submit('alice', path, { ...fields, onceKey, expiresAt: '90d' });
    assert.equal(both.status, 400);
    assert.match(both.text, /id="expiresAt-fault">.*must be.*name="expiresAt" value="90d or 2026-12-01T10:30:00Z"/s);
    const issued = await console.submit('alice', path, { ...fields, onceKey });
    assert.equal(issued.status, 200, issued.text);
    assert.equal((await store.find('credential', 'acme-1'))?.resource.expiresAt, at);

    const given = { endpoint: 'orders', limits: 'endpoint', 'expiresAt-picked': picked };
    const access = await console.submit('alice', '/consumers/acme/grant', given);
    assert.equal(access.status, 303, access.text);
    assert.match((await console.open('alice', '/consumers/acme/grants/orders')).text, /value="2026-12-01T10:30:00Z"/);
  });
});

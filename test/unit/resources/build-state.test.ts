import assert from 'node:assert/strict';
import { buildState } from '../../../src/resources/build-state.ts';
import { ID_PATTERN } from '../../../src/model/document/fields.ts';
import { contentOf, DEMO_SECRET, stateOf } from './support.ts';

const keyOne = '{ method: key, appKey: one }';
const keyTwo = '{ method: key, appKey: two }';
const hmac = `{ method: hmac, appKey: three, appSecret: ${DEMO_SECRET} }`;
const both = `{ methods: [key, oauth2], appKey: four, appSecret: ${DEMO_SECRET} }`;

function idsOf(...credentials: readonly string[]): readonly string[] {
  const state = stateOf(`version: 1\nconsumers: [{ id: acme, credentials: [${credentials.join(', ')}] }]`);
  return state.credentials.map(({ id }) => id);
}

describe('the state of a file store', () => {
  it('names credentials of public App Keys by a hash, whatever their order', () => {
    const [first, second] = idsOf(hmac, both);
    assert.match(first ?? '', /^hmac-[0-9a-f]{20}$/);
    assert.match(second ?? '', /^oauth2-[0-9a-f]{20}$/);
    assert.deepEqual(idsOf(both, keyOne, hmac), [second, 'acme-key-1', first]);
  });

  it('names credentials of secret App Keys by their position, never by the App Key', () => {
    assert.deepEqual(idsOf(keyOne, keyTwo), ['acme-key-1', 'acme-key-2']);
    assert.deepEqual(idsOf(keyTwo, keyOne), ['acme-key-1', 'acme-key-2']);
  });

  it('gives no id that the document gives', () => {
    const named = '{ id: acme-key-1, method: key, appKey: five }';
    assert.deepEqual(idsOf(keyOne, named, keyTwo), ['acme-key-2', 'acme-key-1', 'acme-key-3']);
  });

  it('gives ids of the right form to consumers with long ids', () => {
    const state = stateOf(`version: 1
consumers:
  - { id: ${'a'.repeat(63)}, credentials: [${keyOne}] }
  - { id: ${'a'.repeat(62)}, credentials: [${keyTwo}, ${hmac}] }
`);
    const ids = state.credentials.map(({ id }) => id);
    assert.ok(ids.every((id) => ID_PATTERN.test(id)));
    assert.equal(new Set(ids).size, 3);
  });

  it('is not built from a document without its secrets', () => {
    for (const credential of ['{ id: c, method: key }', '{ id: c, method: hmac, appKey: k }']) {
      const content = contentOf(`version: 1\nconsumers: [{ id: acme, credentials: [${credential}] }]`, {
        isComplete: false,
      });
      assert.throws(() => buildState(content), /a credential of consumer acme lacks its App Key or App Secret/);
    }
  });
});

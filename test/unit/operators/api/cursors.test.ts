import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createCursorSealer } from '../../../../src/model/keyring/cursor-sealer.ts';
import { type MemoryApi, testCursors } from '../../../support/api/memory-api.ts';
import { twoTeams } from '../../../support/api/two-teams.ts';
import { testKeyRing } from '../../../support/keyring/test-key-ring.ts';

const lists = ['/v1/consumers', '/v1/endpoints', '/v1/credentials', '/v1/grants', '/v1/audit'] as const;

describe('cursors of the management API', () => {
  let api: MemoryApi;
  before(async () => {
    api = await twoTeams();
    for (const name of ['One', 'Two', 'Three']) {
      const asked = { body: { name }, headers: { 'if-match': '*' } };
      for (const id of ['acme', 'initech']) await api.done('alice', 'PATCH', `/v1/consumers/${id}`, asked);
    }
  });

  const cursorOf = async (who: string, path: string): Promise<string> => {
    const { body } = await api.done(who, 'GET', `${path}?limit=1`);
    assert.ok(typeof body['nextCursor'] === 'string', `${path} of ${who} has a second page`);
    return body['nextCursor'];
  };

  it('show nothing of the place that they name', async () => {
    for (const path of lists) {
      const bytes = Buffer.from(await cursorOf('petra', path), 'base64url');
      assert.doesNotMatch(bytes.toString('latin1'), /acme|globex|orders|stock|\d{8}/, path);
    }
  });

  it('are worth nothing to another operator, for another list, or changed', async () => {
    for (const path of lists) {
      const cursor = await cursorOf('petra', path);
      await api.done('petra', 'GET', `${path}?cursor=${cursor}`);
      await api.refused('MALFORMED_REQUEST', 'alice', 'GET', `${path}?cursor=${cursor}`);
      const other = lists.find((each) => each !== path) ?? assert.fail();
      await api.refused('MALFORMED_REQUEST', 'petra', 'GET', `${other}?cursor=${cursor}`);
      const changed = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
      const { body } = await api.refused('MALFORMED_REQUEST', 'petra', 'GET', `${path}?cursor=${changed}`);
      assert.equal(body['detail'], 'cursor is not one that this list returned to you');
    }
  });

  it('are the same at every replica, and stay when the key ring gets another key', () => {
    const place = '1790000000000.0123456789abcdef01234567';
    const scope = 'petra\0/v1/audit';
    const cursor = createCursorSealer(() => testKeyRing(1)).seal(place, scope);
    assert.equal(testCursors.seal(place, scope), cursor);
    assert.equal(createCursorSealer(() => testKeyRing(1, 2)).open(cursor, scope), place);
    assert.equal(createCursorSealer(() => testKeyRing(2)).open(cursor, scope), null);
  });

  it('open as they were sealed, in their scope alone', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (place, scope, other) => {
        const cursor = testCursors.seal(place, scope);
        assert.equal(testCursors.open(cursor, scope), Buffer.from(place).toString());
        if (Buffer.from(other).equals(Buffer.from(scope))) return;
        assert.equal(testCursors.open(cursor, other), null);
      }),
    );
  });

  it('are no text that was not sealed', () => {
    fc.assert(fc.property(fc.base64String({ maxLength: 120 }), (text) => testCursors.open(text, 'x') === null));
  });

  it('end lists whose pages are empty at the end only', async () => {
    for (const path of lists) {
      let at = '';
      for (;;) {
        const { body } = await api.done('petra', 'GET', `${path}?limit=1${at}`);
        const { nextCursor, items } = body as { nextCursor: string | null; items: readonly unknown[] };
        if (nextCursor === null) break;
        assert.equal(items.length, 1, path);
        at = `&cursor=${nextCursor}`;
      }
    }
  });
});

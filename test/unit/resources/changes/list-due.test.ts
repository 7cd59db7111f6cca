import assert from 'node:assert/strict';
import { spansOf } from '../../../../src/resources/changes/due-spans.ts';
import { listDue } from '../../../../src/resources/changes/list-due.ts';
import { collectAll } from '../../../../src/resources/changes/resource-store.ts';
import { memoryDue } from '../../../support/manage/memory-due.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { consumer } from '../../../support/pipeline/resources.ts';
import { hmacCredential } from '../../../integration/mongodb/support.ts';

const now = 1_790_000_000;
const day = 86_400;

describe('credentials by what is due', () => {
  const credentials = ['d', 'b', 'c', 'a'].map((id, index) =>
    hmacCredential({ id, appKey: `key-of-${id}`, expiresAt: index < 3 ? now + (index + 1) * day : null }),
  );
  const listed = async (days: number, mostIds?: number) => {
    const resources = new MemoryResourceStore({ consumers: [consumer()], credentials });
    const query = { endingSeconds: days * day, isFormerWanted: false, unusedSeconds: null };
    const spans = spansOf(query, now) ?? [];
    const found = await collectAll(listDue({ resources, due: memoryDue(resources) }, spans, mostIds));
    return { ids: found.map(({ resource }) => resource.id), read: resources.read.credential };
  };

  it('are those of the spans, in the order of their ids, and no other is read', async () => {
    assert.deepEqual(await listed(2), { ids: ['b', 'd'], read: 2 });
    assert.deepEqual(await listed(3, 3), { ids: ['b', 'c', 'd'], read: 3 });
  });

  it('are all, where more fit than are put in order', async () => {
    assert.deepEqual(await listed(3, 2), { ids: ['a', 'b', 'c', 'd'], read: 4 });
  });

  it('are asked for with certificates of which the first has ended, as another may end', () => {
    const query = { endingSeconds: day, isFormerWanted: false, unusedSeconds: null };
    assert.deepEqual(spansOf(query, now), [
      { order: 'end', afterMs: now * 1000, untilMs: (now + day) * 1000 },
      { order: 'certificate', afterMs: -Infinity, untilMs: (now + day) * 1000 },
    ]);
  });
});

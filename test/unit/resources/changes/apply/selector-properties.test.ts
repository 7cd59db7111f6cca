import assert from 'node:assert/strict';
import fc from 'fast-check';
import { carries } from '../../../../../src/model/labels.ts';
import { declareStore } from '../../../../../src/resources/changes/declare-store.ts';
import { listSelected } from '../../../../../src/resources/changes/list-selected.ts';
import { collectAll, type ResourceStore } from '../../../../../src/resources/changes/resource-store.ts';
import { idOfResource } from '../../../../../src/resources/declare-resource.ts';
import { resourceKinds } from '../../../../../src/resources/resource.ts';
import { writeDocument } from '../../../../../src/resources/write-document.ts';
import { sharedStoreArbitrary, TEAM_A } from '../../../../support/declarative/shared-store-arbitrary.ts';
import { MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';
import { apply, plan, planOrProblems } from './support.ts';

const options = { selector: TEAM_A, isPruning: true };

async function storeOf(document: object): Promise<MemoryResourceStore> {
  const store = new MemoryResourceStore();
  await apply(JSON.stringify(document), store);
  return store;
}

/** What others have: endpoints and consumers without the label, and what belongs to those. Each with its revision. */
async function ofOthers(store: ResourceStore): Promise<unknown> {
  const owners: Record<'endpoint' | 'consumer', Set<string>> = { endpoint: new Set(), consumer: new Set() };
  for (const kind of ['endpoint', 'consumer'] as const) {
    for await (const { resource } of store.list(kind)) {
      if (!carries(resource.labels, TEAM_A)) owners[kind].add(resource.id);
    }
  }
  const found: unknown[] = [];
  for (const kind of resourceKinds) {
    for await (const stored of store.list(kind)) {
      const { resource } = stored;
      const isTheirs =
        'endpointId' in resource
          ? owners.endpoint.has(resource.endpointId)
          : 'consumerId' in resource
            ? owners.consumer.has(resource.consumerId)
            : owners[kind as 'endpoint' | 'consumer'].has(resource.id);
      if (isTheirs) found.push({ kind, id: idOfResource(resource), ...stored });
    }
  }
  return found;
}

async function exported(store: ResourceStore): Promise<string> {
  let text = '';
  const parts = declareStore(store, { selector: TEAM_A }, 'leave-out');
  for await (const piece of writeDocument({ comment: [], ...parts }, 'yaml')) text += piece;
  return text;
}

describe('any store that teams share', () => {
  it('takes the part that one team exports again, and changes nothing', async () => {
    let exportedResources = 0;
    await fc.assert(
      fc.asyncProperty(sharedStoreArbitrary, async ({ whole }) => {
        const store = await storeOf(whole);
        const { changes, unchangedCount } = await plan(await exported(store), store, options);
        assert.deepEqual(changes, []);
        let owned = 0;
        for (const kind of resourceKinds) owned += (await collectAll(listSelected(store, kind, TEAM_A))).length;
        assert.equal(unchangedCount, owned);
        exportedResources += owned;
      }),
    );
    assert.ok(exportedResources > 100, String(exportedResources));
  });

  it('loses and changes nothing of others when one team prunes', async () => {
    let taken = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(sharedStoreArbitrary, async ({ whole, wanted }) => {
        const store = await storeOf(whole);
        const before = await ofOthers(store);
        const text = JSON.stringify(wanted);
        const planned = await planOrProblems(text, store, options);
        if ('changes' in planned) {
          taken += 1;
          await apply(text, store, options);
          assert.deepEqual((await plan(text, store, options)).changes, []);
        } else refused += 1;
        assert.deepEqual(await ofOthers(store), before);
      }),
      { numRuns: 120 },
    );
    assert.ok(taken > 40 && refused > 4, `${String(taken)} taken, ${String(refused)} refused`);
  });

  it('comes to the same part from wherever one team begins', async () => {
    await fc.assert(
      fc.asyncProperty(sharedStoreArbitrary, async ({ whole, wanted }) => {
        const text = JSON.stringify(wanted);
        const store = await storeOf(whole);
        const planned = await planOrProblems(text, store, options);
        fc.pre('changes' in planned);
        await apply(text, store, options);
        const part = await exported(store);
        // Nothing of the team's was there before.
        const ids = new Set(
          [...whole.endpoints, ...whole.consumers].filter(({ labels }) => labels['team'] === 'a').map(({ id }) => id),
        );
        const endpoints = whole.endpoints.filter(({ id }) => !ids.has(id));
        const consumers = whole.consumers.filter(({ id }) => !ids.has(id));
        const isThere = (id: string, list: readonly { readonly id: string }[]): boolean =>
          list.some((each) => each.id === id);
        const grants = whole.grants.filter(
          ({ endpoint, consumer }) =>
            isThere(endpoint, endpoints) && (consumer === undefined || isThere(consumer, consumers)),
        );
        const fresh = await storeOf({ ...whole, endpoints, consumers, grants });
        await apply(text, fresh, options);
        assert.equal(await exported(fresh), part);
      }),
    );
  });
});

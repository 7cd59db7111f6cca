import assert from 'node:assert/strict';
import fc from 'fast-check';
import { commitInSteps } from '../../../../../src/resources/changes/apply/commit-in-steps.ts';
import { documentArbitrary } from '../../../../support/declarative/document-arbitrary.ts';
import { contentsOf, MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';
import { apply, plan } from './support.ts';

const never = { isTooLarge: () => false, onDivided: () => undefined };
const operation = { actor: 'ada', action: 'apply' };

describe('applying any documents', () => {
  it('changes nothing the second time', async () => {
    await fc.assert(
      fc.asyncProperty(documentArbitrary, fc.boolean(), async (document, isPruning) => {
        const store = new MemoryResourceStore();
        const text = JSON.stringify(document);
        await apply(text, store);
        assert.deepEqual((await plan(text, store, { isPruning })).changes, []);
      }),
    );
  });

  it('leads to the same state from wherever it begins, when it prunes', async () => {
    await fc.assert(
      fc.asyncProperty(documentArbitrary, documentArbitrary, async (former, document) => {
        const store = new MemoryResourceStore();
        await apply(JSON.stringify(former), store);
        await apply(JSON.stringify(document), store, { isPruning: true });
        const fresh = new MemoryResourceStore();
        await apply(JSON.stringify(document), fresh);
        assert.deepEqual(await contentsOf(store), await contentsOf(fresh));
      }),
      { numRuns: 20 },
    );
  });

  it('lets every reference lead somewhere after each step', async () => {
    const steps = fc.integer({ min: 1, max: 5 });
    await fc.assert(
      fc.asyncProperty(
        documentArbitrary,
        documentArbitrary,
        steps,
        fc.boolean(),
        async (former, document, perStep, isPruning) => {
          const store = new MemoryResourceStore();
          await apply(JSON.stringify(former), store);
          const { changes } = await plan(JSON.stringify(document), store, { isPruning });
          const ports = { ...never, onCommitted: () => undefined, isStopped: () => false };
          const outcome = await commitInSteps(changes, store, operation, { maxAtOnce: 0, perStep }, ports);
          assert.deepEqual(outcome, { committed: changes.length, end: 'done' });
          assert.deepEqual((await plan(JSON.stringify(document), store, { isPruning })).changes, []);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('is completed by doing it again after a stop anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(
        documentArbitrary,
        documentArbitrary,
        fc.nat({ max: 8 }),
        async (former, document, stopAfter) => {
          const store = new MemoryResourceStore();
          await apply(JSON.stringify(former), store);
          const { changes } = await plan(JSON.stringify(document), store, { isPruning: true });
          let done = 0;
          const ports = { ...never, onCommitted: () => void (done += 1), isStopped: () => done > stopAfter };
          await commitInSteps(changes, store, operation, { maxAtOnce: 0, perStep: 2 }, ports);
          await apply(JSON.stringify(document), store, { isPruning: true });
          const fresh = new MemoryResourceStore();
          await apply(JSON.stringify(document), fresh);
          assert.deepEqual(await contentsOf(store), await contentsOf(fresh));
        },
      ),
      { numRuns: 20 },
    );
  });
});

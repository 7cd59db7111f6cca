import assert from 'node:assert/strict';

import { mutate } from '../../../fuzz/mutate.ts';
import { Random } from '../../../fuzz/random.ts';
import { readSeeds } from '../../../fuzz/seeds.ts';
import { fuzzTargets } from '../../../fuzz/targets.ts';

const CHANGED_INPUTS = 300;

describe('kept seeds of the fuzz targets', () => {
  for (const target of fuzzTargets) {
    it(`keep every promise of ${target.name}, also a little changed`, async () => {
      const seeds = readSeeds(target.name);
      assert.ok(seeds.length > 0);
      for (const seed of seeds) await target.run(seed);
      const random = new Random(1);
      for (let count = 0; count < CHANGED_INPUTS; count += 1) {
        await target.run(mutate(random.pick(seeds), seeds, target.words, random));
      }
      await target.stop?.();
    }).timeout(20_000);
  }
});

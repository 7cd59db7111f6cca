import { MemoryResourceStore } from '../support/manage/memory-resource-store.ts';
import { fixedClock } from '../support/time/fixed-clock.ts';
import { describeResourceStoreContract } from './resource-store.ts';

describeResourceStoreContract('of the tests, in memory', () => {
  const clock = fixedClock();
  return Promise.resolve({ store: new MemoryResourceStore({}, clock), clock });
});

import assert from 'node:assert/strict';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { createTrafficSink, createTrafficSource } from '../../../src/stores/mongodb/traffic.ts';
import { rankCounts, rankingHours } from '../../../src/model/traffic-ranking.ts';
import { hourOf, type TrafficCount } from '../../../src/model/traffic-count.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { NOON } from '../../support/time/fixed-clock.ts';

describe('a ranking of consumers in MongoDB', () => {
  const database = useDatabase();
  before(async () => {
    await ensureSchema(database.db());
  });
  beforeEach(async () => {
    await database.db().collection('traffic').deleteMany({});
  });

  const counts = (now: number): readonly TrafficCount[] =>
    Array.from({ length: 60 }, (_, owner) => owner).flatMap((owner) =>
      Array.from({ length: 20 }, (_, index): TrafficCount => {
        const isSilent = owner % 7 === 0;
        const back = (isSilent ? 24 : 0) + ((owner * 31 + index * 17) % 230);
        const codes = { ALLOWED: 1 + ((owner * 13 + index) % 40), RATE_LIMITED: owner % 3, ACCESS_DENIED: owner % 5 };
        const endpointId = index % 2 === 0 ? 'orders' : 'stock';
        return { endpointId, consumerId: owner === 59 ? null : `partner-${String(owner)}`, hour: now - back, codes };
      }),
    );

  it('is that of the counts, at every hour of a day', async () => {
    const source = createTrafficSource(database.db());
    await createTrafficSink(database.db(), 'one').add(counts(hourOf(NOON)), 1);
    for (const hour of [0, 5, 10, 11, 12, 23]) {
      const hours = rankingHours(NOON + hour * 3600);
      const expected = await rankCounts(source.counts({ sinceHour: hours.week, consumers: 'each' }), hours);
      assert.equal(expected.silent.length, 5);
      assert.deepEqual(await source.rank?.(hours), expected, String(hour));
    }
  });

  it('leaves out what a hand made otherwise', async () => {
    const day = new Date((NOON - (NOON % 86_400)) * 1000);
    const made = [
      { codes: 'many' },
      { codes: { ALLOWED: 7 } },
      { codes: { ALLOWED: { 12: 'many', 11: 2 } } },
      { consumerId: 5, codes: {} },
      { day: 'today', codes: { ALLOWED: { 12: 3 } } },
    ].map((fields, index) => ({ _id: String(index), day, endpointId: 'orders', consumerId: 'acme', ...fields }));
    await database.db().collection<{ _id: string }>('traffic').insertMany(made, { bypassDocumentValidation: true });
    const ranking = await createTrafficSource(database.db()).rank?.(rankingHours(NOON));
    assert.deepEqual(ranking, {
      callers: 1,
      fails: [],
      grows: [{ consumerId: 'acme', allowed: 2, refused: 0, limited: 0, before: 0, week: 0 }],
      silent: [],
    });
  });
});

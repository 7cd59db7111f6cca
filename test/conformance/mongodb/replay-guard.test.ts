import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../src/base/clock.ts';
import { connectMongodb } from '../../../src/stores/mongodb/connect.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { MongoReplayGuard } from '../../../src/stores/mongodb/mongo-replay-guard.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { release } from '../../support/lifetime/release.ts';
import { describeReplayGuardContract } from '../replay-guard.ts';

describe('MongoDB', () => {
  const { db, uri } = useDatabase();
  const opened: AsyncDisposable[] = [];

  afterEach(async () => {
    await release(...opened.splice(0));
  });

  function open(): MongoReplayGuard {
    const observer = { down: () => undefined, up: () => undefined };
    const guard = new MongoReplayGuard({ client: connectMongodb(uri(), 'reservations'), clock: systemClock, observer });
    opened.push(guard);
    return guard;
  }

  describeReplayGuardContract('on MongoDB', async () => {
    await ensureSchema(db());
    return { guard: open(), other: open(), nowSeconds: () => systemClock.nowSeconds(), unique: randomUUID() };
  });
});

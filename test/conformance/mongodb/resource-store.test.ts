import type { AuditTrail, ResourceStore } from '../../../src/resources/changes/resource-store.ts';
import { createAuditTrail } from '../../../src/stores/mongodb/audit-trail.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { MongoResourceStore } from '../../../src/stores/mongodb/resource-store.ts';
import { testKeyRing } from '../../support/keyring/test-key-ring.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { fixedClock } from '../../support/time/fixed-clock.ts';
import { describeResourceStoreContract } from '../resource-store.ts';

describe('MongoDB', () => {
  const { db } = useDatabase();
  describeResourceStoreContract('on MongoDB', async () => {
    await ensureSchema(db());
    await emptyCollections(db());
    const clock = fixedClock();
    const onFault = (): void => undefined;
    const resources = new MongoResourceStore({ db: db(), sealer: testKeyRing(), clock, onFault });
    const audit = createAuditTrail(db(), { clock });
    const store: ResourceStore & AuditTrail = {
      maxChangesPerCommit: resources.maxChangesPerCommit,
      find: async (...selected) => await resources.find(...selected),
      list: (...selected) => resources.list(...selected),
      commit: async (...commit) => await resources.commit(...commit),
      events: (selection) => audit.events(selection),
      keep: async (attempt) => {
        await audit.keep(attempt);
      },
    };
    return { store, clock };
  });
});

import assert from 'node:assert/strict';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { consumer, partnerEndpoint } from '../../support/pipeline/resources.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';
import { APP_SECRET, HMAC_APP_KEY, hmacCredential, put } from './support.ts';

describe('postern handover with MongoDB', () => {
  const database = useDatabase();
  before(async () => {
    await ensureSchema(database.db());
    const match = { hosts: [], paths: [{ prefix: '/invoices' }], methods: [] };
    await put(database.db(), {
      endpoints: [{ ...partnerEndpoint('hmac'), id: 'invoices', match }],
      consumers: [consumer()],
      credentials: [hmacCredential()],
    });
  });

  async function handover(id: string): Promise<CommandResult> {
    const args = ['handover', '--credential', id, '--url', 'https://api.example.com'];
    return await runCli(args, { POSTERN_STORE: database.uri() });
  }

  it('needs no key ring, and never shows what it would open', async () => {
    const { code, out, err } = await handover(hmacCredential().id);
    assert.deepEqual([code, err], [0, '']);
    assert.ok(out.includes(`| App Key | \`${HMAC_APP_KEY}\` |`), out);
    assert.match(out, /`https:\/\/api\.example\.com\/invoices` and below/);
    assert.ok(!out.includes(APP_SECRET));
  });

  it('says which credential may have been meant', async () => {
    const { code, err } = await handover(`${hmacCredential().id}x`);
    assert.equal(code, 3, err);
    assert.ok(err.includes(`did you mean "${hmacCredential().id}"?`), err);
  });
});

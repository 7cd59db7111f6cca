import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { useManagement } from '../../support/management/use-management.ts';
import { poll } from '../../support/time/poll.ts';

describe('the management API while its key ring changes', () => {
  const management = useManagement();
  const { ask, run, database } = management;
  let token = '';
  before(async () => {
    token = await management.newOperator('root', '--role admin');
    await run('consumer create acme');
  });

  async function issue(id: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const body = { consumer: 'acme', id, method: 'hmac' };
    const { status, body: issued } = await ask('POST', '/v1/credentials:issue', { token, body, headers });
    assert.equal(status, 201, JSON.stringify(issued));
    return String(issued['appSecret']);
  }

  /** Whether a secret was sealed with a key, as the database has it. */
  async function isSealedWith(id: string, keyId: string): Promise<boolean> {
    const found = await database.db().collection<{ _id: string }>('credentials').findOne({ _id: id });
    return JSON.stringify(found).includes(`"${keyId}"`);
  }

  it('seals with the new key, and opens what was sealed before, without a restart', async () => {
    const once = { 'idempotency-key': 'before-the-rotation' };
    const secret = await issue('before', once);
    const rotated = JSON.parse(await run(`keyring rotate ${management.ring()} -o json`)) as { readonly keyId: string };
    assert.equal(await isSealedWith('before', rotated.keyId), false);
    const inForce = `"currentKey":"${rotated.keyId}"`;
    await poll('the new ring', () => Promise.resolve(management.logs().includes(inForce) ? true : null));
    await issue('after');
    assert.equal(await isSealedWith('after', rotated.keyId), true);
    assert.equal(await issue('before', once), secret, 'the answer that was kept sealed with the former key');
    const { body } = await ask('POST', '/v1/credentials/before:rotate', {
      token,
      body: {},
      headers: { 'if-match': '*' },
    });
    assert.notEqual((body['credential'] as { readonly appSecret: string }).appSecret, secret);
    assert.equal(await isSealedWith('before', rotated.keyId), true);
  });

  it('keeps the last good ring in force while the file is wrong', async () => {
    const good = await readFile(management.ring(), 'utf8');
    await writeFile(management.ring(), 'version: 1\nkeys: []\n', { mode: 0o600 });
    const refused = 'the key ring is wrong; the last good one stays in force until it is fixed';
    await poll('the refusal', () => Promise.resolve(management.logs().includes(refused) ? true : null));
    await issue('under-the-last-good');
    await writeFile(management.ring(), good, { mode: 0o600 });
  });
});

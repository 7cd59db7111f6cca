import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { AdminServer } from '../../../../src/gateway/serving/admin-server.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

describe('the admin listener on a unix socket', () => {
  it('answers probes, has the permissions it is given, and leaves no file behind', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'admin.sock');
    const ask = async (target: string): Promise<number | undefined> =>
      await new Promise((resolve, reject) => {
        const request = get({ socketPath: path, path: target, agent: false }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        request.once('error', reject);
      });
    for (const mode of [0o600, 0o660, 0o666]) {
      await using server = new AdminServer({
        findUnreadiness: () => null,
        findNotice: () => null,
        describeRevision: () => null,
        collectMetrics: () => Promise.resolve({ text: '', contentType: 'text/plain' }),
      });
      await server.start({ kind: 'unix', path }, mode);
      assert.equal((await stat(path)).mode & 0o777, mode);
      assert.equal(await ask('/livez'), 200);
      assert.equal(await ask('/readyz'), 200);
    }
    await assert.rejects(stat(path), { code: 'ENOENT' });
  });
});

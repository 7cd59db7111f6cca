import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runPostern } from '../../support/cli/run-postern.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { startTraffic } from '../../support/load/traffic.ts';
import { type MongodbStack, startMongodbStack } from './mongodb-stack.ts';

/** The file of a team: an endpoint by App Key, a partner, and grants for its own partner and for others. */
function documentOf(team: string, partners: readonly string[], description = ''): string {
  const grants = partners.map((consumer) => `  - { endpoint: ${team}, consumer: ${consumer} }\n`).join('');
  return `version: 1
endpoints:
  - id: ${team}
    labels: { team: ${team} }
    description: "${description}"
    scenario: partner-openapi
    match: { paths: [{ prefix: /${team} }] }
    authentication: key
    accessCondition: authenticated-and-authorized
consumers:
  - id: of-${team}
    labels: { team: ${team} }
    credentials: [{ id: of-${team}-key, method: key, appKey: app-key-of-${team} }]
grants:
${grants}`;
}

describe('two teams that apply their files to one store', function () {
  this.timeout(90_000);
  let stack: MongodbStack;
  let folder: TemporaryDirectory;
  before(async () => {
    stack = await startMongodbStack();
    folder = await temporaryDirectory();
  });
  after(() => release(folder, stack));

  async function apply(team: string, text: string): Promise<string> {
    const file = join(folder.path, `${team}.yaml`);
    writeFileSync(file, text);
    return await stack.postern(`apply -f ${file} --selector team=${team} --prune --yes`);
  }

  const call = (team: string, partner: string): { target: string; headers: [string, string][] } => ({
    target: `/${team}`,
    headers: [['X-App-Key', `app-key-of-${partner}`]],
  });

  it('gives callers what both files say, and lets neither team disturb the callers of the other', async () => {
    await apply('billing', documentOf('billing', ['of-billing']));
    await apply('payments', documentOf('payments', ['of-payments', 'of-billing']));
    await stack.untilEverywhere(() => call('billing', 'billing'), 200);
    await stack.untilEverywhere(() => call('payments', 'payments'), 200);
    // The partner of the other team, by a grant of this one.
    await stack.untilEverywhere(() => call('payments', 'billing'), 200);
    await stack.untilEverywhere(() => call('billing', 'payments'), 403, 'NOT_AUTHORIZED');

    await using billing = await startTraffic(stack.replica().envoy.port, call('billing', 'billing'));
    await apply('payments', documentOf('payments', ['of-payments'], 'changed'));
    await stack.untilEverywhere(() => call('payments', 'billing'), 403, 'NOT_AUTHORIZED');
    await stack.postern('endpoint edit payments --label stage=live');
    await apply('payments', 'version: 1\n');
    await stack.untilEverywhere(() => call('payments', 'payments'), 404, 'ENDPOINT_NOT_FOUND');
    await billing.more(50);
    await release(billing);
    assert.deepEqual([...billing.outcomes.keys()], ['200']);
    const { out } = await runPostern(['export', '--selector', 'team=billing', '-o', 'json'], {
      POSTERN_STORE: stack.uri,
    });
    const exported = JSON.parse(out) as Record<string, readonly unknown[]>;
    assert.deepEqual(
      [exported['endpoints']?.length, exported['consumers']?.length, exported['grants']],
      [1, 1, [{ endpoint: 'billing', consumer: 'of-billing' }]],
    );
  });
});

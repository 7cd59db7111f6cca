import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runPostern } from '../../support/cli/run-postern.ts';
import { fleetDocument, mixedTraffic } from '../../support/fleet/partners.ts';
import { usePartnerFleet } from '../../support/fleet/use-partner-fleet.ts';
import { assertNoFailure, mixedKinds } from './assert-no-failure.ts';

const REQUESTS_PER_SECOND = 80;
/** Between two steps. */
const SOME = 60;
const OTHER_CONSUMERS = 500;

/** What changes while others call: paths and limits of their endpoints, their own name, grants, and many others. */
const changed = `version: 1
endpoints:
  - id: keyed
    description: has a limit now, which nobody reaches
    scenario: partner-openapi
    match: { paths: [{ prefix: /keyed }, { prefix: /keyed-too }] }
    authentication: key
    trafficControl: { limits: [{ requests: 1000000, unit: minute, per: consumer }] }
  - id: signed
    scenario: partner-openapi
    match: { paths: [{ prefix: /signed }], methods: [GET, POST] }
    authentication: hmac
    options: { clockSkewSeconds: 200 }
  - { id: signed-reports, scenario: partner-openapi, match: { paths: [{ prefix: /signed/reports }] }, authentication: key }
  - { id: stock, scenario: partner-openapi, match: { paths: [{ prefix: /stock }] }, authentication: oauth2 }
consumers:
  - { id: acme, name: Acme Limited, labels: { tier: gold } }
${Array.from({ length: OTHER_CONSUMERS }, (_, at) => `  - { id: other-${String(at)}, name: Other }`).join('\n')}
grants:
  - { endpoint: keyed, consumer: acme, limits: [{ requests: 2000000, unit: minute, per: consumer }] }
`;

describe('changes by apply under load', function () {
  this.timeout(120_000);
  const fleet = usePartnerFleet();

  it('fail no request that is right before and after, whether they add, change or take away', async () => {
    const startTraffic = await mixedTraffic(fleet, fleet.partner);
    const paths = { before: join(fleet.folder, 'before.yaml'), after: join(fleet.folder, 'after.yaml') };
    // With the credentials of the partner, which --prune would delete otherwise.
    const credentials = Object.entries(fleet.partner).map(
      ([method, { id }]) => `{ id: ${String(id)}, method: ${method} }`,
    );
    for (const [path, text] of [
      [paths.before, fleetDocument],
      [paths.after, changed],
    ] as const) {
      await writeFile(path, text.replace(/(id: acme, [^\n]*) \}/, `$1, credentials: [${credentials.join(', ')}] }`));
    }
    await using load = startTraffic(REQUESTS_PER_SECOND);
    await load.more(SOME);
    for (const path of [paths.after, paths.before, paths.after, paths.before]) {
      // In a process of its own: planning so many changes here would hold up the load, and then let it burst.
      const { code, err } = await runPostern(['apply', '--prune', '--yes', '-f', path], fleet.environment);
      assert.equal(code, 0, err);
      await load.more(SOME);
    }
    assertNoFailure(await load.stop(), mixedKinds);
  });
});

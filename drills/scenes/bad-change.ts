import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFleet } from '../../test/support/fleet/fleet.ts';
import { keyed, makeEndpoints, makePartner } from '../../test/support/fleet/partners.ts';
import type { Drill } from '../framework/drill.ts';
import { expectCall, untilCall } from '../framework/traffic.ts';

/** A wrong declarative file is pushed, then one that is right and means the wrong thing; both are undone. */
export const badChange: Drill = {
  name: 'bad-change',
  title: 'a wrong file is pushed, then a wrong limit; both are noticed and undone',
  services: ['envoy', 'mongodb'],
  isQuick: true,
  run: async (stage) => {
    await using fleet = await startFleet({ replicas: 1, prepare: makeEndpoints });
    const { key } = await makePartner(fleet);
    const path = (name: string): string => join(fleet.folder, name);
    const request = () => keyed(key);

    stage.step('Before a change: keep the present state');
    await stage.postern(fleet, 'export --to before.yaml');
    await expectCall(stage, fleet, 'a partner calls', request(), '200');

    stage.step('A file with a mistake is pushed');
    const before = await readFile(path('before.yaml'), 'utf8');
    await writeFile(path('typo.yaml'), before.replace('authentication: key', 'authentication: keys'));
    await stage.postern(fleet, 'apply -f typo.yaml', { code: 1 });
    await stage.postern(fleet, 'diff -f before.yaml');
    await expectCall(stage, fleet, 'nothing was changed, the partner calls', request(), '200');

    stage.step('A valid file with a wrong value: 1 a day instead of 1000 a minute');
    await writeFile(
      path('after.yaml'),
      before.replace(
        'authentication: key',
        'authentication: key\n    trafficControl: { limits: [{ requests: 1, unit: day, per: consumer }] }',
      ),
    );
    await stage.postern(fleet, 'diff -f after.yaml', { code: 1 });
    stage.note('No operator looked.');
    await stage.postern(fleet, 'apply -f after.yaml');
    await untilCall(stage, fleet, 'the partner', request, '429 RATE_LIMITED');

    stage.step('What monitoring shows: 429 jumps, and the log names the limit');
    const metrics = await fleet.replicas[0]?.process.metrics();
    const line = metrics?.split('\n').find((each) => /^postern_checks_total.*RATE_LIMITED/.test(each)) ?? '';
    stage.show(line.replace(/ \d+$/, ''));
    stage.expect('the metric counts it', line !== '');
    const refused = fleet.replicas[0]?.process.logs().find(({ code }) => code === 'RATE_LIMITED');
    stage.show(
      `log: refused: ${String(refused?.['detail'])} (endpoint ${String(refused?.['endpoint'])}, consumer ${String(refused?.['consumer'])})`,
    );

    stage.step('Who changed what?');
    await stage.postern(fleet, 'audit list --since 1h --resource endpoint/keyed', { lines: 3 });
    const listed = await fleet.postern('audit', 'list', '--limit', '1', '-o', 'json');
    const [bad] = JSON.parse(listed) as readonly { readonly storeRevision: number }[];
    const revision = String(bad?.storeRevision);
    await stage.postern(fleet, `audit show ${revision}`);

    stage.step('Undo it');
    await stage.postern(fleet, `audit revert ${revision} --yes --reason OPS-17`);
    await untilCall(stage, fleet, 'the partner', request, '200');
    await stage.postern(fleet, 'diff -f before.yaml');
  },
};

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { plan } from '../../../support/pipeline/resources.ts';
import { memoryCli, type MemoryCli, nowSeconds } from './memory-cli.ts';
import { prepare } from './resources.ts';

const DAY = 86_400;
const month = { requests: 5_000_000, unit: 'month' } as const;
const second = { requests: 50, unit: 'second' } as const;
const setGold = 'plan set gold --label tier=gold --limit 5000000/month --limit 50/second';

describe('commands for plans', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  const done = async (line: string): Promise<string> => await cli.done(...line.split(' '));
  const fails = async (line: string): Promise<readonly [number, string]> => {
    const { code, err } = await cli.run(line.split(' '));
    return [code, err];
  };
  const stored = async (id: string): Promise<unknown> => (await cli.store.find('plan', id))?.resource ?? null;

  it('make one, change it, and delete it', async () => {
    assert.equal(
      await done(setGold),
      `+ plan gold
    consumerSelector: { tier: gold }
    limits: [{ requests: 5000000, unit: month }, { requests: 50, unit: second }]
Plan gold created.
`,
    );
    assert.deepEqual(await stored('gold'), plan({ limits: [month, second] }));
    assert.equal(
      await done('plan set gold --priority 20 --endpoint orders --endpoint keyed'),
      '~ plan gold\n    endpoints: (none) → [orders, keyed]\n    priority: (none) → 20\nPlan gold changed.\n',
    );
    const byIds = plan({ limits: [month, second], endpointIds: ['orders', 'keyed'], priority: 20 });
    assert.deepEqual(await stored('gold'), byIds);
    await done('plan set gold --endpoint-label team=sales --unset priority');
    assert.deepEqual(await stored('gold'), plan({ limits: [month, second], endpointSelector: { team: 'sales' } }));
    await done('plan set gold --unset label --unset endpoint-label --limit 7/day');
    assert.deepEqual(await stored('gold'), plan({ consumerSelector: {}, limits: [{ requests: 7, unit: 'day' }] }));
    assert.equal(await done('plan set gold --limit 7/day'), 'Plan gold is so already.\n');
    assert.match(await done('plan delete gold --yes'), /^- plan gold\n(?:.*\n)*Plan gold deleted\.\n$/);
    assert.equal(await stored('gold'), null);
  });

  it('refuse what is taken, missing or of another revision', async () => {
    await done(setGold);
    assert.deepEqual(await fails('plan create gold --limit 1/day'), [
      4,
      'postern plan create: the plan "gold" already exists; change it with "postern plan set gold"\n',
    ]);
    assert.deepEqual(await fails('plan create silver --limit 1/day'), [
      4,
      'postern plan create: the plan "gold" has priority 0 already; give this one another with --priority, such as 10 to count before all of them\n',
    ]);
    assert.deepEqual(await fails('plan set silver --priority 3'), [2, 'postern plan set: --limit is missing\n']);
    assert.deepEqual(await fails('plan create silver'), [2, 'postern plan create: no change is given; see --help\n']);
    assert.match((await fails('plan set gold --limit 1/day/consumer --limit 1/week'))[1], /The form is REQUESTS\/UNIT/);
    assert.match((await fails('plan set gold --endpoint orders --endpoint-label a=b'))[1], /cannot be used with/);
    assert.equal((await fails('plan set gold --limit 1/day --revision 7'))[0], 4);
    assert.deepEqual((await fails('plan show gould'))[0], 3);
    assert.equal((await fails('plan set gold --endpoint nowhere'))[0], 4);
    assert.equal((await fails('plan delete gould --yes'))[0], 3);
  });

  it('say that limits of an hour or longer need the service', async () => {
    const { err } = await cli.run(setGold.split(' '));
    assert.match(err, /^note: limits of an hour or longer begin anew .* \(plan gold\): start one with/);
  });

  it('that list an endpoint are named where it would be deleted, in a dry run and before a question too', async () => {
    await done(setGold);
    const why = (plans: string): string => `postern endpoint delete: the ${plans} first. Nothing was changed\n`;
    await done('plan set gold --endpoint orders');
    const one = why('plan "gold" lists the endpoint "orders"; take it out of the plan');
    for (const flags of ['', ' --yes', ' --dry-run'])
      assert.deepEqual(await fails(`endpoint delete orders${flags}`), [4, one]);
    await done('plan create bulk --priority 9 --endpoint keyed --endpoint orders --limit 7/day');
    const both = why('plans "bulk", "gold" list the endpoint "orders"; take it out of the plans');
    assert.deepEqual(await fails('endpoint delete orders --dry-run'), [4, both]);
    await done('plan delete bulk --yes');
    await done('plan set gold --unset endpoint');
    assert.match(await done('endpoint delete orders --dry-run'), /Nothing was changed \(--dry-run\)/);
  });

  it('list plans, the one that counts first at the top', async () => {
    await done(setGold);
    await done('plan create any --priority -1 --endpoint orders --limit 3/hour');
    assert.equal(
      await done('plan list'),
      `ID    PRIORITY  CONSUMERS  ENDPOINTS  LIMITS
gold  0         tier=gold  all        5000000/month, 50/second
any   -1        all        orders     3/hour
`,
    );
    const [first] = JSON.parse(await done('plan list -o json')) as Record<string, unknown>[];
    assert.deepEqual([first?.['id'], first?.['limits'], first?.['revision']], ['gold', [month, second], 1]);
  });

  it('show a plan with what was used of it, and usage shows it of a consumer', async () => {
    await done('plan set gold --label tier=gold --limit 10/month --limit 4/day --limit 9/second');
    await done('plan create any --priority -1 --limit 3/hour');
    const count = (endpoint: string, id: string, code: string, times: number, secondsAgo = 0): void => {
      for (let at = 0; at < times; at += 1) cli.traffic.count(endpoint, id, code, nowSeconds - secondsAgo);
    };
    count('orders', 'acme', 'ALLOWED', 3, 2 * DAY);
    count('orders', 'acme', 'ALLOWED', 9, 40 * DAY);
    count('keyed', 'acme', 'ALLOWED', 2);
    count('keyed', 'acme', 'RATE_LIMITED', 8);
    count('keyed', 'globex', 'ALLOWED', 3);
    count('orders', 'gone', 'ALLOWED', 3);
    const shown = await done('plan show gold');
    assert.match(shown, /^plan gold\n {2}consumers {2}tier=gold\n {2}endpoints {2}all\n {2}limits {5}10\/month\n/);
    assert.match(
      shown,
      /\nused\n {2}PLAN {2}CONSUMER {2}LIMIT {5}USED {6}BEGINS ANEW\n {2}gold {2}acme {6}10\/month {2}5 \(50 %\) {2}.*\n {2}gold {2}acme {6}4\/day {5}2 \(50 %\) {2}.*\n$/,
    );
    const { use } = JSON.parse(await done('plan show any -o json')) as { use: unknown };
    assert.deepEqual(use, [
      { plan: 'any', consumer: 'globex', requests: 3, unit: 'hour', used: 3, until: '2026-09-21T15:00:00Z' },
    ]);
    assert.match(
      await done('usage --consumer globex'),
      /\nused of plans\n.*\n {2}any {3}globex {4}3\/hour {2}3 \(100 %\)/,
    );
    const { plans } = JSON.parse(await done('usage --consumer acme -o json')) as { plans: unknown[] };
    assert.equal(plans.length, 2);
    assert.doesNotMatch(await done('usage'), /used of plans/);
  });

  it('are named by may and who-may, beside the limits of endpoint and grant', async () => {
    await done('credential issue --consumer acme --method key --id acme-key');
    await done(setGold);
    const may = await done('may acme keyed');
    assert.match(
      may,
      /^yes: acme may call keyed .*, 100\/minute\/consumer and 5000000\/month, 50\/second by the plan gold\.\n/,
    );
    const { plan: named } = JSON.parse(await done('may acme keyed -o json')) as { plan: unknown };
    assert.deepEqual(named, { id: 'gold', limits: [month, second] });
    const { out } = await cli.run(['who-may', 'keyed']);
    assert.match(out, /^CONSUMER {2}BY +LIMITS +PLAN +UNTIL\nacme +.*100\/minute\/consumer +gold /);
    await done('plan set gold --label tier=silver');
    assert.doesNotMatch(await done('may acme keyed'), /plan/);
  });

  it('are told to partners', async () => {
    await done('credential issue --consumer acme --method key --id acme-key');
    await done('plan set gold --label tier=gold --limit 5000/month');
    const page = await done('handover --credential acme-key --url https://api.example.com');
    assert.match(page, /100 requests a minute; 5.000 requests a month over all APIs of your plan together/);
    assert.match(page, /`RATE_LIMITED`/);
    const data = JSON.parse(await done('handover --credential acme-key --url https://api.example.com -o json')) as {
      readonly endpoints: readonly { readonly planLimits: unknown }[];
    };
    assert.deepEqual(data.endpoints[0]?.planLimits, [{ requests: 5000, unit: 'month' }]);
  });

  it('have the refusals that they caused explained, with the command that raises the limit', async () => {
    await done('credential issue --consumer acme --method key --id acme-key');
    await done('plan set gold --label tier=gold --limit 5/day --limit 50/second');
    cli.refusals.add({
      id: '0'.repeat(24),
      leftOut: 0,
      atMs: nowSeconds * 1000,
      requestId: 'baac2dab-20a4-46e5-ae98-41a4cbf83ec1',
      code: 'RATE_LIMITED',
      detail: 'over 5/day/plan (gold)',
      consumerId: 'acme',
      credentialId: 'acme-key',
      endpointId: 'keyed',
      method: 'GET',
      path: '/keyed',
      isObserved: false,
      sourceAddress: null,
      stringToSign: null,
    });
    const { out } = await cli.run(['explain', '--request-id', 'baac2dab-20a4-46e5-ae98-41a4cbf83ec1']);
    assert.match(out, /\$ postern plan set gold --limit 10\/day --limit 50\/second/);
  });

  it('go into a document, and come out of one', async () => {
    await done(setGold);
    const text = await done('export');
    assert.match(text, /\nplans:\n {2}- id: gold\n {4}consumerSelector:\n {6}tier: gold\n {4}limits: \[/);
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'plans.yaml');
    writeFileSync(path, text.replace('requests: 50,', 'requests: 60,'));
    assert.match((await cli.run(['diff', '-f', path])).out, /~ plan gold\n {4}limits:/);
    assert.match(await done(`apply -f ${path} --yes`), /~ plan gold/);
    assert.deepEqual(await stored('gold'), plan({ limits: [month, { requests: 60, unit: 'second' }] }));
    assert.match(await done(`validate -f ${path} --without-secrets`), /, 1 plan\n$/);
  });

  it('are in the audit trail, and undone by it', async () => {
    await done(setGold);
    await done('plan set gold --limit 7/day');
    assert.match(
      await done('audit list --resource plan/gold'),
      /plan set {2}plan\/gold {2}limits\n.*plan set {2}plan\/gold {2}created\n/s,
    );
    const events = JSON.parse(await done('audit list --resource plan/gold -o json')) as { event: string }[];
    await done(`audit revert ${events[0]?.event ?? ''} --yes`);
    assert.deepEqual(await stored('gold'), plan({ limits: [month, second] }));
    await done(`audit revert ${events[1]?.event ?? ''} --yes`).catch((error: unknown) => {
      assert.match(String(error), /changed|since/);
    });
  });
});

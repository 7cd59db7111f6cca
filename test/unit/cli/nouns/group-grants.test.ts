import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { groupGrant } from '../../../support/pipeline/resources.ts';
import { runCli } from '../run-cli.ts';
import { memoryCli, type MemoryCli, nowSeconds } from './memory-cli.ts';
import { prepare } from './resources.ts';

const day = 86_400;
const perMinute = (requests: number): object => ({ requests, unit: 'minute', per: 'consumer' });
const addGold = 'grant add --endpoint invoices --label tier=gold --priority 10 --limit 1000/minute';

describe('commands for grants of groups', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
    await cli.done(...'credential issue --consumer acme --method hmac --id acme-hmac'.split(' '));
  });

  const done = async (line: string): Promise<string> => await cli.done(...line.split(' '));
  const fails = async (line: string): Promise<readonly [number, string]> => {
    const { code, err } = await cli.run(line.split(' '));
    return [code, err];
  };
  const grant = async (id: string): Promise<unknown> => (await cli.store.find('grant', id))?.resource ?? null;

  it('add one, and change its priority and limits', async () => {
    const gold = groupGrant({ endpointId: 'invoices', priority: 10 });
    assert.match(
      await done(addGold),
      /^\+ grant invoices\/tier=gold\n {4}priority: 10\n {4}limits: .*\nconsumers with tier=gold authorised on invoices\.\n$/,
    );
    assert.deepEqual(await grant('invoices/tier=gold'), { ...gold, limits: [perMinute(1000)] });
    const edited = await done('grant add --endpoint invoices --label tier=gold --priority -3 --expires 1d');
    assert.match(
      edited,
      /^~ grant invoices\/tier=gold\n {4}priority:\n {6}- 10\n {6}\+ -3\n|^~ .*\n {4}priority: 10 → -3/,
    );
    await done('limit set 7/minute --endpoint invoices --label tier=gold');
    const expiresAt = nowSeconds + day;
    assert.deepEqual(await grant('invoices/tier=gold'), { ...gold, priority: -3, limits: [perMinute(7)], expiresAt });
    assert.match(
      await done('limit clear --endpoint invoices --label tier=gold'),
      /The limits of invoices hold for consumers with tier=gold again\.\n$/,
    );
    assert.deepEqual(await grant('invoices/tier=gold'), { ...gold, priority: -3, expiresAt });
  });

  it('keep grants for other labels apart, in whatever order the labels are given', async () => {
    await done('grant add --endpoint invoices --label tier=gold --label region=eu');
    const again = await done('grant add --endpoint invoices --label region=eu --label tier=gold');
    assert.equal(again, 'consumers with region=eu tier=gold authorised on invoices already.\n');
    const out = await done('grant remove --endpoint invoices --label tier=gold --label region=eu');
    assert.match(out, /^- grant invoices\/region=eu,tier=gold\n/);
    assert.equal(await grant('invoices/region=eu,tier=gold'), null);
  });

  it('refuse a priority that is taken, and name a free one', async () => {
    await done(addGold);
    const silver = 'grant add --endpoint invoices --label tier=silver';
    const taken =
      'postern grant add: the grant for tier=gold on invoices has priority 10 already; give this one another with --priority, such as 20 to count before all of them\n';
    assert.deepEqual(await fails(`${silver} --priority 10`), [4, taken]);
    await done(silver);
    assert.deepEqual((await fails(`${silver} --priority 10`))[0], 4);
  });

  it('need one consumer or labels, and no priority for a consumer', async () => {
    const add = 'grant add --endpoint invoices';
    assert.deepEqual(await fails(add), [
      2,
      'postern grant add: --consumer or --label is missing: for whom is the grant?\n',
    ]);
    assert.match((await fails(`${add} --label a=b --consumer acme`))[1], /cannot be used with option/);
    assert.match((await fails(`${add} --consumer acme --priority 1`))[1], /--priority is for --label/);
    assert.match((await fails(`${add} --label a=b --priority 1.5`))[1], /It must be a whole number\./);
    const range = await fails(`${add} --label a=b --priority 99999999`);
    assert.deepEqual(range, [
      2,
      'postern grant add: --priority: "priority" must be a whole number from -1000000 to 1000000\n',
    ]);
    assert.deepEqual(await fails('grant remove --endpoint invoices --label tier=bronze'), [
      3,
      'postern grant remove: there is no grant "invoices/tier=bronze"\n',
    ]);
  });

  it('list them, by their labels too', async () => {
    await done(addGold);
    assert.equal(
      await done('grant list --endpoint invoices'),
      [
        'ENDPOINT  CONSUMER                 LIMITS           ENDS',
        'invoices  acme                     as the endpoint  never',
        'invoices  tier=gold (priority 10)  1000/minute      never',
        '',
      ].join('\n'),
    );
    const [first, ...others] = JSON.parse(await done('grant list --label tier=gold -o json')) as Record<
      string,
      unknown
    >[];
    assert.deepEqual(others, []);
    assert.deepEqual([first?.['consumerSelector'], first?.['priority']], [{ tier: 'gold' }, 10]);
    assert.deepEqual(JSON.parse(await done('grant list --consumer globex -o json')), []);
    assert.match((await fails('grant list --label tier=gol'))[1], /There is no such grant/);
  });

  it('show which counts for a consumer', async () => {
    await done(addGold);
    for (const labels of ['tier=gold', 'tier=silver --priority 1']) {
      assert.equal((await fails(`grant add --endpoint orders --label ${labels}`))[0], 0);
    }
    assert.match(
      await done('consumer show acme'),
      new RegExp(
        [
          'grants',
          ' *ENDPOINT  FOR                      LIMITS           ENDS   COUNTS',
          ' *invoices  acme                     as the endpoint  never  yes',
          ' *invoices  tier=gold \\(priority 10\\)  1000/minute      never  no: the own grant counts before it',
          ' *orders    tier=gold \\(priority 0\\)   as the endpoint  never  yes',
          '$',
        ].join('\n'),
      ),
    );
    const { out } = await cli.run(['consumer', 'show', 'acme'], { columns: 80, environment: { NO_COLOR: '1' } });
    for (const line of out.split('\n')) assert.ok(line.length <= 80, line);
    assert.match(out, /^ *invoices {2}tier=gold.* no: the own/m);
    const { grants } = JSON.parse(await done('consumer show acme -o json')) as { grants: { inEffect: boolean }[] };
    assert.deepEqual(
      grants.map(({ inEffect }) => inEffect),
      [true, false, true],
    );
    const endpoint = await done('endpoint show invoices');
    assert.match(endpoint, /authorised +1 consumer: acme\n +all with tier=gold \(priority 10\)\n +who may call it/);
  });

  it('delete those of an endpoint with it, and none with a consumer', async () => {
    await done(addGold);
    await done('consumer delete acme --yes');
    assert.notEqual(await grant('invoices/tier=gold'), null);
    assert.match(await done('endpoint delete invoices --yes'), /Endpoint invoices and 1 grant on it deleted\.\n$/);
    assert.equal(await grant('invoices/tier=gold'), null);
  });

  it('find its changes in the audit trail', async () => {
    await done('grant add --endpoint invoices --label tier=gold --label region=eu');
    const [event] = JSON.parse(
      await done('audit list --resource grant/invoices/region=eu,tier=gold -o json'),
    ) as Record<string, unknown>[];
    assert.deepEqual([event?.['id'], event?.['before']], ['invoices/region=eu,tier=gold', null]);
    assert.match((await fails('audit list --resource grant/invoices/tier=gold,region=eu'))[1], /in the order of their/);
  });

  it('export it, and take it again', async () => {
    await done(addGold);
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'export.yaml');
    const text = await done('export');
    assert.match(text, / {2}- \{ endpoint: invoices, consumerSelector: \{ tier: gold \}, priority: 10, limits: /);
    writeFileSync(path, text);
    assert.equal((await cli.run(['diff', '-f', path, '--prune'])).code, 0);
    writeFileSync(path, text.replace('tier: gold }, priority: 10', 'tier: gold }, priority: 11'));
    const edited = await cli.run(['diff', '-f', path]);
    assert.equal(edited.code, 1);
    assert.match(edited.out, /~ grant invoices\/tier=gold\n {4}priority: /);
    writeFileSync(path, text.replace('consumerSelector: { tier: gold }', 'consumerSelector: { tier: silver }'));
    const taken = await cli.run(['apply', '-f', path, '--yes']);
    assert.equal(taken.code, 1);
    assert.match(
      `${taken.out}${taken.err}`,
      /the grant for tier=gold on invoices in the store has this priority already; take another one/,
    );
    assert.equal((await cli.run(['apply', '-f', path, '--prune', '--yes'])).code, 0);
    assert.equal(await grant('invoices/tier=gold'), null);
    assert.notEqual(await grant('invoices/tier=silver'), null);
  });
});

describe('postern may', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
    await cli.done(...'credential issue --consumer acme --method hmac --id acme-hmac'.split(' '));
  });

  const done = async (line: string): Promise<string> => await cli.done(...line.split(' '));
  const may = async (consumer: string, endpoint: string): Promise<readonly [number, string]> => {
    const { code, out } = await cli.run(['may', consumer, endpoint]);
    return [code, out];
  };

  it('says yes by the own grant', async () => {
    const [code, out] = await may('acme', 'invoices');
    assert.equal(code, 0);
    assert.match(
      out,
      /^yes: acme may call invoices by its own grant, without limits\.\n {2}With acme-hmac\.\n\ngrants on/,
    );
  });

  it('says yes by a group, what follows, and which grants lost', async () => {
    await done(`${addGold} --expires 7d`);
    await done('grant add --endpoint invoices --label region=eu --priority 20');
    await done('grant add --endpoint invoices --consumer acme --expires 1d');
    cli.setNow(nowSeconds + 2 * day);
    const [code, out] = await may('acme', 'invoices');
    assert.equal(code, 0);
    assert.equal(
      out,
      [
        'yes: acme may call invoices by the grant for tier=gold (priority 10), 1000/minute/consumer, until 2026-09-28 14:13:20 UTC (in 5 days).',
        '  After that: no, as acme has no grant that is live on invoices.',
        '  With acme-hmac.',
        '',
        'grants on invoices',
        '  FOR                      LIMITS           ENDS        COUNTS',
        '  acme                     as the endpoint  24 hours ago  no: ended 24 hours ago',
        '  region=eu (priority 20)  as the endpoint  never       no: it lacks region=eu',
        '  tier=gold (priority 10)  1000/minute      in 5 days   yes',
        '',
      ]
        .join('\n')
        .replace('ENDS        COUNTS', 'ENDS          COUNTS')
        .replace('never       no', 'never         no')
        .replace('in 5 days   yes', 'in 5 days     yes'),
    );
  });

  it('says yes on open endpoints, and where every authenticated consumer gets in', async () => {
    await done('endpoint create status --path /status --scenario open');
    assert.deepEqual(await may('globex', 'status'), [
      0,
      'yes: globex may call status as every caller may, without credentials, without limits.\n',
    ]);
    assert.match((await may('acme', 'orders'))[1], /^yes: acme may call orders as every authenticated consumer may/);
  });

  it('says no with everything that stands in the way, and what to do', async () => {
    await done('consumer disable globex');
    await done('endpoint disable invoices');
    assert.deepEqual(await may('globex', 'invoices'), [
      1,
      [
        'no: globex may not call invoices:',
        '  - the endpoint invoices is disabled: it refuses every request with 404',
        '    $ postern endpoint enable invoices',
        '  - the consumer globex is disabled',
        '    $ postern consumer enable globex',
        '  - globex has no grant on invoices',
        '    $ postern grant add --endpoint invoices --consumer globex',
        '  - globex has no credential for hmac',
        '    $ postern credential issue --consumer globex --method hmac',
        '',
      ].join('\n'),
    ]);
  });

  it('judges the address that a consumer calls from, by its list and by those of its credentials', async () => {
    await done('consumer edit acme --allow-from 203.0.113.0/24 --allow-from 2001:db8::/32');
    await done('credential edit acme-hmac --allow-from 203.0.113.7');
    await done('credential issue --consumer acme --method key --id acme-another --allow-from 10.0.0.1');
    await done('credential issue --consumer acme --method hmac --id acme-gone --allow-from 10.0.0.1');
    await done('credential revoke acme-gone --yes');
    const [code, out] = await may('acme', 'orders');
    assert.equal(code, 0);
    assert.match(
      out,
      /\n {2}From 203\.0\.113\.0\/24, 2001:db8::\/32 only\.\n {2}With acme-hmac \(from 203\.0\.113\.7\)\.\n/,
    );
    const from = async (address: string, endpoint = 'orders'): Promise<readonly [number, string]> => {
      const answer = await cli.run(['may', 'acme', endpoint, '--from', address]);
      return [answer.code, answer.out];
    };
    assert.match((await from('::ffff:203.0.113.7'))[1], /^yes: [^]*\n {2}With acme-hmac\.\n/);
    assert.deepEqual(await from('198.51.100.1'), [
      1,
      [
        'no: acme may not call orders:',
        '  - the consumer acme may not call from this address',
        '    $ postern consumer edit acme --allow-from 203.0.113.0/24 --allow-from 2001:db8::/32 --allow-from 198.51.100.1',
        '',
      ].join('\n'),
    ]);
    const [, elsewhere] = await from('2001:DB8::1');
    assert.match(elsewhere, /- the credential acme-hmac may not be used from this address\n/);
    assert.match(
      elsewhere,
      /\$ postern credential edit acme-hmac --allow-from 203\.0\.113\.7 --allow-from 2001:db8::1\n/,
    );
    await done('credential edit acme-hmac --allow-from 198.51.100.7');
    assert.match(
      (await may('acme', 'orders'))[1],
      /- no address is in the allowFrom of the consumer acme and of the cred/,
    );
    const wrong = await cli.run(['may', 'acme', 'orders', '--from', '10.0.0.0/8']);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /It must be an IPv4 or IPv6 address/);
    await done('endpoint create status --path /status --scenario open');
    assert.match((await from('198.51.100.1', 'status'))[1], /^yes: [^]*An open endpoint looks at no address\./);
  });

  it('says no when grant and credentials have ended', async () => {
    await done('grant add --endpoint invoices --consumer acme --expires 1d');
    await done('credential revoke acme-hmac --yes');
    cli.setNow(nowSeconds + 2 * day);
    const [code, out] = await may('acme', 'invoices');
    assert.equal(code, 1);
    assert.match(out, /- acme has no grant that is live on invoices\n.*--expires never\n/);
    assert.match(out, /- acme has no credential for hmac that works: the credential acme-hmac is revoked\n/);
  });

  it('says the same to programs', async () => {
    await done('grant remove --endpoint invoices --consumer acme');
    await done(addGold);
    const yes = JSON.parse(await done('may acme invoices -o json')) as object;
    const consumerSelector = { tier: 'gold' };
    const gold = { endpoint: 'invoices', consumerSelector, priority: 10, limits: [perMinute(1000)] };
    assert.deepEqual(yes, {
      ...{ consumer: 'acme', endpoint: 'invoices', allowed: true, by: 'grant', grant: gold },
      ...{ limits: [perMinute(1000)], obstacles: [], credentials: ['acme-hmac'] },
      grants: [{ ...gold, outcome: 'in-effect', counts: 'yes' }],
    });
    const { code, out } = await cli.run('may globex invoices -o json'.split(' '));
    assert.equal(code, 1);
    const no = JSON.parse(out) as { readonly by: unknown; readonly obstacles: readonly { readonly code: string }[] };
    assert.equal(no.by, null);
    assert.deepEqual(
      no.obstacles.map((obstacle) => obstacle.code),
      ['no-grant', 'no-credential'],
    );
  });

  it('names what there is not', async () => {
    const { code, err } = await cli.run(['may', 'acne', 'invoices']);
    assert.deepEqual([code, err], [3, 'postern may: there is no consumer "acne"; did you mean "acme"?\n']);
    assert.equal((await cli.run(['may', 'acme', 'invoice'])).code, 3);
  });
});

describe('postern who-may', () => {
  it('lists who may call, by which grant, with which limits and until when', async () => {
    const cli = await memoryCli();
    await prepare(cli);
    const done = async (line: string): Promise<string> => await cli.done(...line.split(' '));
    for (const id of ['acme', 'globex']) await done(`credential issue --consumer ${id} --method hmac --expires 30d`);
    await done('consumer create initech --label tier=gold');
    await done('consumer create hooli --label tier=gold --disabled');
    assert.equal(
      await done('who-may invoices'),
      ['CONSUMER  BY         LIMITS  UNTIL', 'acme      own grant  -       in 30 days', ''].join('\n'),
    );
    await done(addGold);
    await done('consumer edit globex --label tier=gold');
    const { code, out, err } = await cli.run(['who-may', 'invoices']);
    assert.equal(code, 0);
    assert.equal(
      out,
      [
        'CONSUMER  BY                       LIMITS                UNTIL',
        'acme      own grant                -                     in 30 days',
        'globex    tier=gold (priority 10)  1000/minute/consumer  in 30 days',
        '',
      ].join('\n'),
    );
    assert.equal(err, 'note: left out, with no credential for hmac that works: 1 consumer who would be let in\n');
    const first = await cli.run('who-may invoices -o json --limit 1'.split(' '));
    assert.equal(first.err, 'note: 1 more consumer may call it, 2 in all\n');
    const [own, ...others] = JSON.parse(first.out) as object[];
    assert.deepEqual(others, []);
    assert.deepEqual(own, {
      ...{ consumer: 'acme', allowed: true, by: 'grant', grant: { endpoint: 'invoices', consumer: 'acme' } },
      ...{ limits: [], until: '2026-10-21T14:13:20Z' },
    });
  });

  it('says where every caller or none gets in', async () => {
    const cli = await memoryCli();
    await prepare(cli);
    await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac');
    const open = await cli.run(['who-may', 'orders']);
    assert.match(open.err, /^note: orders lets in every authenticated consumer, with or without a grant\n/);
    assert.match(open.out, /\nacme +authenticated +- +-\n$/);
    await cli.done('endpoint', 'disable', 'orders');
    const disabled = await cli.run(['who-may', 'orders']);
    assert.equal(disabled.err, 'note: orders is disabled: it refuses every request\nNo consumer may call it.\n');
    await cli.done('endpoint', 'create', 'status', '--path', '/status', '--scenario', 'open');
    const { err } = await cli.run(['who-may', 'status']);
    assert.equal(err, 'note: status is open: it lets in every caller, without credentials\nNo consumer is needed.\n');
  });

  it('reads page by page: what is not let in by a grant is not read, and nothing is kept', async () => {
    const consumers = Array.from({ length: 3000 }, (_, at) => ({
      ...{ id: `partner-${String(at).padStart(4, '0')}`, name: null, description: '', enabled: true, allowFrom: null },
      ...{ email: null, team: null },
      labels: { tier: at % 3 === 0 ? 'gold' : 'silver' },
    }));
    const cli = await memoryCli({ consumers });
    const done = async (line: string): Promise<string> => await cli.done(...line.split(' '));
    await done('endpoint create orders --path /o --authentication key --access-condition authenticated-and-authorized');
    await done('credential issue --consumer partner-0003 --method key');
    await done('grant add --endpoint orders --consumer partner-0003');
    const before = cli.store.read.consumer;
    assert.match(await done('who-may orders'), /\npartner-0003 {2}own grant/);
    assert.equal(cli.store.read.consumer - before, 1);
    await done('grant add --endpoint orders --label tier=gold');
    const two = await cli.run(['who-may', 'orders', '--limit', '1']);
    assert.match(two.err, /: 999 consumers who would be let in\n$/);
    const all = await cli.run(['who-may', 'orders']);
    assert.match(all.err, /: 999 consumers who would be let in\n$/);
  });

  it('answers for a declarative file, too', async () => {
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'postern.yaml');
    writeFileSync(
      path,
      `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: / }] }, authentication: key, accessCondition: authenticated-and-authorized }
consumers:
  - { id: acme, labels: { tier: gold }, credentials: [{ method: key, appKey: a-key-of-acme }] }
  - { id: globex, credentials: [{ method: key, appKey: a-key-of-globex }] }
grants: [{ endpoint: orders, consumerSelector: { tier: gold } }]
`,
    );
    const environment = { POSTERN_STORE: `file:${path}` };
    assert.match((await runCli(['who-may', 'orders'], environment)).out, /\nacme +tier=gold \(priority 0\) +- +-\n$/);
    assert.equal((await runCli(['may', 'acme', 'orders'], environment)).code, 0);
    assert.equal((await runCli(['may', 'globex', 'orders'], environment)).code, 1);
  });
});

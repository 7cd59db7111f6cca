import assert from 'node:assert/strict';
import { memoryCli, type MemoryCli, nowSeconds } from './memory-cli.ts';
import { prepare } from './resources.ts';

const day = 86_400;
const perMinute = (requests: number): object => ({ requests, unit: 'minute', per: 'consumer' });

describe('postern grant', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  async function grant(id: string): Promise<unknown> {
    return (await cli.store.find('grant', id))?.resource ?? null;
  }

  it('is added for one consumer or several, with limits and an end', async () => {
    const out = await cli.done(
      ...['grant', 'add', '--endpoint', 'invoices', '--consumer', 'globex', '--consumer', 'acme'],
      ...['--limit', '1000/minute', '--expires', '90d'],
    );
    const own = { limits: [perMinute(1000)], expiresAt: nowSeconds + 90 * day };
    assert.deepEqual(await grant('invoices/globex'), { endpointId: 'invoices', consumerId: 'globex', ...own });
    assert.deepEqual(await grant('invoices/acme'), { endpointId: 'invoices', consumerId: 'acme', ...own });
    assert.match(
      out,
      /^\+ grant invoices\/globex\n[^]*~ grant invoices\/acme\n[^]*globex, acme authorised on invoices\.\n$/,
    );
  });

  it('changes as given when it is there already', async () => {
    const add = ['grant', 'add', '--endpoint', 'invoices', '--consumer', 'acme'];
    assert.equal(await cli.done(...add), 'acme authorised on invoices already.\n');
    await cli.done(...add, '--no-limits', '--expires', '1d');
    await cli.done(...add, '--expires', 'never');
    assert.deepEqual(await grant('invoices/acme'), {
      endpointId: 'invoices',
      consumerId: 'acme',
      limits: [],
      expiresAt: null,
    });
    const both = await cli.run([...add, '--no-limits', '--limit', '1/minute']);
    assert.equal(both.code, 2);
    assert.match(both.err, /option '--limit <limit>' cannot be used with option '--no-limits'/);
    const twice = await cli.run([...add, '--limit', '1/minute', '--limit', '2/minute']);
    assert.equal(twice.code, 2);
    assert.match(twice.err, /--limit: a limit per consumer and minute is on limits\[0\] already/);
  });

  it('says that a restart cuts long limits short, where they are set', async () => {
    const add = ['grant', 'add', '--endpoint', 'invoices', '--consumer', 'acme', '--limit'];
    const note =
      /^note: limits of an hour or longer begin anew at each restart, .*\(grant of acme on invoices\): start one with "deploy\/ratelimit\/start"/m;
    assert.match((await cli.run([...add, '5000/month'])).err, note);
    const already = await cli.run([...add, '5000/month']);
    assert.doesNotMatch(already.err, /begin anew/, 'nothing was set');
    assert.doesNotMatch((await cli.run([...add, '5/minute'])).err, /begin anew/);
    const ofEndpoint = await cli.run(['limit', 'set', '9/hour/endpoint', '--endpoint', 'orders']);
    assert.match(ofEndpoint.err, /begin anew at each restart, .*\(endpoint orders\)/);
  });

  it('says what to do about a flag with several values', async () => {
    const { code, err } = await cli.run([
      ...['grant', 'add', '--endpoint', 'invoices', '--limit', '5/minute', '5000/month', '--consumer', 'acme'],
    ]);
    assert.equal(code, 2);
    assert.match(err, /too many arguments/);
    assert.match(err, /\nWrite a flag again for each of its values: --limit 5\/minute --limit 5000\/month\n$/);
    const other = await cli.run(['consumer', 'list', 'acme']);
    assert.equal(other.code, 2);
    assert.doesNotMatch(other.err, /Write a flag/);
  });

  it('says that nobody carries the label that it is for', async () => {
    const add = ['grant', 'add', '--endpoint', 'invoices', '--label'];
    const gone = await cli.run([...add, 'tier=glod', '--priority', '1']);
    assert.equal(gone.code, 0);
    assert.match(gone.err, /^note: no consumer carries tier=glod now: the grant is for nobody until one does/);
    assert.equal((await cli.run([...add, 'tier=gold', '--priority', '2'])).err, '');
  });

  it('says when it is worth less than it seems', async () => {
    const { code, err } = await cli.run(['grant', 'add', '--endpoint', 'orders', '--consumer', 'acme']);
    assert.equal(code, 0);
    assert.match(err, /^note: orders lets in every authenticated consumer/);
    await cli.done('endpoint', 'create', 'status', '--path', '/status', '--scenario', 'open');
    const open = await cli.run(['grant', 'add', '--endpoint', 'status', '--consumer', 'acme']);
    assert.match(open.err, /^note: status is open/);
  });

  it('is removed, and names the part that does not exist', async () => {
    const cases: readonly (readonly [string, string, string])[] = [
      ['invoice', 'acme', 'there is no endpoint "invoice"; did you mean "invoices"?'],
      ['invoices', 'acne', 'there is no consumer "acne"; did you mean "acme"?'],
      ['invoices', 'globex', 'there is no grant "invoices/globex"'],
    ];
    for (const [endpoint, consumer, message] of cases) {
      const { code, err } = await cli.run(['grant', 'remove', '--endpoint', endpoint, '--consumer', consumer]);
      assert.deepEqual([code, err.startsWith(`postern grant remove: ${message}`)], [3, true], err);
    }
    const out = await cli.done('grant', 'remove', '--endpoint', 'invoices', '--consumer', 'acme');
    assert.equal(out, '- grant invoices/acme\nacme no longer authorised on invoices.\n');
    assert.equal(await grant('invoices/acme'), null);
  });

  it('is listed by when it ends', async () => {
    const none = await cli.run(['grant', 'list', '--expiring', '30d']);
    assert.deepEqual(none, { code: 0, out: '', err: 'No grant ends within this time.\n' });
    await cli.run(['grant', 'add', '--endpoint', 'orders', '--consumer', 'acme', '--expires', '1h']);
    await cli.run(['grant', 'add', '--endpoint', 'invoices', '--consumer', 'globex', '--expires', '29d']);
    await cli.run(['grant', 'add', '--endpoint', 'invoices', '--consumer', 'acme', '--expires', '31d']);
    cli.setNow(nowSeconds + 7200);
    assert.equal(
      await cli.done('grant', 'list', '--expiring', '30d'),
      'ENDPOINT  CONSUMER  LIMITS           ENDS\ninvoices  globex    as the endpoint  in 29 days\n',
    );
  });

  it('is listed by endpoint and consumer', async () => {
    await cli.run([
      'grant',
      'add',
      '--endpoint',
      'orders',
      '--consumer',
      'acme',
      '--limit',
      '7/day',
      '--expires',
      '1h',
    ]);
    await cli.done('grant', 'add', '--endpoint', 'invoices', '--consumer', 'globex', '--no-limits');
    cli.setNow(nowSeconds + 7200);
    assert.equal(
      await cli.done('grant', 'list'),
      [
        'ENDPOINT  CONSUMER  LIMITS           ENDS',
        'invoices  acme      as the endpoint  never',
        'invoices  globex    none             never',
        'orders    acme      7/day            ended 60 minutes ago',
        '',
      ].join('\n'),
    );
    const pairs = async (...flags: readonly string[]): Promise<number> =>
      (JSON.parse(await cli.done('grant', 'list', '-o', 'json', ...flags)) as unknown[]).length;
    assert.equal(await pairs('--endpoint', 'invoices'), 2);
    assert.equal(await pairs('--consumer', 'acme'), 2);
    assert.equal(await pairs('--consumer', 'acme', '--endpoint', 'orders'), 1);
    assert.equal(await pairs('--limit', '1'), 1);
    assert.equal((await cli.run(['grant', 'list', '--consumer', 'acne'])).code, 3);
  });
});

describe('postern limit', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  it('is set and cleared on an endpoint', async () => {
    const limits = async (): Promise<unknown> => (await cli.store.find('endpoint', 'keyed'))?.resource.limits;
    await cli.done('limit', 'set', '5/second/consumer', '9/day/endpoint', '--endpoint', 'keyed');
    assert.deepEqual(await limits(), [
      { requests: 5, unit: 'second', per: 'consumer' },
      { requests: 9, unit: 'day', per: 'endpoint' },
    ]);
    assert.match(await cli.done('limit', 'clear', '--endpoint', 'keyed'), /keyed has no limits any more\.\n$/);
    assert.deepEqual(await limits(), []);
    assert.equal(await cli.done('limit', 'clear', '--endpoint', 'keyed'), 'keyed has no limits.\n');
  });

  it('is set and cleared for one consumer', async () => {
    const limits = async (): Promise<unknown> => (await cli.store.find('grant', 'invoices/acme'))?.resource.limits;
    await cli.done('limit', 'set', '5/minute', '--endpoint', 'invoices', '--consumer', 'acme');
    assert.deepEqual(await limits(), [perMinute(5)]);
    await cli.done('limit', 'clear', '--endpoint', 'invoices', '--consumer', 'acme');
    assert.equal(await limits(), null);
    const { code, err } = await cli.run(['limit', 'set', '5/minute', '--endpoint', 'invoices', '--consumer', 'globex']);
    assert.deepEqual(
      [code, err],
      [
        3,
        'postern limit set: there is no grant of globex on invoices; this creates it with these limits: postern grant add --endpoint invoices --consumer globex --limit 5/minute\n',
      ],
    );
    const group = await cli.run('limit set 5/minute 9/day --endpoint invoices --label tier=gold'.split(' '));
    assert.equal(group.code, 3);
    assert.match(
      group.err,
      /: postern grant add --endpoint invoices --label tier=gold --limit 5\/minute --limit 9\/day\n$/,
    );
    const none = await cli.run('limit set 5/minute --endpoint invoices --consumer globx'.split(' '));
    assert.match(none.err, /there is no consumer "globx"; did you mean "globex"\?\n$/);
  });

  it('is refused in a form that says too little or too much', async () => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ['5/minute', '', /5\/minute: The form is REQUESTS\/UNIT\/PER/],
      ['5/minute/consumer', '--consumer acme', /The form is REQUESTS\/UNIT,|LIMIT/],
      ['5/minute/consumer 6/minute/consumer', '', /LIMIT: a limit per consumer and minute is on/],
    ];
    for (const [limits, flags, message] of cases.filter(([, flag]) => flag === '')) {
      const { code, err } = await cli.run([
        'limit',
        'set',
        ...limits.split(' '),
        '--endpoint',
        'keyed',
        ...flags.split(' ').filter(Boolean),
      ]);
      assert.equal(code, 2);
      assert.match(err, message);
    }
    const perEndpoint = await cli.run([
      'limit',
      'set',
      '5/day/endpoint',
      '--endpoint',
      'invoices',
      '--consumer',
      'acme',
    ]);
    assert.equal(perEndpoint.code, 2);
    assert.match(perEndpoint.err, /"per" must be "consumer" here: a grant limits each of its consumers/);
  });
});

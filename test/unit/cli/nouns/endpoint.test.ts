import assert from 'node:assert/strict';
import { declareEndpoint } from '../../../../src/resources/endpoint.ts';
import { memoryCli, type MemoryCli } from './memory-cli.ts';
import { prepare } from './resources.ts';

describe('postern endpoint', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  async function declared(id: string): Promise<object | null> {
    const stored = await cli.store.find('endpoint', id);
    return stored === null ? null : declareEndpoint(stored.resource);
  }

  it('says how many consumers it lets in that nobody named', async () => {
    await cli.done('consumer', 'create', 'initech');
    for (const consumer of ['acme', 'globex', 'initech']) {
      await cli.done('credential', 'issue', '--consumer', consumer, '--method', 'key', '--id', `${consumer}-key`);
    }
    await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'key');
    await cli.done('credential', 'revoke', 'initech-key', '--yes');
    const create = ['endpoint', 'create', 'stock', '--path', '/stock', '--authentication', 'key'];
    const { code, err } = await cli.run(create);
    assert.equal(code, 0);
    assert.equal(
      err,
      'note: every consumer with a credential for key gets in: 2; --access-condition authenticated-and-authorized lets in only those with a grant\n',
    );
    assert.equal(((await declared('stock')) as Record<string, unknown>)['accessCondition'], undefined, 'the default');
    const others = ['create', 'more', '--path', '/more', '--authentication'];
    await cli.done('endpoint', ...others, 'key', '--access-condition', 'authenticated-and-authorized');
    await cli.done('endpoint', 'edit', 'stock', '--method', 'GET');
    const opened = await cli.run(['endpoint', 'edit', 'more', '--unset', 'access-condition']);
    assert.match(opened.err, /^note: every consumer with a credential for key gets in: 2;/);
  });

  it('warns of what validate warns of, where it is written and not where it stays', async () => {
    const create = ['endpoint', 'create', 'wild', '--path', '/wild/*', '--method', 'get', '--authentication', 'hmac'];
    const { code, err } = await cli.run(create);
    assert.equal(code, 0);
    assert.match(err, /^warning: endpoint wild: match\.paths\[0\]\.prefix: this path has a pattern, .*\n/);
    assert.match(err, /\nwarning: endpoint wild: match\.methods\[0\]: this method has lower-case letters, .*\n$/);
    assert.equal((await cli.run(['endpoint', 'edit', 'wild', '--description', 'x'])).err, '');
    const edited = await cli.run(['endpoint', 'edit', 'wild', '--path', 'exact:/wild/{id}', '--dry-run']);
    assert.match(edited.err, /^warning: endpoint wild: match\.paths\[0\]\.exact: this path has a pattern/);
  });

  it('creates an endpoint from flags that mirror the declarative file, with grants, in one commit', async () => {
    const commits = cli.store.commits.length;
    const out = await cli.done(
      ...[
        'endpoint',
        'create',
        'all',
        '--description',
        'All of it',
        '--host',
        'api.example.com',
        '--host',
        '*.example.com',
      ],
      ...[
        '--path',
        '/all',
        '--path',
        'exact:/one',
        '--method',
        'GET',
        '--method',
        'POST',
        '--authentication',
        'parameter-signature',
      ],
      ...[
        '--access-condition',
        'authenticated-and-authorized',
        '--limit',
        '5/second/consumer',
        '--limit',
        '9/day/endpoint',
      ],
      ...['--option', 'requireTimestamp=true', '--option', 'clockSkewSeconds=60', '--disabled'],
      ...['--grant', 'acme', '--grant', 'globex', '--grant', 'acme'],
    );
    assert.deepEqual(await declared('all'), {
      id: 'all',
      description: 'All of it',
      scenario: 'partner-openapi',
      match: {
        hosts: ['api.example.com', '*.example.com'],
        paths: [{ prefix: '/all' }, { exact: '/one' }],
        methods: ['GET', 'POST'],
      },
      authentication: 'parameter-signature',
      accessCondition: 'authenticated-and-authorized',
      trafficControl: {
        limits: [
          { requests: 5, unit: 'second', per: 'consumer' },
          { requests: 9, unit: 'day', per: 'endpoint' },
        ],
      },
      options: { clockSkewSeconds: 60, requireTimestamp: true },
      enabled: false,
    });
    assert.match(out, /^\+ endpoint all\n/);
    assert.match(out, /\n\+ grant all\/acme\n\+ grant all\/globex\n/);
    assert.match(out, /Endpoint all created, disabled, 2 consumers authorised on it\.\n$/);
    assert.equal(cli.store.commits.length, commits + 1);
  });

  it('names all that is wrong by flag, and creates nothing', async () => {
    const { code, out, err } = await cli.run([
      ...['endpoint', 'create', 'bad', '--host', 'https://x', '--authentication', 'hmac'],
      ...[
        '--option',
        'requireTimestamp=true',
        '--option',
        'clockSkewSecond=5',
        '--limit',
        '1/day/consumer',
        '--limit',
        '2/day/consumer',
      ],
    ]);
    assert.deepEqual([code, out], [2, '']);
    const [first, ...told] = err.trimEnd().split('\n');
    assert.equal(first, 'postern endpoint create: these flags are wrong:');
    assert.deepEqual(told.map((line) => line.trim().split(/: | is /)[0]).sort(), [
      '--host',
      '--limit',
      '--option clockSkewSecond',
      '--option requireTimestamp',
      '--path',
    ]);
    assert.match(err, /did you mean "clockSkewSeconds"\?/);
    assert.equal(await declared('bad'), null);
  });

  it('does not take what another endpoint has, with exit code 4', async () => {
    const taken = await cli.run(['endpoint', 'create', 'orders', '--path', '/x', '--authentication', 'key']);
    assert.deepEqual([taken.code, taken.out], [4, '']);
    assert.match(taken.err, /the endpoint "orders" already exists/);
    const collides = await cli.run(['endpoint', 'create', 'more', '--path', '/orders', '--scenario', 'open']);
    assert.equal(collides.code, 4);
    assert.match(collides.err, /would take the same requests as the endpoint "orders"/);
  });

  it('needs consumers that there are', async () => {
    const { code, err } = await cli.run([
      'endpoint',
      'create',
      'x',
      '--path',
      '/x',
      '--authentication',
      'key',
      '--grant',
      'acne',
    ]);
    assert.deepEqual([code, err], [3, 'postern endpoint create: there is no consumer "acne"; did you mean "acme"?\n']);
  });

  it('edits what is given and nothing else', async () => {
    const out = await cli.done(
      'endpoint',
      'edit',
      'keyed',
      '--method',
      'GET',
      '--unset',
      'limit',
      '--option',
      'mode=observe',
    );
    assert.deepEqual(await declared('keyed'), {
      id: 'keyed',
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: '/keyed' }], methods: ['GET'] },
      authentication: 'key',
      options: { mode: 'observe' },
    });
    assert.match(out, /^~ endpoint keyed\n/);
    await cli.done('endpoint', 'edit', 'keyed', '--unset', 'option.mode', '--unset', '--method');
    const { code, err } = await cli.run(['endpoint', 'edit', 'keyed', '--unset', 'hosts']);
    assert.equal(code, 2);
    assert.match(err, /Did you mean host\?/);
    const nothing = await cli.run(['endpoint', 'edit', 'keyed']);
    assert.deepEqual([nothing.code, nothing.err], [2, 'postern endpoint edit: no change is given; see --help\n']);
  });

  it('has labels, which are set and removed one by one', async () => {
    await cli.done('endpoint', 'edit', 'orders', '--label', 'team=payments', '--label', 'stage=live');
    const out = await cli.done('endpoint', 'edit', 'orders', '--label', 'team=billing', '--unset', 'label.stage');
    assert.match(out, /^ {4}labels\.team: payments → billing$/m);
    assert.match(out, /^ {4}labels\.stage: live → \(none\)$/m);
    assert.deepEqual((await cli.store.find('endpoint', 'orders'))?.resource.labels, { team: 'billing' });
    await cli.done(
      'endpoint',
      'create',
      'refunds',
      '--path',
      '/refunds',
      '--scenario',
      'open',
      '--label',
      'team=billing',
    );
    const listed = await cli.done('endpoint', 'list', '--label', 'team=billing');
    assert.deepEqual(
      listed.split('\n').map((line) => line.split(' ')[0]),
      ['ID', 'orders', 'refunds', ''],
    );
    assert.match(listed, /team=billing/);
    assert.match(await cli.done('endpoint', 'show', 'refunds'), /labels +team=billing\n/);
    await cli.done('endpoint', 'edit', 'refunds', '--unset', 'label');
    assert.deepEqual((await cli.store.find('endpoint', 'refunds'))?.resource.labels, {});
  });

  it('changes an endpoint only at the revision that was looked at', async () => {
    await cli.done('endpoint', 'disable', 'orders', '--revision', '1');
    for (const command of ['edit --description x', 'enable', 'disable', 'delete --yes']) {
      const [verb = '', ...flags] = command.split(' ');
      const { code, err } = await cli.run(['endpoint', verb, 'orders', ...flags, '--revision', '1']);
      assert.equal(code, 4, command);
      assert.match(err, /has revision 2 now, not 1/);
    }
  });

  it('enables and disables, and says so when that is done already', async () => {
    assert.match(
      await cli.done('endpoint', 'disable', 'orders'),
      /enabled: true → false\nEndpoint orders disabled\.\n$/,
    );
    assert.equal(await cli.done('endpoint', 'disable', 'orders'), 'Endpoint orders is disabled already.\n');
    assert.match(await cli.done('endpoint', 'enable', 'orders'), /Endpoint orders enabled\.\n$/);
    assert.equal((await cli.store.find('endpoint', 'orders'))?.revision, 3);
  });

  it('says to programs too who is authorised', async () => {
    await cli.done(...'grant add --endpoint invoices --label tier=gold --priority 5'.split(' '));
    const shown = JSON.parse(await cli.done(...'endpoint show invoices -o json'.split(' '))) as { authorised: unknown };
    assert.deepEqual(shown.authorised, {
      grants: [{ consumer: 'acme' }, { consumerSelector: { tier: 'gold' }, priority: 5 }],
      isComplete: true,
    });
    for (let at = 0; at < 10; at += 1) {
      await cli.done('consumer', 'create', `partner-${String(at)}`);
      await cli.done('grant', 'add', '--endpoint', 'invoices', '--consumer', `partner-${String(at)}`);
    }
    const many = JSON.parse(await cli.done(...'endpoint show invoices -o json'.split(' '))) as {
      authorised: { grants: unknown[]; isComplete: boolean };
    };
    assert.deepEqual([many.authorised.grants.length, many.authorised.isComplete], [11, false]);
  });

  it('deletes with the grants on it', async () => {
    const out = await cli.done('endpoint', 'delete', 'invoices', '--yes');
    assert.equal(out, '- grant invoices/acme\n- endpoint invoices\nEndpoint invoices and 1 grant on it deleted.\n');
    assert.equal(await cli.store.find('grant', 'invoices/acme'), null);
  });

  it('lists for people and for programs', async () => {
    assert.equal(
      await cli.done('endpoint', 'list'),
      [
        'ID        AUTHENTICATION  LETS IN        REQUESTS   LABELS  LIMITS               STATE',
        'invoices  hmac            granted only   /invoices  -       -                    enabled',
        'keyed     key             authenticated  /keyed     -       100/minute/consumer  enabled',
        'orders    hmac            authenticated  /orders    -       -                    enabled',
        '',
      ].join('\n'),
    );
    const listed = JSON.parse(await cli.done('endpoint', 'list', '--authentication', 'key', '-o', 'json')) as unknown[];
    const times = { createdAt: '2026-09-21T14:13:20Z', updatedAt: '2026-09-21T14:13:20Z' };
    assert.deepEqual(listed, [
      { ...(await declared('keyed')), accessCondition: 'authenticated', enabled: true, revision: 1, ...times },
    ]);
    const none = await cli.run(['endpoint', 'list', '--disabled']);
    assert.deepEqual([none.code, none.out], [0, '']);
    assert.match(none.err, /There is no such endpoint/);
    assert.equal(await cli.done('endpoint', 'list', '--disabled', '-o', 'json'), '[]\n');
    assert.equal(await cli.done('endpoint', 'list', '--disabled', '-o', 'yaml'), '[]\n');
  });

  it('shows all options, and who is authorised', async () => {
    const out = await cli.done('endpoint', 'show', 'invoices');
    assert.match(out, /^endpoint invoices\n/);
    for (const part of [
      /hosts +any/,
      /paths +\/invoices and below/,
      /authorised +1 consumer: acme/,
      /clockSkewSeconds: 300/,
      /revision +1\n/,
    ]) {
      assert.match(out, part);
    }
    const yaml = await cli.done('endpoint', 'show', 'invoices', '-o', 'yaml');
    assert.match(yaml, /^id: invoices\nscenario: partner-openapi\n/);
    const { code, err } = await cli.run(['endpoint', 'show', 'invoice']);
    assert.deepEqual(
      [code, err],
      [3, 'postern endpoint show: there is no endpoint "invoice"; did you mean "invoices"?\n'],
    );
  });
});

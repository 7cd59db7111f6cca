import assert from 'node:assert/strict';
import { contentsOf } from '../../../support/manage/memory-resource-store.ts';
import { memoryCli, type MemoryCli, nowSeconds } from './memory-cli.ts';
import { prepare } from './resources.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

const day = 86_400;

interface ShownEvent {
  readonly event: string;
  readonly action: string;
  readonly storeRevision: number;
  readonly kind: string;
  readonly id: string;
  readonly reverts?: { readonly event: string; readonly storeRevision: number };
}

async function listed(cli: MemoryCli, ...flags: readonly string[]): Promise<readonly ShownEvent[]> {
  return JSON.parse(await cli.done('audit', 'list', '-o', 'json', ...flags)) as ShownEvent[];
}

describe('postern audit list', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });
  const actions = async (...flags: readonly string[]): Promise<readonly string[]> =>
    (await listed(cli, ...flags)).map(({ action }) => action);

  it('lists who changed what, newest first, narrowed as wished', async () => {
    cli.setNow(nowSeconds + 2 * day);
    await cli.done('consumer', 'disable', 'acme', '--reason', ' OPS-17: unpaid ');
    assert.equal(
      await cli.done('audit', 'list', '--limit', '2'),
      [
        'REVISION  WHEN                     WHO  COMMAND           RESOURCE             CHANGED  REASON',
        '7         2026-09-23 14:13:20 UTC  ada  consumer disable  consumer/acme        enabled  OPS-17: unpaid',
        '6         2026-09-21 14:13:20 UTC  ada  grant add         grant/invoices/acme  created',
        '',
      ].join('\n'),
    );
    assert.deepEqual(await actions('--since', '1d'), ['consumer disable']);
    assert.deepEqual(await actions('--since', '2026-09-22T00:00:00Z'), ['consumer disable']);
    assert.deepEqual(await actions('--until', '1d', '--limit', '1'), ['grant add']);
    assert.deepEqual(await actions('--resource', 'consumer/acme'), ['consumer disable', 'consumer create']);
    assert.deepEqual(await actions('--resource', 'grant'), ['grant add']);
    assert.deepEqual(await actions('--action', 'consumer disable'), ['consumer disable']);
    assert.deepEqual(await actions('--actor', 'bob'), []);
    const [event] = await listed(cli, '--limit', '1');
    assert.match(String(event?.event), /^[0-9a-f]{24}$/);
    assert.deepEqual(event, {
      event: event?.event,
      ...{ at: '2026-09-23T14:13:20.000Z', actor: 'ada', action: 'consumer disable', reason: 'OPS-17: unpaid' },
      ...{ storeRevision: 7, kind: 'consumer', id: 'acme' },
      before: { id: 'acme', name: 'Acme', labels: { tier: 'gold' }, enabled: true },
      after: { id: 'acme', name: 'Acme', labels: { tier: 'gold' }, enabled: false },
    });
  });

  it('lists all that concerns a partner or an endpoint, also what was deleted', async () => {
    await cli.done(...'credential issue --consumer acme --method hmac --id acme-hmac'.split(' '));
    await cli.done(...'credential issue --consumer globex --method hmac --id globex-hmac'.split(' '));
    await cli.done('consumer', 'delete', 'acme', '--yes');
    await cli.done('endpoint', 'delete', 'invoices', '--yes');
    const names = async (...flags: readonly string[]): Promise<readonly string[]> =>
      (await listed(cli, ...flags)).map(({ action, kind, id }) => `${action}: ${kind}/${id}`);
    const ofAcme = [
      'consumer delete: consumer/acme',
      'consumer delete: grant/invoices/acme',
      'consumer delete: credential/acme-hmac',
      'credential issue: credential/acme-hmac',
      'grant add: grant/invoices/acme',
      'consumer create: consumer/acme',
    ];
    assert.deepEqual(await names('--consumer', 'acme'), ofAcme);
    assert.deepEqual(await names('--consumer', 'acme', '--endpoint', 'invoices'), [ofAcme[1], ofAcme[4]]);
    assert.deepEqual(await names('--endpoint', 'invoices'), [
      'endpoint delete: endpoint/invoices',
      'consumer delete: grant/invoices/acme',
      'grant add: grant/invoices/acme',
      'endpoint create: endpoint/invoices',
    ]);
  });

  it('lists a line for each command with --operations', async () => {
    await cli.done('grant', 'add', '--endpoint', 'invoices', '--consumer', 'globex');
    await cli.done('endpoint', 'delete', 'invoices', '--yes', '--reason', 'OPS-18');
    const [, deletion = '', grant = ''] = (await cli.done(...'audit list --operations --limit 2'.split(' '))).split(
      '\n',
    );
    assert.match(
      deletion,
      /^8 .* endpoint delete {2}3 changes: endpoint\/invoices, grant\/invoices\/globex, grant\/invoices\/acme {2}OPS-18$/,
    );
    assert.match(grant, /^7 .* grant add +grant\/invoices\/globex$/);
    const [operation] = JSON.parse(await cli.done('audit', 'list', '--operations', '-o', 'json')) as {
      storeRevision: number;
      events: ShownEvent[];
    }[];
    assert.equal(operation?.storeRevision, 8);
    assert.deepEqual(
      operation.events.map(({ kind, id }) => `${kind}/${id}`),
      ['endpoint/invoices', 'grant/invoices/globex', 'grant/invoices/acme'],
    );
  });

  it('fits terminals of 80 columns, and cuts nothing for programs', async () => {
    const edit = 'consumer edit acme --name x --description y --label tier=silver --reason'.split(' ');
    await cli.done(...edit, 'OPS-17: the partner asked for another name and tier');
    const { out } = await cli.run(['audit', 'list'], { columns: 80, environment: { NO_COLOR: '1' } });
    for (const line of out.split('\n')) assert.ok(line.length <= 80, line);
    assert.equal(
      out.split('\n').slice(0, 6).join('\n'),
      `REVISION  WHEN                     WHO  COMMAND          RESOURCE
7         2026-09-21 14:13:20 UTC  ada  consumer edit    consumer/acme
  changed: name, labels, description
  reason: OPS-17: the partner asked for another name and tier
6         2026-09-21 14:13:20 UTC  ada  grant add        grant/invoices/acme
  changed: created`,
    );
    const operations = await cli.run(['audit', 'list', '--operations'], {
      columns: 80,
      environment: { NO_COLOR: '1' },
    });
    for (const line of operations.out.split('\n')) assert.ok(line.length <= 80, line);
    assert.match(
      operations.out,
      /^7 .* {2}consumer edit\n {2}changed: consumer\/acme\n {2}reason: OPS-17: the partner/m,
    );
    assert.match(
      await cli.done('audit', 'list'),
      /consumer\/acme +name, labels, description +OPS-17: the partner asked/,
    );
  });

  it('tells attempts that were refused from changes', async () => {
    const refused = '"wide" would take requests of the endpoint "invoices", such as GET /invoices/1';
    const attempt = { actor: 'paula', action: 'api refused POST /v1/endpoints', reason: 'OPS-19' };
    await cli.store.keep({ ...attempt, kind: 'endpoint', id: 'invoices', refused });
    const [, row = ''] = (await cli.done('audit', 'list', '--limit', '1')).split('\n');
    assert.deepEqual(row.split(/ {2,}/), [
      ...['0', '2026-09-21 14:13:20 UTC', 'paula', 'api refused POST /v1/endpoints', 'endpoint/invoices'],
      ...[`refused: ${refused}`, 'OPS-19'],
    ]);
    const operations = await cli.done('audit', 'list', '--operations', '--limit', '1');
    assert.match(operations, / {2}refused: endpoint\/invoices {2}OPS-19\n$/);
    const [event, ...others] = await listed(cli, '--actor', 'paula');
    assert.ok(event !== undefined && others.length === 0);
    assert.deepEqual(event, {
      ...{ event: event.event, at: '2026-09-21T14:13:20.000Z', ...attempt },
      ...{ storeRevision: 0, kind: 'endpoint', id: 'invoices', before: null, after: null, refused },
    });
    const shown = await cli.done('audit', 'show', event.event);
    assert.match(shown, /^api refused POST \/v1\/endpoints, revision 0\n/);
    assert.ok(shown.endsWith(`endpoint/invoices: refused: ${refused}\n`), shown);
    for (const name of ['0', event.event]) {
      const { code, err } = await cli.run(['audit', 'revert', name, '--yes']);
      assert.equal(code, 4, err);
      assert.match(err, /the event is of a request that was refused: it changed nothing/);
    }
  });

  it('takes a reason of one line', async () => {
    for (const reason of ['', '   ', 'two\nlines', 'x'.repeat(501)]) {
      const { code, err } = await cli.run(['consumer', 'disable', 'acme', '--reason', reason]);
      assert.equal(code, 2);
      assert.match(err, /--reason .* It must be one line of 1 to 500 characters\./s);
    }
    await cli.done('consumer', 'disable', 'acme', '--reason', 'x'.repeat(500));
  });

  it('shows a change of secrets alone', async () => {
    await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'a');
    await cli.done('credential', 'rotate', 'a', '--grace', '0');
    assert.match(await cli.done('audit', 'list', '--limit', '1'), /credential rotate +credential\/a +appSecret\n$/);
  });
});

describe('postern audit show', () => {
  it('shows what a command changed, before and after, and what it deleted', async () => {
    const cli = await memoryCli();
    await prepare(cli);
    await cli.done('consumer', 'edit', 'acme', '--label', 'tier=silver', '--reason', 'OPS-17');
    const edit = await cli.done('audit', 'show', '7');
    assert.equal(
      edit,
      [
        'consumer edit, revision 7',
        '  when    2026-09-21 14:13:20 UTC (now)',
        '  who     ada',
        '  reason  OPS-17',
        '~ consumer acme',
        '    labels.tier: gold → silver',
        '',
      ].join('\n'),
    );
    await cli.done('consumer', 'delete', 'acme', '--yes');
    const deletion = await cli.done('audit', 'show', '8');
    assert.match(
      deletion,
      /^- grant invoices\/acme\n- consumer acme\n {4}name: Acme\n {4}labels: \{ tier: silver \}\n/m,
    );
    assert.doesNotMatch(await cli.done('audit', 'show', '8', '--resource', 'grant'), /- consumer/);
    const [event] = await listed(cli, '--limit', '1');
    assert.match(
      await cli.done('audit', 'show', String(event?.event)),
      /^consumer delete, revision 8\n(?: .*\n)*- consumer/,
    );
    const data = JSON.parse(await cli.done('audit', 'show', '8', '-o', 'json')) as { events: unknown[] }[];
    assert.deepEqual([data.length, data[0]?.events.length], [1, 2]);
  });

  it('shows that a secret changed, never the secret', async () => {
    const cli = await memoryCli();
    await prepare(cli);
    const issued = JSON.parse(
      await cli.done(...'credential issue --consumer acme --method key --id acme-key -o json'.split(' ')),
    ) as { appKey: string };
    const shown = await cli.done('audit', 'show', '7');
    assert.match(shown, /^\+ credential acme-key of consumer acme\n(?: .*\n)* {4}appKey: \(set\)$/m);
    assert.match(issued.appKey, /^[0-9a-f]{32}$/);
    assert.ok(!shown.includes(issued.appKey));
  });

  it('says what there is none of', async () => {
    const cli = await memoryCli();
    await prepare(cli);
    for (const verb of ['show', 'revert'])
      for (const [args, code, message] of [
        ['99', 3, /there is no event revision 99; see "postern audit list"/],
        ['0123456789abcdef01234567', 3, /there is no event 0123456789abcdef01234567/],
        ['6 --resource consumer/acme', 3, /revision 6 changed no consumer\/acme; see "postern audit show 6"/],
        ['latest', 2, /It must be a REVISION of "audit list", or the "event" of its JSON\./],
        ['', 2, /missing required argument 'event'/],
      ] as const) {
        const told = await cli.run(['audit', verb, ...args.split(' ').filter(Boolean)]);
        assert.equal(told.code, code, told.err);
        assert.match(told.err, message);
      }
  });
});

describe('postern audit revert', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });
  const refused = async (command: string, ...messages: readonly RegExp[]): Promise<void> => {
    const before = await contentsOf(cli.store);
    const { code, out, err } = await cli.run([...command.split(' '), '--yes']);
    assert.deepEqual([code, out], [4, ''], err);
    for (const message of messages) assert.match(err, message);
    assert.deepEqual(await contentsOf(cli.store), before);
  };

  it('plans the change back, shows it, asks, and leaves an event that names what it reverts', async () => {
    const before = await contentsOf(cli.store);
    await cli.done(...'limit set 1/day/consumer --endpoint keyed'.split(' '));
    const changed = await contentsOf(cli.store);
    const dry = await cli.done('audit', 'revert', '7', '--dry-run');
    assert.match(dry, /^~ endpoint keyed\n {4}trafficControl\.limits:\s+(?:- )?\[\{ requests: 1, unit: day/);
    assert.deepEqual(await contentsOf(cli.store), changed);
    const questions: string[] = [];
    const ask = async (question: string): Promise<string> => {
      questions.push(question);
      return await Promise.resolve('y');
    };
    const done = await cli.run(['audit', 'revert', '7', '--reason', 'OPS-19'], { ask });
    assert.deepEqual([done.code, done.err], [0, '']);
    assert.match(String(questions), /Revert "limit set" of ada at 2026-09-21 14:13:20 UTC \(1 change\)\?/);
    assert.match(done.out, /Reverted: "limit set" of ada at 2026-09-21 14:13:20 UTC\.\n$/);
    assert.deepEqual(await contentsOf(cli.store), before);
    const [revert, original] = await listed(cli, '--limit', '2');
    assert.deepEqual(revert?.reverts, { event: original?.event, storeRevision: 7 });
    assert.equal(revert.action, 'audit revert');
    assert.match(await cli.done('audit', 'show', '8'), /^ {2}reverts {2}revision 7$/m);
    await cli.done('audit', 'revert', '8', '--yes');
    assert.deepEqual(await contentsOf(cli.store), changed);
  });

  it('does nothing when all is as it was before', async () => {
    await cli.done('endpoint', 'edit', 'keyed', '--description', 'x');
    await cli.done('audit', 'revert', '7', '--yes');
    const again = await cli.done('audit', 'revert', '7');
    assert.equal(
      again,
      'Nothing to revert: all is as it was before "endpoint edit" of ada at 2026-09-21 14:13:20 UTC.\n',
    );
    assert.equal(cli.store.revision, 8);
  });

  it('refuses what others changed since in the same field, and shows both; keeps their other changes', async () => {
    await cli.done(
      'endpoint',
      'edit',
      'keyed',
      '--description',
      'first',
      '--access-condition',
      'authenticated-and-authorized',
    );
    await cli.done('endpoint', 'edit', 'keyed', '--description', 'second');
    await refused(
      'audit revert 7',
      /^postern audit revert: nothing was reverted:\n {2}the endpoint "keyed" has changed since\n {4}description: the change left first, now it is second\n$/,
    );
    await cli.done('endpoint', 'edit', 'keyed', '--description', 'first');
    await cli.done('limit', 'set', '7/day/endpoint', '--endpoint', 'keyed');
    const { code, err } = await cli.run(['audit', 'revert', '7', '--yes']);
    assert.deepEqual(
      [code, err],
      [0, 'note: the endpoint "keyed" has also changed since (trafficControl.limits): that stays\n'],
    );
    const keyed = JSON.parse(await cli.done('endpoint', 'show', 'keyed', '-o', 'json')) as Record<string, unknown>;
    assert.deepEqual(
      [keyed['description'], keyed['accessCondition'], keyed['trafficControl']],
      [undefined, 'authenticated', { limits: [{ requests: 7, unit: 'day', per: 'endpoint' }] }],
    );
  });

  it('refuses what was deleted or made again since', async () => {
    await cli.done('consumer', 'edit', 'globex', '--name', 'Globex');
    await cli.done('consumer', 'delete', 'globex', '--yes');
    await refused('audit revert 7', /the consumer "globex" no longer exists; revert its deletion first/);
    await cli.done('consumer', 'create', 'globex', '--name', 'Another');
    await refused(
      'audit revert 8',
      /the consumer "globex" has changed since\n {4}name: the change left Globex, now it is Another/,
    );
  });

  it('brings a deleted consumer back with its grants, without its credentials, and says so', async () => {
    await cli.done(...'credential issue --consumer acme --method hmac --id acme-hmac'.split(' '));
    await cli.done('consumer', 'delete', 'acme', '--yes');
    const { code, out, err } = await cli.run(['audit', 'revert', '8', '--yes']);
    assert.equal(code, 0, err);
    assert.equal(
      err,
      'note: the credential "acme-hmac" does not come back: its App Secret is in no event, and its App Key is never given again. Issue a new one: "postern credential issue --consumer acme --method hmac"\n',
    );
    assert.match(out, /^\+ consumer acme\n(?: .*\n)*\+ grant invoices\/acme\n/m);
    assert.deepEqual(
      [(await cli.store.find('grant', 'invoices/acme')) !== null, await cli.store.find('credential', 'acme-hmac')],
      [true, null],
    );
    const again = await cli.run(['audit', 'revert', '8']);
    assert.equal(again.code, 0);
    assert.match(again.err, /^note: the credential "acme-hmac" does not come back/);
    assert.match(again.out, /^Nothing to revert: /);
    const [, , credential] = (await listed(cli, '--action', 'consumer delete')).map(({ event }) => event);
    await refused(`audit revert ${String(credential)}`, /the credential "acme-hmac" does not come back/);
  });

  it('brings a grant back only where its endpoint and consumer are', async () => {
    await cli.done('endpoint', 'delete', 'invoices', '--yes');
    await refused(
      'audit revert 7 --resource grant',
      /the grant "invoices\/acme" needs the endpoint "invoices", which no longer exists; revert its deletion first/,
    );
    await cli.done('audit', 'revert', '7', '--yes');
    assert.ok((await cli.store.find('grant', 'invoices/acme')) !== null);
  });

  it('undoes grants for groups, which concern their endpoint', async () => {
    const add = 'grant add --endpoint invoices --label tier=gold --limit 9/minute --priority';
    await cli.done(...`${add} 1`.split(' '));
    await cli.done(...`${add} 2`.split(' '));
    const before = await contentsOf(cli.store);
    await cli.done(...'grant remove --endpoint invoices --label tier=gold'.split(' '));
    const [removal] = await listed(cli, '--endpoint', 'invoices', '--limit', '1');
    assert.deepEqual([removal?.action, removal?.id], ['grant remove', 'invoices/tier=gold']);
    await cli.done('audit', 'revert', '9', '--yes');
    assert.deepEqual(await contentsOf(cli.store), before);
    await cli.done('audit', 'revert', '8', '--yes');
    const { resource } = (await cli.store.find('grant', 'invoices/tier=gold')) ?? {};
    assert.equal((resource as { priority?: number } | undefined)?.priority, 1);
    await cli.done(...'grant add --endpoint invoices --label tier=silver --priority 2'.split(' '));
    const taken = await cli.run(['audit', 'revert', '11', '--yes']);
    assert.equal(taken.code, 4);
    assert.match(taken.err, /the grant "invoices\/tier=silver" has the priority of another one/);
  });

  it('deletes what was created, unless something hangs on it since', async () => {
    await cli.done('consumer', 'create', 'initech');
    await cli.done(...'credential issue --consumer initech --method hmac --id initech-hmac'.split(' '));
    await refused(
      'audit revert 7',
      /the consumer "initech" has the credential "initech-hmac" since; "postern consumer delete initech" deletes it with all that it has/,
    );
    const questions: string[] = [];
    const { code } = await cli.run(['audit', 'revert', '8'], {
      ask: async (question) => await Promise.resolve(String(questions.push(question)) && 'n'),
    });
    assert.equal(code, 1);
    assert.match(String(questions), /\(1 change, and delete 1 credential for good\)\?/);
    await cli.done('audit', 'revert', '8', '--yes');
    await refused('audit revert 9', /the credential "initech-hmac" does not come back/);
    await cli.done('audit', 'revert', '7', '--yes');
    assert.equal(await cli.store.find('consumer', 'initech'), null);
  });

  it('keeps stopped what was stopped, without --revive', async () => {
    await cli.done(...'credential issue --consumer acme --method hmac --id acme-hmac'.split(' '));
    await cli.done('credential', 'rotate', 'acme-hmac', '--grace', '7d');
    await cli.done('credential', 'revoke', 'acme-hmac', '--yes');
    await cli.done('consumer', 'disable', 'globex');
    await refused(
      'audit revert 9',
      /this would bring back what was stopped: credential "acme-hmac" \(revoked\)\. It may have been stopped for a reason, such as a leaked secret; to bring it back, add --revive/,
    );
    await refused('audit revert 10', /consumer "globex" \(disabled\)/);
    const { code, err } = await cli.run(['audit', 'revert', '9', '--yes', '--revive']);
    assert.deepEqual([code, err], [0, 'note: the former App Secret of credential "acme-hmac" stays removed\n']);
    const stored = await cli.store.find('credential', 'acme-hmac');
    assert.deepEqual([stored?.resource.state, secretsOf(stored?.resource).retiringSecret], ['active', null]);
    await cli.done('audit', 'revert', '10', '--yes', '--revive');
    assert.equal((await cli.store.find('consumer', 'globex'))?.resource.enabled, true);
  });

  for (const method of ['hmac', 'key'])
    it(`refuses the rotation of a credential of method ${method}`, async () => {
      await cli.done(...`credential issue --consumer acme --method ${method} --id a`.split(' '));
      await cli.done('credential', 'rotate', 'a', '--grace', '7d');
      await refused(
        'audit revert 8 --revive',
        /the rotation of the credential "a" cannot be reverted: former secrets are in no event/,
      );
      await refused('audit revert 7', /the credential "a" has changed since/);
    });

  it('refuses endpoints that would take the same requests, and what the rules of today refuse', async () => {
    await cli.done('endpoint', 'edit', 'keyed', '--path', '/other');
    await cli.done(...'endpoint create new --path /keyed --authentication key'.split(' '));
    await refused(
      'audit revert 7',
      /the endpoints "new" and "keyed" would take the same requests \(.*\); change the match of one first/,
    );
    await cli.done('endpoint', 'edit', 'orders', '--authentication', 'key');
    await cli.done('endpoint', 'edit', 'orders', '--option', 'keyNames=header:X-Key');
    await refused('audit revert 9', /the endpoint "orders" cannot be again as it was: .*keyNames/);
  });

  it('plans again when another operator is quicker, and then refuses or keeps what they did', async () => {
    await cli.done('endpoint', 'edit', 'keyed', '--description', 'first');
    const meanwhile = (command: string): void => {
      cli.store.beforeCommit = async () => {
        cli.store.beforeCommit = null;
        await cli.done(...command.split(' '));
      };
    };
    meanwhile('endpoint edit keyed --description second');
    const conflict = await cli.run(['audit', 'revert', '7', '--yes']);
    assert.equal(conflict.code, 4);
    assert.match(conflict.err, /description: the change left first, now it is second/);
    await cli.done('endpoint', 'edit', 'keyed', '--description', 'first');
    meanwhile('endpoint disable keyed');
    const kept = await cli.run(['audit', 'revert', '7', '--yes']);
    assert.equal(kept.code, 0, kept.err);
    const { resource } = (await cli.store.find('endpoint', 'keyed')) ?? {};
    assert.deepEqual([resource?.description, resource?.enabled], ['', false]);
  });
});

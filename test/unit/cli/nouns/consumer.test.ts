import assert from 'node:assert/strict';
import { memoryCli, type MemoryCli } from './memory-cli.ts';
import { prepare } from './resources.ts';

describe('postern consumer', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  it('creates and edits', async () => {
    await cli.done(
      'consumer',
      'create',
      'initech',
      '--name',
      'Initech',
      '--description',
      'd',
      '--label',
      'a=b',
      '--disabled',
    );
    const out = await cli.done(
      'consumer',
      'edit',
      'initech',
      '--unset',
      'name',
      '--label',
      'c=d',
      '--unset',
      'label.a',
    );
    assert.match(out, /^~ consumer initech\n {4}name: Initech → \(none\)\n/);
    const stored = await cli.store.find('consumer', 'initech');
    assert.deepEqual(stored?.resource, {
      id: 'initech',
      name: null,
      description: 'd',
      email: null,
      team: null,
      labels: { c: 'd' },
      enabled: false,
      allowFrom: null,
    });
  });

  it('takes an address list, which an edit replaces and --unset removes', async () => {
    const networks = async (): Promise<unknown> =>
      (await cli.store.find('consumer', 'initech'))?.resource.allowFrom?.map(({ text }) => text) ?? null;
    await cli.done('consumer', 'create', 'initech', '--allow-from', '203.0.113.0/24', '--allow-from', '2001:DB8::/32');
    assert.deepEqual(await networks(), ['203.0.113.0/24', '2001:db8::/32']);
    assert.match(
      await cli.done('consumer', 'show', 'initech'),
      /\n *allowed from +203\.0\.113\.0\/24, 2001:db8::\/32\n/,
    );
    const out = await cli.done('consumer', 'edit', 'initech', '--allow-from', '198.51.100.7');
    assert.match(out, /\n {4}allowFrom: /);
    assert.deepEqual(await networks(), ['198.51.100.7']);
    await cli.done('consumer', 'edit', 'initech', '--unset', 'allow-from');
    assert.deepEqual(await networks(), null);
    assert.match(await cli.done('consumer', 'show', 'initech'), /\n *allowed from +anywhere\n/);
  });

  it('names the right network for one with bits beyond its prefix', async () => {
    const { code, err } = await cli.run(['consumer', 'edit', 'acme', '--allow-from', '10.1.2.3/8']);
    assert.equal(code, 2);
    assert.match(err, /--allow-from: item 1 of "allowFrom" has bits set beyond its prefix: write 10\.0\.0\.0\/8/);
  });

  it('sets a label that is also unset, alone and with all others, in any order', async () => {
    for (const unset of [
      ['label.tier', 'label'],
      ['label', 'label.tier'],
    ]) {
      await cli.done('consumer', 'edit', 'acme', '--label', 'tier=silver', '--label', 'old=1');
      const flags = unset.flatMap((name) => ['--unset', name]);
      await cli.done('consumer', 'edit', 'acme', ...flags, '--label', 'tier=gold');
      assert.deepEqual((await cli.store.find('consumer', 'acme'))?.resource.labels, { tier: 'gold' });
    }
  });

  it('does not make one twice, and needs one to edit', async () => {
    const taken = await cli.run(['consumer', 'create', 'acme']);
    assert.deepEqual(
      [taken.code, taken.err],
      [4, 'postern consumer create: the consumer "acme" already exists; change it with "postern consumer edit acme"\n'],
    );
    for (const verb of [['edit', '--name', 'x'], ['show'], ['enable'], ['disable'], ['delete', '--yes']]) {
      const { code, err } = await cli.run(['consumer', verb[0] ?? '', 'acmee', ...verb.slice(1)]);
      assert.deepEqual([code, err.split(': ').at(-1)], [3, 'there is no consumer "acmee"; did you mean "acme"?\n']);
    }
    const second = await cli.run(['consumer', 'show', 'globx']);
    assert.match(second.err, /did you mean "globex"\?/);
    const blank = await cli.run(['consumer', 'edit', 'acme', '--name', ' ']);
    assert.equal(blank.code, 2);
    assert.match(blank.err, /--name: "name" must hold 1 to 256 characters/);
  });

  it('enables and disables', async () => {
    assert.match(await cli.done('consumer', 'disable', 'acme'), /Consumer acme disabled\.\n$/);
    assert.equal((await cli.store.find('consumer', 'acme'))?.resource.enabled, false);
    assert.match(await cli.done('consumer', 'enable', 'acme', '--revision', '2'), /Consumer acme enabled\.\n$/);
    assert.equal(await cli.done('consumer', 'enable', 'acme'), 'Consumer acme is enabled already.\n');
  });

  it('deletes with credentials and grants in one commit, and says how many', async () => {
    await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'a');
    await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'key', '--id', 'b');
    const commits = cli.store.commits.length;
    const out = await cli.done('consumer', 'delete', 'acme', '--yes');
    assert.equal(
      out,
      '- credential a of consumer acme\n- credential b of consumer acme\n- grant invoices/acme\n- consumer acme\nConsumer acme deleted, 2 credentials revoked, 1 grant removed.\n',
    );
    assert.equal(cli.store.commits.length, commits + 1);
    assert.equal(await cli.store.find('credential', 'a'), null);
  });

  it('lists by label and state, at most so many', async () => {
    assert.equal(
      await cli.done('consumer', 'list'),
      'ID      NAME  LABELS     STATE\nacme    Acme  tier=gold  enabled\nglobex  -     -          enabled\n',
    );
    await cli.done('consumer', 'disable', 'globex');
    const ids = async (...flags: readonly string[]): Promise<readonly string[]> =>
      (JSON.parse(await cli.done('consumer', 'list', '-o', 'json', ...flags)) as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(await ids(), ['acme', 'globex']);
    assert.deepEqual(await ids('--label', 'tier=gold'), ['acme']);
    assert.deepEqual(await ids('--label', 'tier=gold', '--label', 'a=b'), []);
    assert.deepEqual(await ids('--disabled'), ['globex']);
    assert.deepEqual(await ids('--limit', '1'), ['acme']);
  });

  it('shows credentials and grants, without secrets', async () => {
    await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'key', '--id', 'a');
    const stored = await cli.store.find('credential', 'a');
    const appKey = stored?.resource.appKey?.reveal().toString('utf8') ?? '';
    const out = await cli.done('consumer', 'show', 'acme');
    assert.match(out, /credentials\n {2}ID +METHOD .*\n {2}a +key +…[0-9a-f]{4} /);
    assert.match(out, /grants\n {2}ENDPOINT .*\n {2}invoices +acme/);
    const json = await cli.done('consumer', 'show', 'acme', '-o', 'json');
    const shown = JSON.parse(json) as Record<string, unknown>;
    assert.deepEqual(shown['grants'], [{ endpoint: 'invoices', consumer: 'acme', inEffect: true }]);
    assert.ok(!`${out}${json}`.includes(appKey));
    const bare = await cli.done('consumer', 'show', 'globex');
    assert.match(bare, /credentials\n {2}none\n\ngrants\n {2}none\n$/);
  });
});

import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { parse } from 'yaml';
import { memoryCli } from '../nouns/memory-cli.ts';
import { useFiles } from './files.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

const SECRET = 'a secret for tests, 32 characters';

const document = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: hmac, accessCondition: authenticated-and-authorized }
consumers:
  - id: acme
    credentials:
      - { id: acme-hmac, method: hmac, appKey: acme-app-key, appSecret: "${SECRET}" }
grants:
  - { endpoint: orders, consumer: acme }
`;

const printed = `+ endpoint orders
    scenario: partner-openapi
    match: { paths: [{ prefix: /orders }] }
    authentication: hmac
    accessCondition: authenticated-and-authorized
+ consumer acme
+ credential acme-hmac of consumer acme
    method: hmac
    appKey: acme-app-key
    appSecret: (set)
+ grant orders/acme
4 created, 0 changed, 0 deleted, 0 unchanged
`;

function manyConsumers(count: number): string {
  return `version: 1\nconsumers:\n${Array.from({ length: count }, (_, index) => `  - id: c${String(index)}\n`).join('')}`;
}

describe('postern apply', () => {
  const files = useFiles();

  it('says once that a restart cuts long limits short', async () => {
    const cli = await memoryCli();
    const limited = document.replace(
      'authorized }',
      'authorized, trafficControl: { limits: [{ requests: 5, unit: day, per: endpoint }] } }',
    );
    const { code, err } = await cli.run(['apply', '-f', files.write('limits.yaml', limited)]);
    assert.equal(code, 0);
    assert.match(
      err,
      /^note: limits of an hour or longer begin anew at each restart, [^\n]* \(endpoint orders\): [^\n]*\n$/,
    );
    assert.equal((await cli.run(['apply', '-f', files.path('limits.yaml')])).err, '', 'nothing is set');
  });

  it('takes address lists, shows what becomes of them, and undoes it', async () => {
    const cli = await memoryCli();
    const listed = document
      .replace('  - id: acme\n', '  - id: acme\n    allowFrom: [203.0.113.0/24, "2001:DB8::/32"]\n')
      .replace('method: hmac, appKey', 'method: hmac, allowFrom: [203.0.113.7], appKey');
    const lists = async (): Promise<unknown> => [
      (await cli.store.find('consumer', 'acme'))?.resource.allowFrom?.map(({ text }) => text) ?? null,
      (await cli.store.find('credential', 'acme-hmac'))?.resource.allowFrom?.map(({ text }) => text) ?? null,
    ];
    const file = files.write('listed.yaml', listed);
    await cli.done('apply', '-f', file);
    const both = [['203.0.113.0/24', '2001:db8::/32'], ['203.0.113.7']];
    assert.deepEqual(await lists(), both);
    assert.match(await cli.done('apply', '-f', file), /^Nothing to change/);
    assert.equal((await cli.run(['diff', '-f', files.write('exported.yaml', await cli.done('export'))])).code, 0);
    const without = files.write('without.yaml', document);
    const { code, out } = await cli.run(['diff', '-f', without]);
    assert.equal(code, 1);
    assert.match(out, /~ consumer acme\n {4}allowFrom: \[203\.0\.113\.0\/24, 2001:db8::\/32\] → \(none\)\n/);
    await cli.done('apply', '-f', without);
    assert.deepEqual(await lists(), [null, null]);
    const [last] = JSON.parse(await cli.done('audit', 'list', '--limit', '1', '-o', 'json')) as readonly {
      readonly storeRevision: number;
    }[];
    await cli.done('audit', 'revert', String(last?.storeRevision), '--yes');
    assert.deepEqual(await lists(), both);
  });

  it('makes the store say what the file says, and nothing the second time', async () => {
    const cli = await memoryCli();
    const file = files.write('document.yaml', document);
    assert.equal(await cli.done('apply', '-f', file), printed);
    assert.equal(
      await cli.done('apply', '-f', file),
      'Nothing to change: the store matches the files (4 unchanged).\n',
    );
    assert.equal(cli.store.revision, 1);
    assert.equal(cli.closed(), 2);
  });

  it('prints the same on a dry run, and changes nothing', async () => {
    const cli = await memoryCli();
    const file = files.write('document.yaml', document);
    assert.equal(await cli.done('apply', '-f', file, '--dry-run'), `${printed}Nothing was changed (--dry-run).\n`);
    assert.equal(cli.store.revision, 0);
  });

  it('warns of what validate warns of, once, and not of a part that declares nothing', async () => {
    const cli = await memoryCli();
    const file = files.write('wild.yaml', document.replace('/orders }', '/orders/* }').replace('-and-authorized', ''));
    const { code, err } = await cli.run(['apply', '-f', file]);
    assert.equal(code, 0);
    assert.match(
      err,
      /wild\.yaml:3:73: warning: this path has a pattern, .*\n[^]*wild\.yaml:9:17: warning: this grant decides nothing/,
    );
    assert.equal(err.match(/warning:/g)?.length, 2);
    assert.match((await cli.run(['diff', '-f', file])).err, /warning: this path has a pattern/);
    assert.equal((await cli.run(['apply', '-f', files.write('empty.yaml', 'version: 1\n')])).err, '');
    const many = Array.from({ length: 30 }, (_, index) => `{ prefix: /a${String(index)}/* }`).join();
    const wide = files.write('many.yaml', document.replace('{ prefix: /orders }', many));
    assert.match(
      (await cli.run(['apply', '-f', wide, '--dry-run'])).err,
      /and 10 more warnings: "postern validate" shows them\n$/,
    );
  });

  it('reports what the store makes wrong, at its place in the file', async () => {
    const cli = await memoryCli();
    const file = files.write('grants.yaml', 'version: 1\ngrants:\n  - { endpoint: orders, consumer: acme }\n');
    const { code, out } = await cli.run(['apply', '-f', file]);
    assert.equal(code, 1);
    assert.equal(
      out.replaceAll(file, 'grants.yaml'),
      `grants.yaml:3:17: there is no endpoint "orders"
    3 |   - { endpoint: …, consumer: … }
      |                 ^
grants.yaml:3:35: there is no consumer "acme"
    3 |   - { endpoint: …, consumer: … }
      |                              ^
2 problems in 1 file
`,
    );
    const json = await cli.run(['apply', '-f', file, '-o', 'json']);
    assert.equal((JSON.parse(json.out) as { problems: unknown[] }).problems.length, 2);
    const syntax = files.write('wrong.yaml', 'version: 1\nendpoints: {}\n');
    assert.match((await cli.run(['apply', '-f', syntax])).out, /wrong\.yaml:2:12: "endpoints" must be a list/);
    assert.equal(cli.store.revision, 0);
  });

  it('prints generated pairs once, when they are in the store', async () => {
    const cli = await memoryCli();
    const file = files.write(
      'new.yaml',
      'version: 1\nconsumers: [{ id: acme, credentials: [{ id: a, method: hmac }, { id: b, method: key }] }]\n',
    );
    const dry = await cli.done('apply', '-f', file, '--dry-run');
    assert.doesNotMatch(dry, /Generated/);
    assert.match(dry, /\+ credential a of consumer acme\n {4}method: hmac\n {4}appKey: \(set\)\n/);
    for (const format of ['json', 'yaml']) {
      const data = await cli.done('apply', '-f', file, '--dry-run', '-o', format);
      assert.doesNotMatch(data, /[0-9a-f]{32}/, 'an App Key that will never exist');
    }
    assert.doesNotMatch((await cli.run(['diff', '-f', file])).out, /[0-9a-f]{32}/);
    const out = await cli.done('apply', '-f', file);
    const found =
      /Generated.*\na of consumer acme\n {4}App Key {5}([0-9a-f]{32})\n {4}App Secret {2}([\w-]{43})\nb of consumer acme\n {4}App Key {5}([0-9a-f]{32})\n$/.exec(
        out,
      );
    assert.ok(found !== null, out);
    const stored = await cli.store.find('credential', 'a');
    assert.deepEqual(
      [stored?.resource.appKey, secretsOf(stored?.resource).appSecret].map((secret) => secret?.reveal().toString()),
      [found[1], found[2]],
    );
    assert.doesNotMatch(await cli.done('apply', '-f', file), /Generated/);
    for await (const event of cli.store.events({})) {
      for (const secret of [found[2], found[3]]) assert.ok(!JSON.stringify(event).includes(secret ?? 'none'));
    }
  });

  it('writes generated pairs into a new file of its owner, and prints none', async () => {
    const cli = await memoryCli();
    const file = files.write(
      'made.yaml',
      'version: 1\nconsumers: [{ id: acme, credentials: [{ id: a, method: hmac }] }]\n',
    );
    const to = files.path('generated.yaml');
    const dry = await cli.run(['apply', '-f', file, '--out', to, '--dry-run']);
    assert.deepEqual([dry.code, existsSync(to)], [0, false]);
    const { code, out, err } = await cli.run(['apply', '-f', file, '--out', to]);
    assert.equal(code, 0);
    assert.equal(err, `Generated, and written to ${to} only: 1 credential.\n`);
    const { generated } = parse(files.read(to)) as { readonly generated: readonly Record<string, string>[] };
    assert.deepEqual(Object.keys(generated[0] ?? {}), ['credential', 'consumer', 'appKey', 'appSecret']);
    const { appSecret } = secretsOf((await cli.store.find('credential', 'a'))?.resource);
    const stored = appSecret?.reveal().toString() ?? '';
    assert.equal(generated[0]?.['appSecret'], stored);
    assert.ok(!out.includes(stored));
    assert.equal(statSync(to).mode & 0o777, 0o600);
    const again = await cli.run(['apply', '-f', file, '--out', to]);
    assert.equal(again.code, 2);
    assert.match(again.err, /generated\.yaml is there, and may hold secrets that are nowhere else; name another file/);
    const nowhere = await cli.run(['apply', '-f', file, '--out', files.path('no/such/folder')]);
    assert.match(nowhere.err, /cannot be written \(ENOENT\)/);
    const json = await cli.run([
      'apply',
      '-f',
      file.replace('made', 'new'),
      '--out',
      files.path('g.json'),
      '-o',
      'json',
    ]);
    assert.deepEqual((JSON.parse(json.out) as { generated: unknown }).generated, []);
  });

  it('gives programs JSON and YAML', async () => {
    const cli = await memoryCli();
    const file = files.write('document.yaml', document);
    const dry = JSON.parse(await cli.done('apply', '-f', file, '--dry-run', '-o', 'json')) as Record<string, unknown>;
    assert.deepEqual(
      (dry['changes'] as { id: string }[]).map(({ id }) => id),
      ['orders', 'acme', 'acme-hmac', 'orders/acme'],
    );
    const data = parse(await cli.done('apply', '-f', file, '-o', 'yaml')) as unknown;
    assert.deepEqual(data, { ...dry, dryRun: false, committed: 4, revision: 1 });
    const again = JSON.parse(await cli.done('apply', '-f', file, '-o', 'json')) as unknown;
    assert.deepEqual(again, { changes: [], unchanged: 4, dryRun: false, committed: 0, revision: null, generated: [] });
  });

  it('asks before it deletes, or needs --yes', async () => {
    const cli = await memoryCli();
    await cli.done('apply', '-f', files.write('document.yaml', document));
    const empty = files.write('empty.yaml', 'version: 1\n');
    const nobody = await cli.run(['apply', '-f', empty, '--prune']);
    assert.deepEqual([nobody.code, nobody.out], [2, '']);
    assert.match(nobody.err, /no terminal to ask at; add --yes/);
    const questions: string[] = [];
    const ask = (question: string): Promise<string> => {
      questions.push(question);
      return Promise.resolve(questions.length === 1 ? 'n' : 'y');
    };
    const refused = await cli.run(['apply', '-f', empty, '--prune'], { ask });
    assert.deepEqual([refused.code, refused.err, cli.store.revision], [1, 'Nothing was changed.\n', 1]);
    const agreed = await cli.run(['apply', '-f', empty, '--prune'], { ask });
    assert.equal(agreed.code, 0);
    assert.match(
      agreed.out,
      /^- grant orders\/acme\n- credential acme-hmac of consumer acme\n- consumer acme\n- endpoint orders\n/,
    );
    assert.deepEqual(
      questions[0],
      'Delete what the files do not name (1 endpoint, 1 consumer, 1 credential, 1 grant)? [y/N] ',
    );
  });

  describe('to what commands stopped', () => {
    const explicit = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: hmac, accessCondition: authenticated-and-authorized, enabled: true }
consumers:
  - id: acme
    enabled: true
    credentials:
      - { id: acme-hmac, method: hmac, appKey: acme-app-key, state: active }
`;
    const planned = `~ endpoint orders (revives: it is disabled)
    enabled: false → true
~ consumer acme (revives: it is disabled)
    enabled: false → true
~ credential acme-hmac of consumer acme (revives: it is revoked)
    state: revoked → active
`;
    const named = 'endpoint "orders" (disabled), consumer "acme" (disabled), credential "acme-hmac" (revoked)';

    async function stopped(): ReturnType<typeof memoryCli> {
      const cli = await memoryCli();
      await cli.done('apply', '-f', files.write('document.yaml', document));
      await cli.done('endpoint', 'disable', 'orders');
      await cli.done('consumer', 'disable', 'acme');
      await cli.done('credential', 'revoke', 'acme-hmac', '--yes');
      return cli;
    }

    it('changes nothing when the file does not say that it is enabled or active', async () => {
      const cli = await stopped();
      const file = files.write('document.yaml', document);
      assert.equal(await cli.done('diff', '-f', file), 'No differences (4 unchanged).\n');
      assert.equal(
        await cli.done('apply', '-f', file, '--yes'),
        'Nothing to change: the store matches the files (4 unchanged).\n',
      );
      assert.equal(cli.store.revision, 4);
    });

    it('needs --revive when the file says so, whatever else is given', async () => {
      const cli = await stopped();
      const file = files.write('explicit.yaml', explicit);
      for (const flags of [[], ['--yes'], ['--dry-run'], ['--prune', '--yes']]) {
        const { code, out, err } = await cli.run(['apply', '-f', file, ...flags]);
        assert.equal(code, 4);
        assert.ok(out.includes(planned), out);
        assert.equal(
          err,
          `postern apply: this would bring back what was stopped: ${named}. Nothing was changed.
To keep it stopped, leave "enabled" or "state" out of the file, or write there what holds. To bring it back, add --revive.
`,
        );
      }
      assert.equal(cli.store.revision, 4);
      const dry = await cli.run(['apply', '-f', file, '--revive', '--dry-run']);
      assert.deepEqual([dry.code, dry.err, cli.store.revision], [0, '', 4]);
      assert.equal(
        await cli.done('apply', '-f', file, '--revive'),
        `${planned}0 created, 3 changed, 0 deleted, 0 unchanged\n`,
      );
      assert.equal((await cli.store.find('credential', 'acme-hmac'))?.resource.state, 'active');
    });

    it('shows in data and in diff what needs --revive', async () => {
      const cli = await stopped();
      const file = files.write('explicit.yaml', explicit);
      const { code, out } = await cli.run(['apply', '-f', file, '-o', 'json']);
      const data = JSON.parse(out) as { changes: { id: string; revives?: string }[]; committed: number };
      assert.deepEqual(
        [code, data.committed, data.changes.map(({ id, revives }) => [id, revives])],
        [
          4,
          0,
          [
            ['orders', 'disabled'],
            ['acme', 'disabled'],
            ['acme-hmac', 'revoked'],
          ],
        ],
      );
      const differences = await cli.run(['diff', '-f', file]);
      assert.equal(
        differences.out,
        `${planned}0 created, 3 changed, 0 deleted, 0 unchanged
This brings back what was stopped, for which apply needs --revive: ${named}.
`,
      );
      const asData = JSON.parse((await cli.run(['diff', '-f', file, '-o', 'json'])).out) as typeof data;
      assert.deepEqual(asData.changes, data.changes);
    });

    it('does not undo a revocation that lands while it is being planned', async () => {
      const cli = await memoryCli();
      await cli.done('apply', '-f', files.write('document.yaml', document));
      cli.store.beforeCommit = async () => {
        cli.store.beforeCommit = null;
        await cli.done('credential', 'revoke', 'acme-hmac', '--yes');
      };
      const later = document.replace(' }\ngrants', ', expiresAt: 2030-01-01T00:00:00Z }\ngrants');
      const file = files.write('later.yaml', later);
      await cli.done('apply', '-f', file);
      const { state, expiresAt } = (await cli.store.find('credential', 'acme-hmac'))?.resource ?? assert.fail();
      assert.deepEqual([state, expiresAt], ['revoked', Date.parse('2030-01-01T00:00:00Z') / 1000]);
    });

    it('brings back nothing that was stopped while it is under way, whatever the file says', async () => {
      const cli = await memoryCli();
      await cli.done('apply', '-f', files.write('document.yaml', document));
      for (const [stop, id] of [
        ['credential revoke acme-hmac --yes', 'acme-hmac'],
        ['consumer delete acme --yes', 'acme'],
      ] as const) {
        cli.store.beforeCommit = async () => {
          cli.store.beforeCommit = null;
          await cli.done(...stop.split(' '));
        };
        const later = document
          .replace(' }\ngrants', `, state: active, notBefore: 2025-01-01T00:00:00Z }\ngrants`)
          .replace('id: acme,', 'id: acme, description: changed,');
        const { code, err } = await cli.run(['apply', '-f', files.write('later.yaml', later), '--revive']);
        assert.equal(code, 4, err);
        assert.match(err, new RegExp(`^postern apply: the \\w+ "${id}.*" was (changed|deleted) meanwhile`));
      }
      assert.equal(await cli.store.find('consumer', 'acme'), null);
    });

    it('applies an export again: nothing changes until something was stopped', async () => {
      const cli = await memoryCli();
      await cli.done('apply', '-f', files.write('document.yaml', document));
      const active = files.write('active.yaml', await cli.done('export'));
      assert.equal((await cli.run(['diff', '-f', active, '--prune'])).code, 0);
      await cli.done('consumer', 'disable', 'acme');
      assert.equal((await cli.run(['apply', '-f', active])).code, 4);
      const disabled = files.write('disabled.yaml', await cli.done('export'));
      await cli.done('apply', '-f', active, '--revive');
      await cli.done('apply', '-f', disabled);
      assert.equal((await cli.store.find('consumer', 'acme'))?.resource.enabled, false);
    });
  });

  it('ends with 4 and what to do when the store has changed', async () => {
    const cli = await memoryCli();
    const file = files.write('document.yaml', document);
    cli.store.beforeCommit = async () => {
      cli.store.beforeCommit = null;
      await cli.done('consumer', 'create', 'acme', '--name', 'Somebody else');
    };
    const { code, err } = await cli.run(['apply', '-f', file]);
    assert.equal(code, 4);
    assert.match(err, /^postern apply: the consumer "acme" already exists\nIf others changed the store, run/);
    assert.equal((await cli.run(['apply', '-f', file])).code, 0);
  });

  it('makes more than one transaction carries in steps, and says how far it came', async () => {
    const cli = await memoryCli();
    const file = files.write('many.yaml', manyConsumers(10_001));
    const { StoreUnavailable } = await import('../../../../src/check/store/credential-source.ts');
    cli.store.beforeCommit = () => {
      if (cli.store.commits.length === 1) throw new StoreUnavailable('MongoDB does not answer');
    };
    const stopped = await cli.run(['apply', '-f', file]);
    assert.equal(stopped.code, 5);
    assert.equal(
      stopped.err,
      `10 001 changes are more than one transaction takes (10 000): they are made in 3 steps. If this ends in between, run the same command again: it does what is left.
postern apply: MongoDB does not answer
5 000 of 10 001 changes are made. Run the same command again: it does what is left.
`,
    );
    cli.store.beforeCommit = null;
    const { code, out, err } = await cli.run(['apply', '-f', file]);
    assert.deepEqual([code, err, cli.store.commits.length], [0, '', 2]);
    assert.match(
      out,
      /\n… and 4 901 more changes; "postern diff" prints all\n5 001 created, 0 changed, 0 deleted, 5 000 unchanged\n$/,
    );
  });

  it('shows a bar on terminals while it works, and removes it', async () => {
    const cli = await memoryCli();
    const file = files.write('many.yaml', manyConsumers(10_001));
    const { err } = await cli.run(['apply', '-f', file], { columns: 80 });
    assert.match(err, /applying \[-{24}\] 0 % \(0 of 10 001\)/);
    assert.ok(err.endsWith('\r\u001b[K'), JSON.stringify(err.slice(-40)));
  });

  it('says that a file store is edited, not applied to', async () => {
    const { runCli } = await import('../run-cli.ts');
    const store = files.write('store.yaml', 'version: 1\n');
    const { code, err } = await runCli([
      'apply',
      '-f',
      files.write('document.yaml', document),
      '--store',
      `file:${store}`,
    ]);
    assert.equal(code, 1);
    assert.match(err, /the store is a file, which commands do not change: edit the file/);
  });
});

describe('postern diff', () => {
  const files = useFiles();

  it('prints what apply would change, with 1 for differences and 0 for none', async () => {
    const cli = await memoryCli();
    const file = files.write('document.yaml', document);
    assert.deepEqual(await cli.run(['diff', '-f', file]), { code: 1, out: printed, err: '' });
    await cli.done('apply', '-f', file);
    assert.equal(await cli.done('diff', '-f', file), 'No differences (4 unchanged).\n');
    assert.equal(cli.store.revision, 1);
  });

  it('ends with more than 1 where it cannot say whether there are differences', async () => {
    const { runCli } = await import('../run-cli.ts');
    const cli = await memoryCli();
    const file = files.write('faulty.yaml', 'version: 1\nendpoint: []\n');
    const faulty = await cli.run(['diff', '-f', file]);
    assert.equal(faulty.code, 2);
    assert.match(faulty.out, /faulty\.yaml:2:1: unknown key "endpoint"/);
    const store = await runCli(['diff', '-f', files.write('document.yaml', document), '--store', `file:${file}`]);
    assert.equal(store.code, 2);
    assert.match(store.err, /^postern diff: .*faulty\.yaml:2:1: unknown key "endpoint"/);
  });

  it('shows that a secret changed, and never what it is', async () => {
    const cli = await memoryCli();
    await cli.done('apply', '-f', files.write('document.yaml', document));
    const other = files.write('other.yaml', document.replace(SECRET, `other ${SECRET}`));
    const { code, out } = await cli.run(['diff', '-f', other]);
    assert.deepEqual(
      [code, out],
      [
        1,
        '~ credential acme-hmac of consumer acme\n    appSecret: (changed)\n0 created, 1 changed, 0 deleted, 3 unchanged\n',
      ],
    );
    const json = await cli.run(['diff', '-f', other, '-o', 'json']);
    assert.doesNotMatch(json.out, new RegExp(SECRET));
    assert.deepEqual((JSON.parse(json.out) as { changes: unknown[] }).changes, [
      {
        action: 'change',
        kind: 'credential',
        id: 'acme-hmac',
        consumer: 'acme',
        fields: [{ path: 'appSecret', secret: 'changed' }],
      },
    ]);
  });

  it('prints what pruning would delete', async () => {
    const cli = await memoryCli();
    await cli.done('apply', '-f', files.write('document.yaml', document));
    const empty = files.write('empty.yaml', 'version: 1\n');
    assert.equal((await cli.run(['diff', '-f', empty])).code, 0);
    assert.match(
      (await cli.run(['diff', '-f', empty, '--prune'])).out,
      /- endpoint orders\n0 created, 0 changed, 4 deleted/,
    );
  });

  it('compares with a file store too', async () => {
    const { runCli } = await import('../run-cli.ts');
    const store = files.write('store.yaml', document);
    const without = files.write('without.yaml', document.replace(`, appSecret: "${SECRET}"`, ''));
    const { code, out } = await runCli(['diff', '-f', without, '--prune', '--store', `file:${store}`]);
    assert.deepEqual([code, out], [0, 'No differences (4 unchanged).\n']);
  });
});

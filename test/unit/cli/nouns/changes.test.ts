import assert from 'node:assert/strict';
import { memoryCli, type MemoryCli } from './memory-cli.ts';
import { prepare } from './resources.ts';

describe('a command that changes the store', () => {
  let cli: MemoryCli;
  beforeEach(async () => {
    cli = await memoryCli();
    await prepare(cli);
  });

  /** Every verb that changes something, on what `prepare` and a credential of acme make. */
  const changing = [
    'endpoint create new --path /new --authentication key',
    'endpoint edit orders --description x',
    'endpoint disable orders',
    'endpoint delete orders --yes',
    'consumer create new',
    'consumer edit acme --name x',
    'consumer disable acme',
    'consumer delete acme --yes',
    'credential issue --consumer acme --method key',
    'credential import --consumer acme --method hmac --app-key k --secret-from env:S',
    'credential rotate acme-hmac',
    'credential revoke acme-hmac --yes',
    'grant add --endpoint invoices --consumer globex',
    'grant remove --endpoint invoices --consumer acme',
    'limit set 1/day/endpoint --endpoint orders',
    'limit clear --endpoint keyed',
  ];
  const given = { environment: { S: 'a secret that is long enough' } };

  for (const command of changing) {
    it(`${command.split(' ').slice(0, 2).join(' ')}: prints with --dry-run what it would do, and does it only without`, async () => {
      await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'acme-hmac');
      const before = cli.store.revision;
      const dry = await cli.run([...command.split(' '), '--dry-run'], given);
      assert.equal(dry.code, 0, dry.err);
      assert.match(dry.out, /^[+~-] \w+ [\w/-]+.*\n[^]*Nothing was changed \(--dry-run\)\.\n$/);
      assert.equal(cli.store.revision, before);
      const json = await cli.run([...command.split(' '), '--dry-run', '-o', 'json'], given);
      const planned = JSON.parse(json.out) as { dryRun: boolean; revision: number | null; changes: unknown[] };
      assert.deepEqual([planned.dryRun, planned.revision, planned.changes.length > 0], [true, null, true]);
      assert.equal(cli.store.revision, before);
      const done = await cli.run([...command.split(' '), '-o', 'json'], given);
      assert.equal(done.code, 0, done.err);
      const told = JSON.parse(done.out) as { dryRun: boolean; revision: number; changes: unknown[] };
      assert.deepEqual([told.dryRun, told.revision], [false, before + 1]);
      assert.equal(cli.store.revision, before + 1);
      const [event] = JSON.parse(await cli.done('audit', 'list', '-o', 'json')) as { action: string; actor: string }[];
      assert.deepEqual([event?.action, event?.actor], [command.split(' ').slice(0, 2).join(' '), 'ada']);
    });
  }

  for (const command of ['endpoint delete orders', 'consumer delete acme', 'credential revoke acme-hmac']) {
    it(`${command}: asks first, and without a terminal needs --yes`, async () => {
      await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'acme-hmac');
      const before = cli.store.revision;
      const nobody = await cli.run(command.split(' '));
      assert.deepEqual([nobody.code, nobody.out], [2, '']);
      assert.match(nobody.err, /add --yes/);
      for (const answer of ['', 'n', 'what?']) {
        const no = await cli.run(command.split(' '), { ask: async () => await Promise.resolve(answer) });
        assert.deepEqual([no.code, no.err], [1, 'Nothing was changed.\n']);
      }
      assert.equal(cli.store.revision, before);
      const yes = await cli.run(command.split(' '), { ask: async () => await Promise.resolve('yes') });
      assert.deepEqual([yes.code, cli.store.revision], [0, before + 1]);
    });
  }

  describe('when another operator is quicker', () => {
    /** Runs a command between the plan of another one and its commit. */
    const meanwhile = (command: string): void => {
      cli.store.beforeCommit = async () => {
        cli.store.beforeCommit = null;
        await cli.done(...command.split(' '));
      };
    };

    it('plans again on what they left: labels, options and fields of both hold', async () => {
      meanwhile('consumer edit acme --label b=2 --unset label.tier');
      const { code, out, err } = await cli.run(['consumer', 'edit', 'acme', '--label', 'a=1']);
      assert.deepEqual([code, err], [0, '']);
      assert.match(out, /Consumer acme changed\.\n$/);
      assert.deepEqual((await cli.store.find('consumer', 'acme'))?.resource.labels, { a: '1', b: '2' });
      meanwhile('endpoint edit orders --option clockSkewSeconds=60');
      assert.equal((await cli.run(['endpoint', 'edit', 'orders', '--description', 'x'])).code, 0);
      const orders = (await cli.store.find('endpoint', 'orders'))?.resource;
      assert.deepEqual([orders?.description, orders?.options], ['x', { ...orders?.options, clockSkewSeconds: 60 }]);
    });

    it('disables what was edited at the same time', async () => {
      await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'acme-hmac');
      meanwhile('credential rotate acme-hmac');
      assert.equal((await cli.run(['credential', 'revoke', 'acme-hmac', '--yes'])).code, 0);
      assert.equal((await cli.store.find('credential', 'acme-hmac'))?.resource.state, 'revoked');
      meanwhile('consumer edit acme --name Other');
      assert.equal((await cli.run(['consumer', 'disable', 'acme'])).code, 0);
      assert.equal((await cli.store.find('consumer', 'acme'))?.resource.enabled, false);
    });

    it('asks again when the question is another one now', async () => {
      const asked: string[] = [];
      meanwhile('credential issue --consumer acme --method hmac');
      const ask = async (question: string): Promise<string> => await Promise.resolve((asked.push(question), 'yes'));
      assert.equal((await cli.run(['consumer', 'delete', 'acme'], { ask })).code, 0);
      assert.deepEqual(
        asked.map((question) => /revoke \d credentials?/.exec(question)?.[0]),
        ['revoke 0 credentials', 'revoke 1 credential'],
      );
    });

    it('ends with 4 where a revision was given, and where a new secret would end one that was just made', async () => {
      meanwhile('endpoint disable orders');
      const edited = await cli.run(['endpoint', 'edit', 'orders', '--description', 'x', '--revision', '1']);
      assert.equal(edited.code, 4);
      assert.match(edited.err, /the endpoint "orders" has revision 2 now, not 1; look at it again\n$/);
      assert.equal((await cli.store.find('endpoint', 'orders'))?.resource.description, '');
      await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'acme-hmac');
      meanwhile('credential rotate acme-hmac --grace 0');
      const rotated = await cli.run(['credential', 'rotate', 'acme-hmac', '--grace', '0']);
      assert.equal(rotated.code, 4);
      assert.match(rotated.err, /^postern credential rotate: the credential "acme-hmac" was changed meanwhile\n$/);
    });
  });

  describe('when its outcome is unknown', () => {
    beforeEach(async () => {
      const { uncertain } = await import('../../../../src/stores/mongodb/faults.ts');
      await cli.done('credential', 'issue', '--consumer', 'acme', '--method', 'hmac', '--id', 'acme-hmac');
      cli.store.beforeCommit = () => {
        throw uncertain();
      };
    });
    const told =
      'MongoDB did not confirm the change: it may be in force. Look at what is stored before you repeat it\n';

    it('ends with 6, names each record, the command that shows it, and what that shows', async () => {
      const cases = [
        ['consumer create new', 'consumer new: it was, when "postern consumer show new" finds it'],
        ['endpoint disable orders', 'endpoint orders: it was, when "postern endpoint show orders" shows revision 2'],
        [
          'grant remove --endpoint invoices --consumer acme',
          'grant of acme on invoices: it was, when "postern grant list --endpoint invoices --consumer acme -o json" no longer finds it',
        ],
      ] as const;
      for (const [command, way] of cases) {
        const name = command.split(' ').slice(0, 2).join(' ');
        const { code, out, err } = await cli.run(command.split(' '));
        assert.deepEqual([code, err], [6, `postern ${name}: ${told}Whether it was made:\n  ${way}\n`]);
        assert.match(out, /\nNot confirmed: it may be in force\.\n$/);
      }
    });

    it('hands over the secret that may be in force, and says what to do with it', async () => {
      for (const [command, advice] of [
        ['credential issue --consumer acme --method hmac --id ghost', /Keep what is printed: .* issue it again\.\n$/],
        [
          'credential rotate acme-hmac --grace 0',
          /Keep what is printed: .* the former App Secret is refused from now on\. .*rotate again\.\n$/,
        ],
      ] as const) {
        const { code, out, err } = await cli.run(command.split(' '));
        assert.equal(code, 6);
        assert.match(out, /Not confirmed: it may be in force\.\n[^]* {2}App Secret {2}[\w-]{43}\n/);
        assert.match(err, advice);
        const json = JSON.parse((await cli.run([...command.split(' '), '-o', 'json'])).out) as Record<string, unknown>;
        assert.deepEqual([json['outcome'], json['revision'], json['dryRun']], ['unknown', null, false]);
        assert.match(String(json['appSecret']), /^[\w-]{43}$/);
      }
    });
  });

  it('ends with 5 when the store does not answer, without a stack trace', async () => {
    const { StoreUnavailable } = await import('../../../../src/check/store/credential-source.ts');
    cli.store.beforeCommit = () => {
      throw new StoreUnavailable('the store does not answer');
    };
    const { code, err } = await cli.run(['consumer', 'create', 'new']);
    assert.deepEqual([code, err], [5, 'postern consumer create: the store does not answer\n']);
  });

  it('closes the store, whatever comes of it', async () => {
    const count = cli.closed();
    await cli.run(['consumer', 'create', 'new']);
    await cli.run(['consumer', 'create', 'new']);
    await cli.run(['consumer', 'show', 'nobody']);
    await cli.run(['consumer', 'list']);
    assert.equal(cli.closed() - count, 4);
    assert.equal(cli.wishes.length, cli.closed());
  });

  it('sees a wrong command line before it opens the store', async () => {
    const count = cli.wishes.length;
    for (const command of [
      ...[
        'endpoint show Orders',
        'consumer create -x',
        'credential issue --consumer acme --method nonsense',
        'grant add --endpoint a/b',
      ],
      ...[
        'limit set',
        'audit list --since yesterday',
        'endpoint edit orders --limit 5',
        'consumer list --limit 0',
        'consumer crate x',
      ],
      ...[
        'credential rotate a --grace soon',
        'endpoint create a --path x',
        'credential revoke',
        'endpoint edit a --revision x',
      ],
    ]) {
      const { code, out, err } = await cli.run(command.split(' '));
      assert.deepEqual([code, out], [2, ''], command);
      assert.match(err, /^error: /);
    }
    assert.equal(cli.wishes.length, count);
  });

  it('hands on --store', async () => {
    await cli.done('consumer', 'list', '--store', 'file:other.yaml');
    await cli.done('consumer', 'disable', 'acme', '--store', 'file:third.yaml');
    assert.deepEqual(
      cli.wishes.slice(-2).map(({ store }) => store),
      ['file:other.yaml', 'file:third.yaml'],
    );
  });

  it('counts the rest of a long list of changes', async () => {
    const flags = Array.from({ length: 25 }, (_, index) => `c${String(index)}`);
    for (const id of flags) await cli.done('consumer', 'create', id);
    const out = await cli.done('grant', 'add', '--endpoint', 'invoices', ...flags.flatMap((id) => ['--consumer', id]));
    assert.equal(out.match(/^\+ grant /gm)?.length, 20);
    assert.match(out, /\n… and 5 more changes\n/);
  });

  it('lets a change that is under way end when it is interrupted', async () => {
    const { runCommand } = await import('../../../../src/cli/program.ts');
    const said: string[] = [];
    const exits: number[] = [];
    let interrupt = (): void => undefined;
    const code = await runCommand(
      ['consumer', 'create', 'new'],
      {
        environment: {},
        out: { isTerminal: false, write: () => undefined },
        err: { isTerminal: false, write: (text) => said.push(text) },
        onStopSignal: (stop) => {
          interrupt = () => {
            stop({ isHurried: true });
          };
        },
        onCrash: () => undefined,
        exit: (exitCode) => {
          exits.push(exitCode);
          throw new Error('exit');
        },
      },
      {
        clock: { nowSeconds: () => 0, nowMs: () => 0, elapsedMs: () => 0 },
        openStore: async () =>
          await Promise.resolve({
            ...{
              usage: cli.store,
              due: null,
              audit: cli.store,
              actor: 'ada',
              refusals: null,
              traffic: cli.traffic,
              sealed: null,
              isTokenRevoked: null,
              sessions: null,
              once: null,
              jobs: null,
              directory: null,
              replicas: null,
              file: null,
            },
            resources: {
              maxChangesPerCommit: cli.store.maxChangesPerCommit,
              find: async (kind, id) => await cli.store.find(kind, id),
              list: (kind) => cli.store.list(kind),
              commit: async (changes, operation) => {
                interrupt();
                const revision = await cli.store.commit(changes, operation);
                assert.deepEqual(exits, []);
                assert.throws(interrupt, /exit/);
                return revision;
              },
            },
            [Symbol.asyncDispose]: async () => {
              await Promise.resolve();
            },
          }),
      },
    );
    assert.deepEqual([code, exits], [0, [6]]);
    assert.match(said.join(''), /^The change is under way/);
    assert.ok((await cli.store.find('consumer', 'new')) !== null);
    // Its outcome is known by now.
    interrupt();
    assert.deepEqual(exits, [6]);
    assert.match(said.join(''), /the change may be in force\.\nWhether it was made:\n {2}consumer new: it was, when /);
  });
});

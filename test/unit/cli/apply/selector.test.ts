import assert from 'node:assert/strict';
import { contentsOf } from '../../../support/manage/memory-resource-store.ts';
import { memoryCli, type MemoryCli } from '../nouns/memory-cli.ts';
import { runCli } from '../run-cli.ts';
import { useFiles } from './files.ts';

const payments = `version: 1
selector: { team: payments }
endpoints:
  - id: pay
    labels:
      team: payments
    scenario: partner-openapi
    match:
      paths: [{ prefix: /pay }]
    authentication: key
    accessCondition: authenticated-and-authorized
    enabled: true
consumers:
  - id: acme
    labels:
      team: payments
    enabled: true
    credentials:
      - id: acme-key
        method: key
        appKey: acme-app-key
        state: active
grants:
  - { endpoint: pay, consumer: acme }
  - { endpoint: pay, consumer: blue }
`;

const billing = `version: 1
endpoints:
  - { id: bill, labels: { team: billing }, scenario: open, match: { paths: [{ prefix: /bill }] } }
consumers:
  - { id: blue, labels: { team: billing } }
`;

describe('the selector of apply, diff, export and validate', () => {
  const files = useFiles();
  let cli: MemoryCli;
  let file = '';
  beforeEach(async () => {
    cli = await memoryCli();
    file = files.write('payments.yaml', payments);
    await cli.done('apply', '-f', files.write('billing.yaml', billing), '--selector', 'team=billing');
    await cli.done('apply', '-f', file, '--selector', 'team=payments');
  });

  it('exports what the same selector applies', async () => {
    const out = await cli.done('export', '--selector', 'team=payments', '--with-secrets');
    assert.equal(out.replaceAll(/^#.*\n/gm, ''), payments);
    assert.match(out, /^# It is a part of a store: "selector" keeps "postern apply" to it, also with --prune\.$/m);
    const exported = files.write('exported.yaml', out);
    const flags = ['-f', exported, '--selector', 'team=payments'];
    assert.match(await cli.done('diff', ...flags, '--prune'), /^No differences \(5 unchanged\)/);
    assert.match(await cli.done('apply', ...flags, '--prune', '--yes'), /^Nothing to change/);
    assert.equal((await runCli(['validate', ...flags])).code, 0);
    const json = files.write('exported.json', await cli.done('export', '--selector', 'team=payments', '-o', 'json'));
    assert.match(await cli.done('diff', '-f', json, '--prune'), /^No differences \(5 unchanged\)/);
  });

  it('exports an empty part, and says that it is empty', async () => {
    const { code, out, err } = await cli.run(['export', '--selector', 'team=paymnets']);
    assert.deepEqual([code, err], [0, 'note: nothing carries team=paymnets\n']);
    assert.match(out, /\nversion: 1\nselector: \{ team: paymnets \}\n$/);
  });

  it('is that of the files where the command has none', async () => {
    const fewer = payments.replace(/consumers:[^]*/, '');
    const out = await cli.done('apply', '-f', files.write('fewer.yaml', fewer), '--prune', '--yes');
    assert.match(out, /\n0 created, 0 changed, 4 deleted, 1 unchanged\n$/);
    assert.ok((await cli.store.find('consumer', 'blue')) !== null);
    const valid = await runCli(['validate', file]);
    assert.deepEqual([valid.code, valid.err], [0, '']);
  });

  it('has to be the same in the command and in all files that name one', async () => {
    const other = await cli.run(['apply', '-f', file, '--selector', 'team=billing', '--prune', '--yes']);
    assert.equal(other.code, 1);
    assert.match(other.out, /payments\.yaml:2:11: the command has team=billing, and this file is for another selector/);
    assert.match(other.out, /\n1 problem in 1 file\n$/);
    const second = files.write('second.yaml', 'version: 1\nselector: { team: payments, stage: live }\n');
    const both = await cli.run(['diff', '-f', file, second]);
    assert.equal(both.code, 2);
    assert.match(
      both.out,
      /second\.yaml:2:11: another one is on line 2 of \S*payments\.yaml: files of one document are for the same/,
    );
    const none = await cli.run(['diff', '-f', files.write('empty.yaml', 'version: 1\nselector: {}\n')]);
    assert.equal(none.code, 2);
    assert.match(none.out, /empty\.yaml:2:11: "selector" must name at least one label/);
    const whole = files.write(
      'rest.yaml',
      'version: 1\nconsumers: [{ id: acme, labels: { team: payments }, name: Acme }]\n',
    );
    assert.match(
      (await cli.run(['diff', '-f', files.write('own.yaml', 'version: 1\nselector: { team: payments }\n'), whole])).out,
      /~ consumer acme/,
    );
  });

  it('prunes what carries the label, and asks by the label', async () => {
    const before = await contentsOf(cli.store);
    let question = '';
    const { code } = await cli.run(
      ['apply', '-f', files.write('none.yaml', 'version: 1\n'), '--selector', 'team=payments', '--prune'],
      {
        ask: async (text) => {
          question = text;
          return await Promise.resolve('yes');
        },
      },
    );
    assert.equal(code, 0);
    assert.match(
      question,
      /^Delete what the files do not name of team=payments \(1 endpoint, 1 consumer, 1 credential, 2 grants\)\?/,
    );
    const after = await contentsOf(cli.store);
    assert.deepEqual(after.endpoint, before.endpoint.slice(0, 1));
    assert.deepEqual(after.consumer, before.consumer.slice(1));
  });

  it('refuses what reaches beyond it, with the place, and changes nothing', async () => {
    const before = await contentsOf(cli.store);
    const beyond = files.write(
      'beyond.yaml',
      `version: 1
endpoints:
  - { id: bill, labels: { team: payments }, scenario: open, match: { paths: [{ prefix: /bills }] } }
consumers:
  - { id: acme, name: Acme, labels: { team: payments } }
`,
    );
    for (const [command, failed] of [
      ['apply', 1],
      ['diff', 2],
    ] as const) {
      const { code, out } = await cli.run([command, '-f', beyond, '--selector', 'team=payments']);
      assert.equal(code, failed);
      assert.match(out, /beyond\.yaml:3:11: the endpoint "bill" carries team=billing in the store, not team=payments/);
      assert.match(out, /1 problem in 1 file\n$/);
    }
    assert.deepEqual(await contentsOf(cli.store), before);
    const unlabelled = files.write('unlabelled.yaml', 'version: 1\nconsumers: [{ id: new }]\n');
    for (const command of ['validate', 'diff', 'apply']) {
      const { code, out } = await cli.run([command, '-f', unlabelled, '--selector', 'team=payments', '-o', 'json']);
      const { problems } = JSON.parse(out) as { readonly problems: readonly object[] };
      assert.equal(code, command === 'diff' ? 2 : 1, command);
      assert.deepEqual(problems, [
        {
          file: unlabelled,
          line: 2,
          column: 13,
          path: 'consumers[0]',
          message: 'this consumer does not carry team=payments, the selector: set the label, or leave the consumer out',
        },
      ]);
    }
  });

  it('changes nothing of an endpoint that others got between the question and the answer', async () => {
    const { code, out, err } = await cli.run(
      ['apply', '-f', files.write('none.yaml', 'version: 1\n'), '--selector', 'team=payments', '--prune'],
      {
        ask: async () => {
          await cli.done('endpoint', 'edit', 'pay', '--label', 'team=billing');
          await cli.done('grant', 'remove', '--endpoint', 'pay', '--consumer', 'acme');
          return 'yes';
        },
      },
    );
    assert.equal(code, 0, err);
    assert.match(out, /\n0 created, 0 changed, 2 deleted/);
    assert.ok((await cli.store.find('endpoint', 'pay')) !== null);
    assert.ok((await cli.store.find('grant', 'pay/blue')) !== null);
    assert.equal(await cli.store.find('consumer', 'acme'), null);
  });

  it('ends with 4 where the rest reaches beyond the selector since', async () => {
    const changed = files.write('changed.yaml', payments.replace('consumer: blue', 'consumer: blue, limits: []'));
    cli.store.beforeCommit = async (changes) => {
      cli.store.beforeCommit = null;
      assert.deepEqual(
        changes.map(({ id }) => id),
        ['pay/blue'],
      );
      await cli.done('endpoint', 'edit', 'pay', '--label', 'team=billing');
    };
    const { code, out } = await cli.run(['apply', '-f', changed, '--selector', 'team=payments']);
    assert.equal(code, 4);
    assert.match(out, /the endpoint "pay" carries team=billing in the store, not team=payments: it belongs to others/);
    assert.equal((await cli.store.find('grant', 'pay/blue'))?.revision, 1);
  });

  it('lets grants lead out of a validated file, and a typed label only have one value', async () => {
    const plain = files.write('plain.yaml', payments.replace(/^selector.*\n/m, ''));
    assert.equal((await runCli(['validate', '-f', plain])).code, 1);
    const valid = await runCli(['validate', '-f', plain, '--selector', 'team=payments']);
    assert.deepEqual([valid.code, valid.err], [0, '']);
    for (const command of ['apply', 'diff', 'validate']) {
      const twice = await cli.run([command, '-f', file, '--selector', 'team=payments', '--selector', 'team=billing']);
      assert.deepEqual([twice.code, twice.out], [2, ''], command);
      assert.match(twice.err, /A label has one value: nothing carries both/);
    }
    const both = await cli.run(['export', '--selector', 'team=payments', '--consumer', 'acme']);
    assert.equal(both.code, 2);
    assert.match(both.err, /'--selector <name=value>' cannot be used with option '--consumer <id>'/);
  });

  it('is written into an export as it was typed, whatever that is', async () => {
    for (const value of ['a, version: 2', 'a # b', '}', '1', '']) {
      await cli.done('consumer', 'create', 'odd', '--label', `team=${value}`);
      const out = await cli.done('export', '--selector', `team=${value}`);
      assert.match(
        await cli.done('diff', '-f', files.write('odd.yaml', out), '--prune'),
        /^No differences \(1 unchanged/,
      );
      await cli.done('consumer', 'delete', 'odd', '--yes');
    }
  });
});

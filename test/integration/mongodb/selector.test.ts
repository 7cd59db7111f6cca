import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { sharedStoreArbitrary } from '../../support/declarative/shared-store-arbitrary.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { emptyCollections } from '../../support/mongodb/empty-collections.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { type CommandResult, runCli } from '../../unit/cli/run-cli.ts';

const resources = ['endpoints', 'consumers', 'credentials', 'grants'] as const;

/** A document of one team: an endpoint, consumers with a credential each, and their grants. */
function documentOf(team: string, consumers: number, limit: number): string {
  const names = Array.from({ length: consumers }, (_, index) => `${team}-${String(index)}`);
  return JSON.stringify({
    version: 1,
    endpoints: [
      {
        id: team,
        labels: { team },
        scenario: 'partner-openapi',
        match: { paths: [{ prefix: `/${team}` }] },
        authentication: 'key',
        trafficControl: { limits: [{ requests: limit, unit: 'minute', per: 'endpoint' }] },
      },
    ],
    consumers: names.map((id) => ({
      id,
      labels: { team },
      description: String(limit),
      credentials: [{ id: `${id}-key`, method: 'key', appKey: `${id}-app-key` }],
    })),
    grants: names.map((consumer) => ({ endpoint: team, consumer })),
  });
}

describe('teams that share a store on MongoDB', () => {
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let environment: Record<string, string> = {};
  before(async () => {
    folder = await temporaryDirectory();
    const file = join(folder.path, 'keyring.yaml');
    assert.equal((await runCli(['keyring', 'create', file])).code, 0);
    environment = { POSTERN_STORE: database.uri(), POSTERN_KEYRING: file, POSTERN_ACTOR: 'ada' };
  });
  beforeEach(async () => {
    await emptyCollections(database.db());
  });
  after(async () => {
    await folder[Symbol.asyncDispose]();
  });

  function write(name: string, text: string): string {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  }

  async function run(args: readonly string[], ask?: (question: string) => Promise<string>): Promise<CommandResult> {
    return await runCli(args, environment, ask === undefined ? {} : { ask });
  }

  async function done(...args: readonly string[]): Promise<string> {
    const { code, out, err } = await run(args);
    assert.equal(code, 0, `${args.join(' ')}: ${err}${out}`);
    return out;
  }

  /** Every document, with its revision and times, whose id `isWanted`. */
  async function documents(
    isWanted: (collection: string, document: Record<string, unknown>) => boolean,
  ): Promise<unknown> {
    const found: unknown[] = [];
    for (const name of resources) {
      const all = await database.db().collection<{ _id: string }>(name).find().sort({ _id: 1 }).toArray();
      found.push(...all.filter((each) => isWanted(name, each)));
    }
    return found;
  }

  it('changes and deletes nothing of others, whatever they have and whatever one team wants', async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(sharedStoreArbitrary, async ({ whole, wanted }) => {
        await emptyCollections(database.db());
        await done('apply', '-f', write('whole.json', JSON.stringify(whole)));
        const team = ['--selector', 'team=a', '--prune'];
        const exported = write('exported.yaml', await done('export', '--selector', 'team=a'));
        assert.match(await done('diff', '-f', exported, ...team), /^No differences/);

        const isOthers = (id: unknown, items: readonly { readonly id: string; readonly labels: object }[]): boolean =>
          items.some((item) => item.id === id && !('team' in item.labels && item.labels.team === 'a'));
        const ofOthers = async (): Promise<unknown> =>
          await documents((collection, { _id, consumerId, endpointId }) => {
            if (collection === 'grants') return isOthers(endpointId, whole.endpoints);
            if (collection === 'credentials') return isOthers(consumerId, whole.consumers);
            return isOthers(_id, collection === 'endpoints' ? whole.endpoints : whole.consumers);
          });
        const before = await ofOthers();
        const { code } = await run([
          'apply',
          '-f',
          write('wanted.json', JSON.stringify(wanted)),
          ...team,
          '--yes',
          '--revive',
        ]);
        if (code === 0) taken += 1;
        else assert.equal(code, 1);
        assert.deepEqual(await ofOthers(), before);
      }),
      { numRuns: 12 },
    );
    assert.ok(taken > 2, String(taken));
  });

  it('lets both teams apply at once', async () => {
    for (let round = 1; round <= 4; round += 1) {
      const results = await Promise.all(
        ['a', 'b', 'c'].map(async (team) => {
          const file = write(`${team}.json`, documentOf(team, 60 - round, round));
          return await run(['apply', '-f', file, '--selector', `team=${team}`, '--prune', '--yes']);
        }),
      );
      for (const { code, out, err } of results) assert.equal(code, 0, `${err}${out}`);
      for (const team of ['a', 'b', 'c']) {
        const file = join(folder.path, `${team}.json`);
        assert.match(await done('diff', '-f', file, '--selector', `team=${team}`, '--prune'), /^No differences/);
      }
    }
    assert.equal(await database.db().collection('consumers').countDocuments(), 3 * 56);
  });

  it('changes nothing of what another team got while the operator was asked', async () => {
    const file = write('a.json', documentOf('a', 2, 1));
    await done('apply', '-f', file, '--selector', 'team=a');
    const empty = write('empty.yaml', 'version: 1\n');
    const before = await documents((collection) => collection === 'credentials' || collection === 'grants');
    const { code, out } = await run(['apply', '-f', empty, '--selector', 'team=a', '--prune'], async () => {
      await done('endpoint', 'edit', 'a', '--label', 'team=b');
      for (const consumer of ['a-0', 'a-1']) await done('consumer', 'edit', consumer, '--label', 'team=b');
      return 'yes';
    });
    assert.equal(code, 0);
    assert.match(out, /0 created, 0 changed, 0 deleted|Nothing to change/);
    assert.deepEqual(await documents((collection) => collection === 'credentials' || collection === 'grants'), before);
    assert.equal(await database.db().collection('endpoints').countDocuments(), 1);

    await done('endpoint', 'edit', 'a', '--label', 'team=a');
    await done('consumer', 'edit', 'a-0', '--label', 'team=a');
    const refused = await run(['apply', '-f', empty, '--selector', 'team=a', '--prune'], async () => {
      await done('endpoint', 'edit', 'a', '--label', 'team=b');
      return 'yes';
    });
    assert.equal(refused.code, 4);
    assert.match(
      refused.out,
      /empty\.yaml:1:1: the consumer "a-0" is left out and would be deleted, but has a grant on the endpoint "a", which carries team=b/,
    );
    assert.deepEqual(await documents((collection) => collection === 'credentials' || collection === 'grants'), before);
  });

  it('keeps the labels of endpoints in the database and in the audit trail', async () => {
    await done('endpoint', 'create', 'orders', '--path', '/orders', '--scenario', 'open', '--label', 'team=a');
    await done('endpoint', 'edit', 'orders', '--label', 'team=b', '--label', 'a.b=$c');
    const [stored] = await database.db().collection('endpoints').find().toArray();
    assert.deepEqual(stored?.['labels'], { team: 'b', 'a.b': '$c' });
    assert.match(await done('endpoint', 'list', '--label', 'a.b=$c'), /orders/);
    const events = JSON.parse(await done('audit', 'list', '-o', 'json')) as readonly Record<
      string,
      { labels?: object }
    >[];
    assert.deepEqual(
      events.map(({ before, after }) => [before?.labels, after?.labels]),
      [
        [{ team: 'a' }, { team: 'b', 'a.b': '$c' }],
        [undefined, { team: 'a' }],
      ],
    );
    const wrong = database
      .db()
      .collection<{ _id: string }>('endpoints')
      .updateOne({ _id: 'orders' }, { $set: { labels: { team: 7 } } });
    await assert.rejects(wrong, /Document failed validation/);
  });
});

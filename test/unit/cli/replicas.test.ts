import assert from 'node:assert/strict';
import type { Replica } from '../../../src/resources/changes/replicas.ts';
import { consumer } from '../../support/pipeline/resources.ts';
import { memoryCli, type MemoryCli } from './nouns/memory-cli.ts';

function replica(parts: Partial<Replica> = {}): Replica {
  return {
    ...{ id: '0d5a1f7c93be', name: 'pod-a', version: '1.2.3', mode: 'following', unreadiness: null },
    ...{ revision: { latest: 9, underWay: [] }, ageMs: 7_200_000, silentMs: 1000, servesForMs: 3_600_000 },
    ...parts,
  };
}

const stale = { silentMs: 40_000, servesForMs: 3_540_000 };

describe('replicas', () => {
  let cli: MemoryCli;
  let replicas: Replica[];
  let forgotten: string[];

  beforeEach(async () => {
    cli = await memoryCli({ consumers: [consumer()] });
    replicas = [replica(), replica({ id: '8f21c6e0b47d', name: 'pod-b' })];
    forgotten = [];
    cli.replicas = {
      storeRevision: () => Promise.resolve({ latest: 9, underWay: [] }),
      list: () => Promise.resolve(replicas),
      forget: (id) => {
        forgotten.push(id);
        return Promise.resolve(id === '8f21c6e0b47d');
      },
    };
  });

  it('are listed with how far behind they are', async () => {
    replicas[1] = replica({ id: '8f21c6e0b47d', name: 'pod-b', ...stale, revision: { latest: 9, underWay: [6] } });
    const out = await cli.done('replicas');
    assert.match(out, /^0d5a1f7c93be {2}pod-a {2}1\.2\.3 +ready +9 +0 +1 second ago +2 hours$/m);
    assert.match(out, /^8f21c6e0b47d {2}pod-b {2}1\.2\.3 +stale +5 +4 +40 seconds ago +2 hours$/m);
    const [, second] = JSON.parse(await cli.done('replicas', '-o', 'json')) as Record<string, unknown>[];
    assert.deepEqual(
      [second?.['stale'], second?.['ready'], second?.['revision'], second?.['behind'], second?.['lastSeenSeconds']],
      [true, false, 5, 4, 40],
    );
  });

  it('are forgotten by id', async () => {
    assert.equal(await cli.done('replicas', '--forget', '8f21c6e0b47d'), 'Replica 8f21c6e0b47d is forgotten.\n');
    const { code, err } = await cli.run(['replicas', '--forget', 'x']);
    assert.deepEqual([code, err], [3, 'postern replicas: there is no replica "x"\n']);
  });

  it('are waited for: in force everywhere', async () => {
    assert.equal(await cli.done('wait', '--revision', '9'), 'In force on all 2 replicas.\n');
    assert.equal(await cli.done('wait'), 'In force on all 2 replicas.\n');
  });

  it('are waited for until they have it', async () => {
    replicas[1] = replica({ revision: { latest: 8, underWay: [] } });
    const waiting = cli.run(['wait', '--revision', '9']);
    setTimeout(() => (replicas[1] = replica()), 50);
    assert.equal((await waiting).code, 0);
  });

  it('are named when they are behind at the end of the time', async () => {
    replicas[1] = replica({ id: '8f21c6e0b47d', name: 'pod-b', revision: { latest: 8, underWay: [] } });
    const { code, out, err } = await cli.run(['wait', '--revision', '9', '--timeout', '1s']);
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.equal(err, 'Not in force on 1 of 2 replicas:\n  pod-b (8f21c6e0b47d) decides by revision 8\n');
  });

  it('are named when they are silent, unless they had it when they were last heard of', async () => {
    replicas[1] = replica({ id: '8f21c6e0b47d', name: 'pod-b', ...stale });
    assert.equal((await cli.run(['wait', '--revision', '9', '--timeout', '1s'])).code, 0);
    replicas[1] = { ...replicas[1], revision: { latest: 8, underWay: [] } };
    const { code, err } = await cli.run(['wait', '--revision', '9', '--timeout', '1s']);
    assert.equal(code, 1);
    assert.match(
      err,
      /pod-b \(8f21c6e0b47d\) has not reported for 40 s; it may serve revision 8 from memory, for 59 minutes more at most\n/,
    );
    assert.match(err, /postern replicas --forget ID/);
  });

  it('prove nothing when there are none', async () => {
    replicas = [];
    const { code, err } = await cli.run(['wait', '--timeout', '1s']);
    assert.equal(code, 1);
    assert.match(err, /^No replica reports, so it is not known whether it is in force anywhere/);
  });

  it('are not waited for with a revision that there is not', async () => {
    const { code, err } = await cli.run(['wait', '--revision', '10']);
    assert.deepEqual([code, err], [2, 'postern wait: the store has no revision 10 yet; its last one is 9\n']);
  });

  it('are waited for after a change with --wait, which stays made without them', async () => {
    assert.equal(
      await cli.done('consumer', 'disable', 'acme', '--wait'),
      '~ consumer acme\n    enabled: true → false\nConsumer acme disabled.\nIn force on all 2 replicas.\n',
    );
    replicas = replicas.map((each) => ({ ...each, revision: { latest: 1, underWay: [] } }));
    const { code, out, err } = await cli.run([
      ...['consumer', 'enable', 'acme', '--wait', '--wait-timeout', '1s', '-o', 'json'],
    ]);
    assert.equal(code, 1);
    assert.equal((JSON.parse(out) as { revision: number }).revision, 2);
    assert.match(err, /^The change is made\. Not in force on 2 of 2 replicas:/);
  });

  it('are waited for when all is as wished already: the one who tries again wants to know', async () => {
    replicas = replicas.map((each) => ({ ...each, revision: { latest: 8, underWay: [] } }));
    const again = ['consumer', 'enable', 'acme', '--wait', '--wait-timeout', '1s'];
    const { code, err } = await cli.run(again);
    assert.equal(code, 1);
    assert.match(err, /^Not in force on 2 of 2 replicas:/);
    assert.equal((await cli.run([...again, '--dry-run'])).code, 0);
  });
});

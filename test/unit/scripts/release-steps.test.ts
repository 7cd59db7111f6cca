import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatSteps, runSteps, type Step, type StepResult } from '../../../scripts/release/run-steps.mjs';

/** A step that runs a program in Node. */
function stepOf(name: string, program: string, more: Partial<Step> = {}): Step {
  const command = [process.execPath, '-e', program];
  return { name, command, where: 'Node', minutes: 1, lacks: () => null, ...more };
}

describe('the steps of npm run release:check', () => {
  let folder = '';
  let programs = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-release-'));
    programs = join(folder, 'ran');
  });
  after(() => rm(folder, { recursive: true }));

  const noted = (text: string, rest: string): string =>
    `require('node:fs').appendFileSync(${JSON.stringify(programs)}, '${text} '); ${rest}`;
  const run = async (steps: readonly Step[], tree: string | null, isAgain = false): Promise<readonly StepResult[]> =>
    await runSteps(steps, { folder: join(folder, 'release'), tree, isAgain, report: () => undefined });

  const steps = (): readonly Step[] => [
    stepOf('good', noted('good', "console.log('working'); console.log('7 passed, 0 failed')")),
    stepOf('bad thing', noted('bad', "console.error('one failed'); process.exitCode = 1")),
    stepOf('late', noted('late', 'setInterval(() => {}, 1000)'), { minutes: 0.01 }),
    stepOf('elsewhere', noted('elsewhere', ''), { lacks: () => 'needs another machine' }),
    { ...stepOf('gone', ''), command: [join('/nowhere', 'program')] },
  ];

  it('say how each ended, and why one did not run', async () => {
    const results = await run(steps(), 'one');
    assert.deepEqual(
      results.map(({ name, result, detail }) => [name, result, detail]),
      [
        ['good', 'passed', '7 passed, 0 failed'],
        ['bad thing', 'failed', 'one failed'],
        ['late', 'failed', 'not ended after 0.01 minutes'],
        ['elsewhere', 'not run', 'needs another machine'],
        ['gone', 'failed', '/nowhere/program cannot be started: ENOENT'],
      ],
    );
    assert.match(await readFile(join(folder, 'release/bad-thing.log'), 'utf8'), /^one failed\n$/);
    const lines = formatSteps(results, { expected: 6 }).split('\n');
    assert.equal(lines[0], 'what       where  min:s  result');
    assert.match(lines[1] ?? '', /^good {7}Node {3}0:0\d {3}passed: 7 passed, 0 failed$/);
    assert.equal(lines[4], 'elsewhere  Node          not run: needs another machine');
    assert.equal(lines.at(-2), '1 of 6 passed, 3 failed, 1 cannot be run on this machine, 1 not reached');
  });

  it('run again what did not pass, and what passed only on another tree or when asked to', async () => {
    const two = steps().slice(0, 2);
    const ranBy = async (action: () => Promise<unknown>): Promise<string> => {
      await rm(programs, { force: true });
      await action();
      return await readFile(programs, 'utf8');
    };
    assert.equal(await ranBy(() => run(two, 'one')), 'bad ');
    const [kept] = await run(two, 'one');
    assert.deepEqual([kept?.result, kept?.detail, kept?.isKept], ['passed', '7 passed, 0 failed', true]);
    assert.equal(await ranBy(() => run(two, 'one', true)), 'good bad ');
    // A call for one step keeps the results of the others.
    assert.equal(await ranBy(() => run(two.slice(1), 'one')), 'bad ');
    assert.equal(await ranBy(() => run(two, 'one')), 'bad ');
    assert.equal(await ranBy(() => run(two, null)), 'good bad ');
    assert.equal(await ranBy(() => run(two, 'other')), 'good bad ');
  });
});

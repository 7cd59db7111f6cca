import assert from 'node:assert/strict';
import { drills } from '../../../drills/drills.ts';
import { normalise } from '../../../drills/framework/normalise.ts';
import { recordedOutput } from '../../../drills/framework/recording.ts';
import { createStage } from '../../../drills/framework/stage.ts';
import { type Ended, runPostern } from '../../support/cli/run-postern.ts';
import { readDocument } from '../../support/docs/documents.ts';
import { type PosternSettings } from '../../support/stack/postern-process.ts';
import { runCli } from '../../unit/cli/run-cli.ts';

const page = readDocument('docs/drills.md');
/** `npm run test:drills` runs those that take longer, too. */
const isEveryOne = process.env['DRILLS'] === 'all';

/**
 * Runs the commands of a drill in this process, which costs a hundredth of a Node.js process; those that others start,
 * and `doctor`, as the built program.
 */
async function runHere(args: readonly string[], settings: PosternSettings, folder?: string): Promise<Ended> {
  if (folder === undefined || args[0] === 'doctor') return await runPostern(args, settings, folder);
  const former = process.cwd();
  process.chdir(folder);
  try {
    return await runCli(args, settings);
  } finally {
    process.chdir(former);
  }
}

describe('drills', function () {
  this.timeout(300_000);

  it('are all named in docs/drills.md, in the order of the list', () => {
    const headings = [...page.matchAll(/^### ([\w-]+)$/gm)].map(([, name]) => name);
    assert.deepEqual(
      headings,
      drills.map(({ name }) => name),
    );
  });

  for (const { name, run, isQuick } of drills) {
    if (!isQuick && !isEveryOne) continue;
    it(`${name} prints what is recorded`, async () => {
      let printed = '';
      const stage = createStage((text) => (printed += text), false, runHere);
      await run(stage).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${printed}`, { cause: error });
      });
      assert.deepEqual(normalise(printed), normalise(recordedOutput(name) ?? ''));
    });
  }
});

import assert from 'node:assert/strict';
import { drills } from '../../../drills/drills.ts';
import { normalise } from '../../../drills/framework/normalise.ts';
import { shownOutput } from '../../../drills/framework/page.ts';
import { createStage } from '../../../drills/framework/stage.ts';
import { readDocument } from '../../support/docs/documents.ts';

const page = readDocument('docs/drills.md');
/** `npm run test:drills` runs those that take longer, too. */
const isEveryOne = process.env['DRILLS'] === 'all';

describe('docs/drills.md', function () {
  this.timeout(300_000);

  it('names every drill, and what it is about', () => {
    const rows = [...page.matchAll(/^\| \[([\w-]+)\]\(#\1\) \| (.*) \|$/gm)].map(([, name, title]) => ({
      name,
      title,
    }));
    assert.deepEqual(
      rows,
      drills.map(({ name, title }) => ({ name, title })),
    );
  });

  for (const { name, run, isQuick } of drills) {
    if (!isQuick && !isEveryOne) continue;
    it(`shows what the drill ${name} prints`, async () => {
      let printed = '';
      const stage = createStage((text) => (printed += text), false);
      await run(stage).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${printed}`, { cause: error });
      });
      assert.deepEqual(normalise(printed), normalise(shownOutput(name) ?? ''));
    });
  }
});

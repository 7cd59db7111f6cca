import assert from 'node:assert/strict';
import { confirm } from '../../../src/cli/interaction.ts';
import { UsageError } from '../../../src/cli/failure.ts';

describe('a question before something that cannot be undone', () => {
  for (const [answer, goesOn] of [
    ['y', true],
    [' YES ', true],
    ['', false],
    ['n', false],
    ['yes please', false],
    ['ny', false],
  ] as const) {
    it(`takes "${answer}" as ${goesOn ? 'yes' : 'no'}`, async () => {
      const asked: string[] = [];
      const ask = async (question: string): Promise<string> => {
        asked.push(question);
        return await Promise.resolve(answer);
      };
      assert.equal(await confirm('Remove it?', { ask }), goesOn);
      assert.deepEqual(asked, ['Remove it? [y/N] ']);
    });
  }

  it('needs --yes without a terminal', async () => {
    for (const terminal of [{}, { ask: null }]) {
      await assert.rejects(confirm('Remove it?', terminal), (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, /add --yes/);
        return true;
      });
    }
  });
});

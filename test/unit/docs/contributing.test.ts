import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, readDocument, readFences } from '../../support/docs/documents.ts';

describe('CONTRIBUTING.md', () => {
  const commands = readFences(readDocument('CONTRIBUTING.md'), 'sh').flatMap((block) => block.split('\n'));

  it('makes a bug in a line that is there once, whose test is where it says', () => {
    const [, right = '', wrong = '', file = ''] =
      commands.map((command) => /sed -i 's\/(.+)\/(.+)\/' (\S+)$/.exec(command)).find((found) => found !== null) ?? [];
    assert.equal(readFileSync(join(projectRoot, file), 'utf8').split(right).length, 2);
    assert.notEqual(right, wrong);
    const tests = commands.flatMap((command) => /npx mocha (test\/unit\/check\/signing\S*)/.exec(command)?.[1] ?? []);
    assert.equal(tests.length, 2);
    for (const test of tests) assert.ok(existsSync(join(projectRoot, test)), test);
  });
});

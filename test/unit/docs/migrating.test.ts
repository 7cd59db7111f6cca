import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readPipeline } from '../../../src/partners/explain/read/shell-words.ts';
import { projectRoot, readDocument, readFences } from '../../support/docs/documents.ts';
import { useFiles } from '../cli/apply/files.ts';
import { runCli } from '../cli/run-cli.ts';

/** The commands of a page, each as the words after `postern`. */
function commandsOf(page: string): readonly (readonly string[])[] {
  return readFences(page, 'sh').flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => {
        const pipeline = readPipeline(line);
        assert.ok(!('problem' in pipeline), line);
        const [[program, ...words] = [], ...others] = pipeline;
        assert.deepEqual([program, others], ['postern', []], line);
        return words;
      }),
  );
}

describe('docs/migrating-from-kong.md', () => {
  const files = useFiles();
  const page = readDocument('docs/migrating-from-kong.md');

  it('has only commands that work, in the order in which they stand', async () => {
    const commands = commandsOf(page);
    assert.ok(commands.length >= 4);
    for (const words of commands) {
      const args = words.map((word) => {
        if (word === 'kong.yaml') return join(projectRoot, 'examples/kong/kong.yaml');
        return /\.(?:yaml|txt)$/.test(word) ? files.path(word) : word;
      });
      const { code, err } = await runCli(args);
      assert.equal(code, 0, `postern ${words.join(' ')}: ${err}`);
    }
  });

  it('has every flag that decides something', async () => {
    const { out } = await runCli(['import', 'kong', '--help']);
    const flags = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag = '']) => flag);
    const usual = ['--file', '--output', '--help'];
    assert.deepEqual(
      flags.filter((flag) => !usual.includes(flag) && !page.includes(flag)),
      [],
    );
  });
});

describe('examples/apisix', () => {
  it('has a document that is served', async () => {
    const { code, out } = await runCli(['validate', '-f', join(projectRoot, 'examples/apisix/postern.yaml')]);
    assert.equal(code, 0, out);
  });
});

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readConsole } from '../../support/docs/console-fence.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { memoryCli } from '../cli/nouns/memory-cli.ts';

/** Ids of keys, ages and moments differ from one time to the next, and with them the widths of columns. */
function comparable(text: string, file: string): string {
  return text
    .replaceAll(file, '/etc/postern/keyring.yaml')
    .replaceAll(/k\d{8}-[0-9a-f]{6}/g, 'KEY')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'TIME')
    .replaceAll(/\b\d+ s\b/g, 'AGE')
    .replaceAll(/ +/g, ' ');
}

describe('the commands of docs/key-ring.md', () => {
  const fences = readFences(readDocument('docs/key-ring.md'), 'console').map(readConsole);

  it('make a ring, rotate it, and take the former key out', async () => {
    await using folder = await temporaryDirectory();
    const file = join(folder.path, 'keyring.yaml');
    const cli = await memoryCli();
    // Of a database, `remove` looks whether the key still seals secrets: test/integration/mongodb/wrong-key-ring.test.ts.
    const environment: Record<string, string> = { POSTERN_STORE: 'file:postern.yaml' };
    let firstKey = '';
    let count = 0;
    for (const { command, output } of fences.flat()) {
      const [program = '', ...words] = command.replaceAll('/etc/postern/keyring.yaml', file).split(' ');
      if (program === 'export') {
        const [name = '', value = ''] = words.join(' ').split('=');
        environment[name] = value;
        continue;
      }
      assert.equal(program, 'postern');
      // Needs a database: test/integration/mongodb/rewrap.test.ts.
      if (words[1] === 'rewrap') continue;
      const args = words.map((word) => (/^k\d{8}-/.test(word) ? firstKey : word));
      const { code, out, err } = await cli.run(args, { environment, ask: () => Promise.resolve('yes') });
      assert.equal(code, 0, `${command}: ${err}`);
      firstKey ||= /k\d{8}-[0-9a-f]{6}/.exec(out)?.[0] ?? '';
      if (output !== '') assert.equal(comparable(out + err, file), comparable(output, file), command);
      count += 1;
    }
    assert.equal(count, 4);
    const { out } = await cli.run(['keyring', 'show', '-o', 'json'], { environment });
    assert.ok(!out.includes(firstKey), 'the former key is still there');
  });
});

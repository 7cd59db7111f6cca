import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../support/docs/documents.ts';

describe('what was built', () => {
  it('loads nothing that only the sources have', () => {
    const folder = join(projectRoot, 'dist');
    const programs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
    assert.ok(programs.length > 100);
    const faulty = programs.flatMap((name) =>
      [...readFileSync(join(folder, name), 'utf8').matchAll(/(?:from |import\()['"]\.[^'"]*\.ts['"]/g)].map(
        ([text]) => `${name}: ${text}`,
      ),
    );
    assert.deepEqual(faulty, []);
  });
});

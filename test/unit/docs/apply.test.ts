import assert from 'node:assert/strict';
import { MAX_DOCUMENT_BYTES, MAX_LARGE_DOCUMENT_BYTES } from '../../../src/resources/parse-document.ts';
import { MAX_CHANGES_PER_COMMIT } from '../../../src/model/bounds.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { memoryCli } from '../cli/nouns/memory-cli.ts';
import { useFiles } from '../cli/apply/files.ts';

const page = readDocument('docs/apply.md');

describe('docs/apply.md', () => {
  const files = useFiles();

  it('has only commands that work, in the order in which they stand', async () => {
    const cli = await memoryCli();
    const shared = await memoryCli();
    const file = files.write('postern.yaml', 'version: 1\nconsumers: [{ id: acme }]\n');
    const payments = readDocument('examples/gitops/payments.yaml');
    files.write('secret', 'a secret for tests, 32 characters');
    const paths: Readonly<Record<string, string>> = {
      'postern.yaml': file,
      'backup.yaml': files.path('backup.yaml'),
      'payments.yaml': files.write('payments.yaml', payments.replace('{ env: ACME_SECRET }', '{ file: secret }')),
    };
    const lines = readFences(page, 'sh').flatMap((fence) => fence.trim().split('\n'));
    const commands = lines.filter((line) => !line.includes('rewrap'));
    assert.ok(commands.length >= 7);
    for (const line of commands) {
      const words = line.replace(/ >.*/, '').split(' ').slice(1);
      const { code, out, err } = await (/payments/.test(line) ? shared : cli).run(
        words.map((word) => paths[word] ?? word),
      );
      assert.equal(code, 0, `${line}: ${err}${out}`);
    }
  });

  it('has the limits that hold', () => {
    for (const text of [
      `more than ${String(MAX_DOCUMENT_BYTES / 1024 / 1024)} MiB`,
      `${String(MAX_LARGE_DOCUMENT_BYTES / 1024 / 1024)} MiB is`,
      `Up to ${String(MAX_CHANGES_PER_COMMIT / 1000)} 000 changes are one transaction`,
      'steps of 5 000',
      'of more than 100 the rest',
    ]) {
      assert.ok(page.includes(text), text);
    }
  });
});

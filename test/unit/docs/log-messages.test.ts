import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeMessages } from '../../../src/gateway/observe/write-observer.ts';
import { projectRoot, readDocument, readTable } from '../../support/docs/documents.ts';

/** What a pattern finds in the source, with the file that it stands in. */
function findInSource(pattern: RegExp): readonly (readonly [file: string, found: string])[] {
  const files = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('gen/'))
    .flatMap((file) => {
      const text = readFileSync(join(projectRoot, 'src', file), 'utf8');
      return [...text.matchAll(pattern)].map(([, found = '']) => [file, found] as const);
    });
}

/** Every text that the source gives a logger as a constant message of a warning or an error. */
const CONSTANT_MESSAGE = /\blogger\.(?:warn|error)\(\s*'((?:[^'\\]|\\.)*)'/g;

const page = readDocument('docs/metrics-and-logs.md');

describe('the log messages in docs/metrics-and-logs.md', () => {
  const [, section = ''] = page.split('\n## Log messages\n');
  const shown = [...(section.split('\n### ')[0] ?? '').matchAll(/`([^`\n]+)`/g)]
    .map(([, text = '']) => text)
    .filter((text) => text !== '…');
  /** What a text of the page stands for: `…` in it is any text. */
  const patterns = shown.map((text) => {
    const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return new RegExp(`^${parts.join('.*')}$`);
  });

  it('are every warning and every error that Postern logs', () => {
    const ofWriting = Object.values(writeMessages).map(({ failed }) => failed);
    const messages = [
      ...findInSource(CONSTANT_MESSAGE),
      ...ofWriting.map((message) => ['gateway/observe/write-observer.ts', message] as const),
    ];
    assert.ok(messages.length > 40, 'the source was read');
    const missing = messages
      .filter(([, message]) => !patterns.some((pattern) => pattern.test(message)))
      .map(([file, message]) => `${file}: ${message}`);
    assert.deepEqual(missing, []);
  });
});

describe('the table of kinds of log lines in docs/metrics-and-logs.md', () => {
  it('has every kind that a flood can leave out, and no other', () => {
    const arguments_ = findInSource(/\bbudget\.take\((.+?)\)\)/g).map(([, argument]) => argument);
    // `${…}` is the part that varies, and a plain `code` the code of a refusal.
    const kinds = arguments_.flatMap((argument) => [
      ...Array.from(argument.matchAll(/'([^']+)'|`([^`]+)`/g), ([, constant, template = '']) =>
        (constant ?? template).replaceAll(/\$\{\w+\}/g, '…'),
      ),
      ...(/: code$/.test(argument) ? ['…'] : []),
    ]);
    const rows = readTable(page, 'Kind');
    const documented = rows.flatMap(([cell = '']) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, kind = '']) => kind));
    assert.deepEqual(documented.sort(), [...new Set(kinds)].sort());
  });
});

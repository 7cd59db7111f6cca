import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

/** Every text that the source gives a logger as a constant message. */
const CONSTANT_MESSAGE = /\blogger\.(?:info|warn|error)\(\s*'((?:[^'\\]|\\.)*)'/g;

describe('the table of log messages in docs/observability.md', () => {
  const page = readDocument('docs/observability.md');
  const shown = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

  it('has every message that Postern logs', () => {
    const messages = findInSource(CONSTANT_MESSAGE);
    assert.ok(messages.length > 40, 'the source was read');
    // A long message may be cut at a colon or semicolon, where `…` stands for the rest.
    const isShown = (message: string): boolean =>
      shown.some((text) => text === message || (text.endsWith('…') && message.startsWith(text.slice(0, -1).trimEnd())));
    const missing = messages.filter(([, message]) => !isShown(message)).map(([file, message]) => `${file}: ${message}`);
    assert.deepEqual(missing, []);
  });
});

describe('the table of kinds of log lines in docs/observability.md', () => {
  it('has every kind that a flood can leave out, and no other', () => {
    const arguments_ = findInSource(/\bbudget\.take\((.+?)\)\)/g).map(([, argument]) => argument);
    // `${…}` is the part that varies, and a plain `code` the code of a refusal.
    const kinds = arguments_.flatMap((argument) => [
      ...Array.from(argument.matchAll(/'([^']+)'|`([^`]+)`/g), ([, constant, template = '']) =>
        (constant ?? template).replaceAll(/\$\{\w+\}/g, '…'),
      ),
      ...(/: code$/.test(argument) ? ['…'] : []),
    ]);
    const rows = readTable(readDocument('docs/observability.md'), 'Kind');
    const documented = rows.flatMap(([kind = '']) => /`([^`]+)`/.exec(kind)?.[1] ?? '');
    assert.deepEqual(documented.sort(), [...new Set(kinds)].sort());
  });
});

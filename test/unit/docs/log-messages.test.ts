import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, readDocument } from '../../support/documents.ts';

/** Every text that the source gives a logger as a constant message, with the file that does. */
function messagesOfSource(): readonly (readonly [file: string, message: string])[] {
  const files = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.ts') && !file.startsWith('gen/'))
    .flatMap((file) => {
      const text = readFileSync(join(projectRoot, 'src', file), 'utf8');
      const calls = text.matchAll(/\blogger\.(?:info|warn|error)\(\s*'((?:[^'\\]|\\.)*)'/g);
      return [...calls].map(([, message = '']) => [file, message] as const);
    });
}

describe('the table of log messages in docs/observability.md', () => {
  const page = readDocument('docs/observability.md');
  const shown = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text);

  it('has every message that Postern logs', () => {
    const messages = messagesOfSource();
    assert.ok(messages.length > 40, 'the source was read');
    // A long message may be cut at a colon or semicolon, where `…` stands for the rest.
    const isShown = (message: string): boolean =>
      shown.some((text) => text === message || (text.endsWith('…') && message.startsWith(text.slice(0, -1).trimEnd())));
    const missing = messages.filter(([, message]) => !isShown(message)).map(([file, message]) => `${file}: ${message}`);
    assert.deepEqual(missing, []);
  });
});

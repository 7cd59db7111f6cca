import assert from 'node:assert/strict';
import { settings } from '../../../src/gateway/config.ts';
import { readDocument } from '../../support/docs/documents.ts';

describe('the settings in docs/interfaces.md', () => {
  it('are what the code says, setting by setting', () => {
    const items = readDocument('docs/interfaces.md').matchAll(
      /^- `(POSTERN_\w+)`(?: \((`.+?`)\))?: ([^]+?)(?=\n- |\n\n)/gm,
    );
    const documented = [...items].map(([, name, defaultText = null, meaning = '']) => ({
      name,
      default: defaultText?.slice(1, -1) ?? null,
      meaning: meaning.replaceAll(/\s+/g, ' '),
    }));
    const inCode = Object.values(settings).map(({ name, default: usual, meaning }) => ({
      name,
      default: usual,
      meaning,
    }));
    assert.deepEqual(documented, inCode);
  });
});

import assert from 'node:assert/strict';
import { settings } from '../../../src/gateway/config.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';

describe('the table of settings in docs/interfaces.md', () => {
  it('says what the code says, setting by setting', () => {
    const documented = readTable(readDocument('docs/interfaces.md'), 'Variable');
    const inCode = Object.values(settings).map(({ name, default: defaultText, meaning }) => [
      `\`${name}\``,
      defaultText === null ? '–' : `\`${defaultText}\``,
      meaning,
    ]);
    assert.deepEqual(documented, inCode);
  });
});

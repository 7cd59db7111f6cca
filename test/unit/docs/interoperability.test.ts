import assert from 'node:assert/strict';
import { readDocument, readTable } from '../../support/docs/documents.ts';
import { readInteropTable } from '../../support/interop/table.ts';
import { signerRows, tokenClientRows } from '../../support/interop/table-rows.ts';

describe('docs/interoperability.md', () => {
  const page = readDocument('docs/interoperability.md');
  const { signers, tokenClients } = readInteropTable();

  it('says of every signing library what test/interop shows', () => {
    assert.deepEqual(readTable(page, 'Library'), signerRows(signers));
  });

  it('says of every token client what test/interop shows', () => {
    assert.deepEqual(readTable(page, 'Token client'), tokenClientRows(tokenClients));
  });
});

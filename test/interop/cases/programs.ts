import assert from 'node:assert/strict';
import { type ProgramFolder, readInteropTable } from '../../support/interop/table.ts';
import { signerCases } from './signers.ts';
import { tokenClientCases } from './token-clients.ts';
import { type Subject, usePrograms } from './use-programs.ts';

/** Every library of interop/table.json that the programs of a folder of `interop/` run, and what else they show. */
export function testPrograms(folder: ProgramFolder, ...more: readonly ((subject: () => Subject) => void)[]): void {
  describe(`libraries of others: ${folder}`, () => {
    const table = readInteropTable();
    const signers = table.signers.filter(({ program }) => program === folder);
    const tokenClients = table.tokenClients.filter(({ program }) => program === folder);
    const subject = usePrograms(folder);

    it('are all in the table', async () => {
      const found = await subject().driver.ask({ op: 'describe' });
      const names = {
        signers: signers.map(({ library }) => library),
        tokenClients: tokenClients.map(({ library, setting }) =>
          setting === null ? library : `${library} ${setting}`,
        ),
      };
      for (const kind of ['signers', 'tokenClients'] as const) {
        assert.deepEqual([...(found[kind] as readonly string[])].sort(), names[kind].sort(), kind);
      }
    });
    for (const row of signers) signerCases(row, subject);
    for (const row of tokenClients) tokenClientCases(row, subject);
    for (const cases of more) cases(subject);
  });
}

// `npm run sbom`: the software bill of materials of what runs in production. THIRD-PARTY.md
import { writeFileSync } from 'node:fs';
import { runCommand } from './command.mjs';
import { writeBill } from './sbom/bill.mjs';
import { DependencyFailure, readRuntimePackages } from './sbom/runtime-packages.mjs';

const usage = `Usage: npm run sbom --silent [-- --output FILE]

Writes the software bill of materials of the runtime dependencies (CycloneDX 1.6, JSON) to FILE, or prints it. The same
package-lock.json gives the same bytes; a time is in it only when SOURCE_DATE_EPOCH says which.

Exit codes: 0 written · 1 node_modules is not as package-lock.json says · 2 usage
`;

await runCommand({
  usage,
  options: { output: { type: 'string' } },
  Failure: DependencyFailure,
  run: ({ output }) => {
    const epoch = process.env.SOURCE_DATE_EPOCH ?? '';
    const bill = writeBill(readRuntimePackages(), epoch === '' ? {} : { timestamp: new Date(Number(epoch) * 1000) });
    if (output === undefined) process.stdout.write(bill);
    else writeFileSync(output, bill);
  },
});

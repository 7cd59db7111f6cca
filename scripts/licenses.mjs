// `npm run licenses`: which licences the runtime dependencies have. THIRD-PARTY.md
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './command.mjs';
import { writePage } from './licenses/page.mjs';
import { allowedLicenses, findForbidden } from './licenses/rules.mjs';
import { DependencyFailure, readRuntimePackages, root } from './sbom/runtime-packages.mjs';

const usage = `Usage: npm run licenses [-- --check]

Writes THIRD-PARTY.md: the licence of every package that runs in production. Fails when one is not allowed.

  --check   writes nothing; fails when the file is not up to date, too

Exit codes: 0 good · 1 a licence is not allowed, or the file is not up to date · 2 usage
`;
const file = join(root, 'THIRD-PARTY.md');

await runCommand({
  usage,
  options: { check: { type: 'boolean', default: false } },
  Failure: DependencyFailure,
  run: ({ check }) => {
    const read = readRuntimePackages();
    const forbidden = findForbidden(read.packages);
    if (forbidden.length > 0) {
      process.stderr.write(
        `These licences are not allowed (${allowedLicenses.join(', ')} are):\n${forbidden.map((line) => `  ${line}\n`).join('')}`,
      );
      return 1;
    }
    const text = writePage(read);
    if (!check) {
      writeFileSync(file, text);
    } else if (readFileSync(file, 'utf8') !== text) {
      process.stderr.write('THIRD-PARTY.md is not up to date: npm run licenses\n');
      return 1;
    }
    process.stdout.write(`${read.packages.length} packages, all with licences that are allowed\n`);
    return 0;
  },
});

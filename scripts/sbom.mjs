// `npm run sbom`: the software bill of materials of what runs in production. docs/licenses.md
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { writeBill } from './sbom/bill.mjs';
import { DependencyFailure, readRuntimePackages } from './sbom/runtime-packages.mjs';

const usage = `Usage: npm run sbom --silent [-- --output FILE]

Writes the software bill of materials of the runtime dependencies (CycloneDX 1.6, JSON) to FILE, or prints it. The same
package-lock.json gives the same bytes; a time is in it only when SOURCE_DATE_EPOCH says which.

Exit codes: 0 written · 1 node_modules is not as package-lock.json says · 2 usage
`;

function parse(args) {
  try {
    return parseArgs({ args, options: { output: { type: 'string' }, help: { type: 'boolean', default: false } } })
      .values;
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${usage}`);
    return null;
  }
}

function main(args) {
  const options = parse(args);
  if (options === null) return 2;
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  const epoch = process.env.SOURCE_DATE_EPOCH ?? '';
  try {
    const bill = writeBill(readRuntimePackages(), epoch === '' ? {} : { timestamp: new Date(Number(epoch) * 1000) });
    if (options.output === undefined) process.stdout.write(bill);
    else writeFileSync(options.output, bill);
    return 0;
  } catch (error) {
    if (!(error instanceof DependencyFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

process.exitCode = main(process.argv.slice(2));

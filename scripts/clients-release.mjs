// `npm run clients:release`: every package of clients/, ready to publish. docs/releasing.md
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packages } from './clients/packages.mjs';
import { emptyFolder, formatPackage, releasePackage, writeSums } from './clients/release.mjs';
import { writeSecondTree } from './clients/second-tree.mjs';
import { installTools, thisMachine } from './clients/tools.mjs';
import { findOtherClientVersions, isVersion, readVersion, writeVersion } from './clients/versions.mjs';
import { runCommand } from './command.mjs';
import { root } from './sbom/runtime-packages.mjs';

const names = packages.map(({ client }) => client);

const usage = `Usage: npm run clients:release [-- --only CLIENT]… [--out FOLDER]
       npm run clients:release -- --write-version X.Y.Z

Builds the package of every client twice, the second time from a copy in another folder, and compares the bytes; checks
each with the tools of its registry; and writes packages, bills of materials (CycloneDX) and SHA256SUMS. Publishes
nothing. Takes about ten minutes.

  --only CLIENT          only this one; repeatable: ${names.join(', ')}
  --out FOLDER           where to write (default: build/clients); what is there is replaced
  --write-version X.Y.Z  writes the version into clients/VERSION and all that repeats it, and does nothing else

Exit codes: 0 ready · 1 a package is not ready, or a tool is missing · 2 usage
`;

await runCommand({
  usage,
  options: {
    only: { type: 'string', multiple: true, default: names },
    out: { type: 'string', default: join(root, 'build/clients') },
    'write-version': { type: 'string' },
  },
  check: ({ only, 'write-version': version }) => {
    const unknown = only.find((name) => !names.includes(name));
    if (unknown !== undefined) throw new Error(`--only: there is no client "${unknown}"`);
    if (version !== undefined && !isVersion(version)) {
      throw new Error(`--write-version must have the form X.Y.Z, not "${version}"`);
    }
  },
  Failure: class extends Error {},
  run: async ({ only, out, 'write-version': newVersion }) => {
    if (newVersion !== undefined) {
      writeVersion(root, newVersion);
      for (const place of findOtherClientVersions(root)) process.stdout.write(`left to you: ${place}\n`);
      return 0;
    }
    const others = findOtherClientVersions(root);
    for (const place of others) process.stdout.write(`✗ version: ${place}\n`);
    if (others.length > 0) return 1;
    return await release(only, resolve(out));
  },
});

async function release(only, out) {
  installTools(root);
  emptyFolder(out);
  const elsewhere = mkdtempSync(join(tmpdir(), 'postern-clients-'));
  const second = join(elsewhere, 'another place');
  try {
    writeSecondTree(root, second);
    const outcomes = [];
    const shared = { version: readVersion(root), trees: [root, second], out, machine: thisMachine(root) };
    for (const item of packages.filter(({ client }) => only.includes(client))) {
      const outcome = await releasePackage(item, shared);
      process.stdout.write(formatPackage(outcome));
      outcomes.push(outcome);
    }
    writeSums(
      out,
      outcomes.flatMap(({ files }) => files),
    );
    const failed = outcomes.filter(({ problems }) => problems.length > 0).length;
    const sum = failed === 0 ? 'All are ready' : `${failed} of ${outcomes.length} are not ready`;
    process.stdout.write(`${sum}: ${out}\n`);
    return failed === 0 ? 0 : 1;
  } finally {
    rmSync(elsewhere, { recursive: true, force: true });
  }
}

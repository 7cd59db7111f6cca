// Lints descriptions, and what each becomes when its references are put into one file: node lint.mjs FILE…
// Prints every problem; the exit code is 1 when there is one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { bundle, createConfig, lint, stringifyYaml } from '@redocly/openapi-core';

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // postern.yaml holds components only, for others to use.
    'no-unused-components': 'off',
    'no-empty-servers': 'off',
    'no-server-example.com': 'off',
    'operation-4xx-response': 'error',
    'component-name-unique': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-schema-type-mismatch': 'error',
    'no-required-schema-properties-undefined': 'error',
    'operation-operationId': 'error',
    'security-defined': 'error',
  },
});

/** The problems of a file, one text each. */
async function problemsOf(file) {
  const problems = await lint({ ref: file, config });
  return problems.map(
    ({ ruleId, message, location: [place] }) => `${file}${place?.pointer ?? ''}: ${ruleId}: ${message}`,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'postern-openapi-'));
try {
  const problems = [];
  for (const file of process.argv.slice(2)) {
    problems.push(...(await problemsOf(file)));
    const { bundle: whole, problems: unresolved } = await bundle({ ref: file, config });
    problems.push(...unresolved.map(({ message }) => `${file}: ${message}`));
    const single = join(folder, basename(file));
    await writeFile(single, stringifyYaml(whole.parsed, { noRefs: true }));
    problems.push(...(await problemsOf(single)));
  }
  for (const problem of problems) console.log(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await rm(folder, { recursive: true });
}

// THIRD-PARTY.md, made from the packages.
import { allowedLicenses } from './rules.mjs';

/** The file as text; names and versions only, because the texts of licences travel with the packages. */
export function writePage({ packages }) {
  const unique = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]));
  const rows = [...unique.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  const without = rows.filter(({ licenseFiles }) => licenseFiles.length === 0).map(({ name }) => name);
  const counts = new Map();
  for (const { license } of rows) counts.set(license, (counts.get(license) ?? 0) + 1);
  return `# Licences of runtime dependencies

The licence of every package that runs with Postern. \`npm run licenses\` writes this file; do not edit it.

Postern is under [Apache-2.0](LICENSE). It runs with these ${rows.length} npm packages. Their licence texts are in the packages'
folders, and so in the image (\`/app/node_modules\`) and in every installation. These packages bring no licence file:
${without.join(', ')}.
\`npm run sbom --silent\` prints the bill of materials (CycloneDX), with checksums; the image has it as
\`/app/sbom.cdx.json\`.

Allowed are ${allowedLicenses.join(', ')}.
A package with another licence fails \`npm run licenses -- --check\` and the tests. Node and its base image have their own
licences, and so have Envoy, MongoDB, Redis or Valkey and the rate limit service, which Postern does not contain.

| Licence | Packages |
|---|---|
${[...counts]
  .sort(([a], [b]) => compare(a, b))
  .map(([license, count]) => `| ${license} | ${count} |`)
  .join('\n')}

| Package | Version | Licence |
|---|---|---|
${rows.map(rowOf).join('\n')}
`;
}

const rowOf = ({ name, version, license }) => `| ${name} | ${version} | ${license} |`;

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

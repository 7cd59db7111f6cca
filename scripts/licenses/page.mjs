// docs/licenses.md, made from the packages.
import { allowedLicenses } from './rules.mjs';

/** The page as text; names and versions only, because the texts of licences travel with the packages. */
export function writePage({ packages }) {
  const unique = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]));
  const rows = [...unique.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  const counts = new Map();
  for (const { license } of rows) counts.set(license, (counts.get(license) ?? 0) + 1);
  return `# Licences of runtime dependencies

Made by \`npm run licenses\`; do not edit. Postern itself is under [Apache-2.0](../LICENSE).

These ${rows.length} npm packages run with Postern. Their licence texts are in the folders of the packages, and so in the image (\`/app/node_modules\`) and in every
installation. Allowed are ${allowedLicenses.join(', ')}; a dependency with another licence fails the check (\`npm run licenses -- --check\`) and the tests.
The software bill of materials (CycloneDX, \`npm run sbom --silent\`) names the same packages with their checksums, and is in the image as \`/app/sbom.cdx.json\`.
Node and the system below it come with the base image, which has licences of its own; so have Envoy, MongoDB, Redis or Valkey and the rate limit service, which
Postern talks to and does not contain.

| Licence | Packages |
|---|---|
${[...counts]
  .sort(([a], [b]) => compare(a, b))
  .map(([license, count]) => `| ${license} | ${count} |`)
  .join('\n')}

| Package | Version | Licence | Licence files |
|---|---|---|---|
${rows.map(rowOf).join('\n')}
`;
}

function rowOf({ name, version, license, licenseFiles }) {
  return `| ${name} | ${version} | ${license} | ${licenseFiles.join(', ') || 'none in the package'} |`;
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

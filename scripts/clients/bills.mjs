// The software bill of materials of each client: what is in its package, or is locked with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeBill } from '../sbom/bill.mjs';

const read = (root, path) => readFileSync(join(root, path), 'utf8');

/** What is bundled into postern-explain, as its file of licences says, with the checksums of package-lock.json. */
function bundledPackages({ root }) {
  const lock = JSON.parse(read(root, 'package-lock.json')).packages;
  const notices = read(root, 'clients/explain/dist/lib/THIRD-PARTY-LICENSES.txt');
  return [...notices.matchAll(/(?:^|\n-{80}\n\n)(\S+) (\d\S*) \((.*)\)\n/g)].map(([, name, version, license]) => ({
    path: `node_modules/${name}`,
    name,
    version,
    license,
    integrity: lock[`node_modules/${name}`]?.integrity ?? null,
    dependencies: [],
    isDirect: true,
  }));
}

/** What Cargo.lock pins for all features, without what only tests need. */
async function cratePackages({ root, machine }) {
  const folder = join(root, 'clients/rust');
  const args = ['metadata', '--locked', '--all-features', '--format-version', '1'];
  const { code, stdout, output } = await machine.run(machine.findTool('cargo'), args, { cwd: folder });
  if (code !== 0) throw new Error(`cargo metadata: ${output}`);
  const { packages, resolve } = JSON.parse(stdout);
  const nodes = new Map(resolve.nodes.map((node) => [node.id, node]));
  const below = (id) =>
    nodes
      .get(id)
      .deps.filter(({ dep_kinds }) => dep_kinds.some(({ kind }) => kind !== 'dev'))
      .map(({ pkg }) => pkg);
  const reached = new Set();
  const queue = below(resolve.root);
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    queue.push(...below(id));
  }
  const sums = new Map(
    [...read(root, 'clients/rust/Cargo.lock').matchAll(/name = "(.+)"\nversion = "(.+)"\n.*\nchecksum = "(.+)"/g)].map(
      ([, name, version, sum]) => [`${name}@${version}`, sum],
    ),
  );
  const pathOf = ({ name, version }) => `${name}@${version}`;
  const paths = new Map(packages.map((each) => [each.id, pathOf(each)]));
  const direct = new Set(below(resolve.root));
  return packages
    .filter(({ id }) => reached.has(id))
    .map((each) => ({
      path: pathOf(each),
      name: each.name,
      version: each.version,
      // Older crates write MIT/Apache-2.0.
      license: each.license?.replaceAll('/', ' OR ') ?? null,
      integrity: null,
      ecosystem: 'cargo',
      sha256: sums.get(pathOf(each)) ?? null,
      dependencies: below(each.id).map((id) => paths.get(id)),
      isDirect: direct.has(each.id),
    }));
}

const sources = { explain: bundledPackages, rust: cratePackages };

/** The bill as JSON text: the same bytes for the same files. Libraries of which a partner chooses the version are none. */
export async function writeClientBill({ client, name }, { version, root, machine }) {
  const packages = (await sources[client]?.({ root, machine })) ?? [];
  return writeBill({
    project: { name, version, description: `Postern's client: ${client}`, license: 'Apache-2.0' },
    direct: packages.filter(({ isDirect }) => isDirect).map(({ path }) => path),
    packages: packages.sort((a, b) => (a.path < b.path ? -1 : 1)),
  });
}

// Making every package of clients/ ready to publish, one after the other: built, built again elsewhere, judged.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { writeClientBill } from './bills.mjs';
import { installAdvice } from './tools.mjs';

const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/**
 * Builds and judges one package, and copies what it makes and its bill of materials to `out`: `{ client, files, packages,
 * problems }`, where `packages` are `{ file, sum }`, the same in both builds where no problem says otherwise. `trees` are the project and a copy of it elsewhere; `machine` has `findTool(name)`, a path or null, and
 * `run(program, args, options)`, `{ code, output }`.
 */
export async function releasePackage(item, { version, trees, out, machine }) {
  const { client } = item;
  const missing = item.tools.filter((tool) => machine.findTool(tool) === null);
  const problems = missing.map((tool) => `${tool} is missing: ${installAdvice(tool)}`);
  const files = [];
  const packages = [];
  const report = () => ({ client, files, packages, problems });

  const [folder, other] = trees.map((tree) => join(tree, 'clients', client));
  for (const [index, each] of [folder, other].entries()) {
    rmSync(join(each, 'dist'), { recursive: true, force: true });
    const { code, output } = await machine.run('./run', ['build'], { cwd: each, isElsewhere: index === 1 });
    if (code === 0) continue;
    problems.push(`"clients/${client}/run build" failed${index === 0 ? '' : ' in another folder'}:\n${output}`);
    return report();
  }
  problems.push(...item.artefacts(version).flatMap((artefact) => compareBuilds(artefact, folder, other)));
  for (const [program, ...args] of item.commands(version)) {
    const path = machine.findTool(program);
    if (path === null) continue;
    const { code, output } = await machine.run(path, args, { cwd: folder });
    if (code !== 0) problems.push(`"${[program, ...args].join(' ')}" in clients/${client}:\n${output}`);
  }
  problems.push(...(item.find?.({ folder, version }) ?? []));

  const published = item.published?.(version) ?? item.artefacts(version).map((artefact) => basename(artefact));
  for (const [index, artefact] of item.artefacts(version).entries()) {
    const from = join(folder, 'dist', artefact);
    if (!existsSync(from)) continue;
    copyFileSync(from, join(out, published[index]));
    files.push(published[index]);
    packages.push({ file: published[index], sum: sha256(readFileSync(from)) });
  }
  const bill = `postern-${client}-${version}.cdx.json`;
  try {
    writeFileSync(join(out, bill), await writeClientBill(item, { version, root: trees[0], machine }));
    files.push(bill);
  } catch (error) {
    problems.push(`no bill of materials: ${error.message}`);
  }
  return report();
}

function compareBuilds(artefact, folder, other) {
  const [first, second] = [folder, other].map((each) => {
    const path = join(each, 'dist', artefact);
    return existsSync(path) ? readFileSync(path) : null;
  });
  if (first === null || second === null) return [`dist/${artefact} was not made`];
  if (first.equals(second)) return [];
  return [
    `dist/${artefact} is not the same when it is built again elsewhere: ${sha256(first).slice(0, 12)}…, ` +
      `${sha256(second).slice(0, 12)}…`,
  ];
}

/** Writes SHA256SUMS over files of `out`, which `sha256sum --check` reads. */
export function writeSums(out, files) {
  const lines = [...files].sort().map((file) => `${sha256(readFileSync(join(out, file)))}  ${file}\n`);
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''));
}

/** Empties the folder that packages are written to. */
export function emptyFolder(out) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
}

/** The outcome of a package as text for people. */
export function formatPackage({ client, files, packages = [], problems }) {
  const lines = problems.flatMap((problem) => problem.trimEnd().split('\n'));
  const sums = packages.map(({ file, sum }) => `${sum}  ${file}`);
  return [
    `${problems.length === 0 ? '✓' : '✗'} ${client}: ${files.join(', ')}`,
    ...[...sums, ...lines].map((line) => `  ${line}`),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

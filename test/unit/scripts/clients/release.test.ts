import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPomProblems } from '../../../../scripts/clients/maven-rules.mjs';
import { type ClientPackage, packages } from '../../../../scripts/clients/packages.mjs';
import { formatPackage, type Machine, releasePackage, writeSums } from '../../../../scripts/clients/release.mjs';
import { readVersion } from '../../../../scripts/clients/versions.mjs';
import { projectRoot, readDocument } from '../../../support/docs/documents.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

const item: ClientPackage = {
  client: 'small',
  name: 'small-client',
  artefacts: (version) => [`small-${version}.tgz`],
  tools: ['judge'],
  commands: (version) => [['judge', `dist/small-${version}.tgz`]],
};

interface Behaviour {
  readonly lacking?: readonly string[];
  /** What each build writes; null where it fails. */
  readonly builds?: readonly (string | null)[];
  readonly verdict?: number;
}

/** Two trees with one client, and a machine that behaves so; gives the outcome and what was written. */
async function release({ lacking = [], builds = ['same', 'same'], verdict = 0 }: Behaviour): Promise<{
  readonly files: readonly string[];
  readonly problems: readonly string[];
  readonly written: readonly string[];
  readonly ran: readonly string[];
  readonly sums: string;
}> {
  await using directory = await temporaryDirectory();
  const [first, second, out] = ['first', 'second', 'out'].map((name) => join(directory.path, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [join(first, 'clients/small'), join(second, 'clients/small'), out]) {
    await mkdir(folder, { recursive: true });
  }
  const left = [...builds];
  const ran: string[] = [];
  const machine: Machine = {
    findTool: (name) => (lacking.includes(name) ? null : `/tools/${name}`),
    run: async (program, args, { cwd }) => {
      ran.push([program, ...args].join(' '));
      if (program !== './run') return { code: verdict, stdout: '', output: 'the judge says no\n' };
      const content = left.shift() ?? null;
      if (content === null) return { code: 1, stdout: '', output: 'the compiler says no\n' };
      await mkdir(join(cwd, 'dist'));
      await writeFile(join(cwd, 'dist/small-1.2.3.tgz'), content);
      return { code: 0, stdout: '', output: '' };
    },
  };
  const outcome = await releasePackage(item, { version: '1.2.3', trees: [first, second], out, machine });
  writeSums(out, outcome.files);
  return {
    ...outcome,
    written: (await readdir(out)).sort(),
    ran,
    sums: await readFile(join(out, 'SHA256SUMS'), 'utf8'),
  };
}

describe('npm run clients:release', () => {
  it('writes a package that was built twice alike, its bill and checksums', async () => {
    const { files, problems, written, ran, sums } = await release({});
    assert.deepEqual(problems, []);
    assert.deepEqual(files, ['small-1.2.3.tgz', 'postern-small-1.2.3.cdx.json']);
    assert.deepEqual(written, ['SHA256SUMS', 'postern-small-1.2.3.cdx.json', 'small-1.2.3.tgz']);
    assert.deepEqual(ran, ['./run build', './run build', '/tools/judge dist/small-1.2.3.tgz']);
    // printf same | sha256sum
    assert.match(sums, /^0967115f2813a3541eaef77de9d9d5773f1c0c04314b0bbfe4ff3b3b1c55b5d5 {2}small-1\.2\.3\.tgz$/m);
  });

  it('refuses a package of which a second build has other bytes', async () => {
    const { problems } = await release({ builds: ['one', 'other'] });
    assert.match(problems.join('\n'), /^dist\/small-1\.2\.3\.tgz is not the same when it is built again elsewhere: /);
  });

  it('names a tool that is missing, and how to get it, as a failure', async () => {
    const { problems, ran } = await release({ lacking: ['judge'] });
    assert.deepEqual(problems, ['judge is missing: install judge']);
    assert.deepEqual(ran, ['./run build', './run build']);
  });

  it('says what a build or a tool of the registry said', async () => {
    const failed = await release({ builds: [null] });
    assert.deepEqual(failed.problems, ['"clients/small/run build" failed:\nthe compiler says no\n']);
    assert.deepEqual(failed.files, []);
    const again = await release({ builds: ['one', null] });
    assert.match(again.problems.join('\n'), /failed in another folder/);
    const judged = await release({ verdict: 1 });
    assert.deepEqual(judged.problems, ['"judge dist/small-1.2.3.tgz" in clients/small:\nthe judge says no\n']);
  });

  it('prints each package, and what is wrong below it', () => {
    assert.equal(
      formatPackage({ client: 'go', files: ['a.zip'], problems: ['one\ntwo\n'] }),
      '✗ go: a.zip\n  one\n  two\n',
    );
    assert.equal(
      formatPackage({ client: 'go', files: ['a.zip'], packages: [{ file: 'a.zip', sum: 'ab12' }], problems: [] }),
      '✓ go: a.zip\n  ab12  a.zip\n',
    );
  });

  it('publishes every name once, and knows every client that has a package', async () => {
    const version = readVersion(projectRoot);
    const names = packages.flatMap((each) => each.published?.(version) ?? each.artefacts(version));
    assert.equal(new Set(names).size, names.length);
    const folders = await readdir(join(projectRoot, 'clients'));
    const doors: string[] = [];
    for (const folder of folders) {
      const entries = await readdir(join(projectRoot, 'clients', folder)).catch((): string[] => []);
      if (entries.includes('run')) doors.push(folder);
    }
    assert.deepEqual(packages.map(({ client }) => client).sort(), doors.sort());
  });

  it('has every name that docs/releasing.md says to register', () => {
    const page = readDocument('docs/releasing.md');
    for (const { name } of packages) assert.ok(page.includes(name), name);
  });
});

describe('the rules of Maven Central', () => {
  const pom = readDocument('clients/java/pom.xml');

  it('hold for the POM of the client', () => {
    assert.deepEqual(findPomProblems(pom), []);
  });

  it('ask for what is about the project itself, and for a release', () => {
    assert.deepEqual(findPomProblems(pom.replace(/<description>.*<\/description>/, '')), [
      'pom.xml has no description',
    ]);
    assert.deepEqual(findPomProblems(pom.replace(/<developers>[^]*<\/developers>/, '<!-- <developers/> -->')), [
      'pom.xml has no developers/developer/name',
    ]);
    assert.deepEqual(findPomProblems(pom.replace(/^  <version>.*</m, '  <version>1.2.3-SNAPSHOT<')), [
      'pom.xml: the version is 1.2.3-SNAPSHOT; a release is no snapshot',
    ]);
  });
});

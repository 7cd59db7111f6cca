import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validation, Spec } from '@cyclonedx/cyclonedx-library';
import { specVersion, writeBill } from '../../../scripts/sbom/bill.mjs';
import { DependencyFailure, readRuntimePackages } from '../../../scripts/sbom/runtime-packages.mjs';
import { projectRoot } from '../../support/docs/documents.ts';

interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly timestamp?: string; readonly component: { readonly version: string } };
  readonly components: readonly {
    readonly group?: string;
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly licenses: readonly unknown[];
    readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

const parse = (text: string): Bill => JSON.parse(text) as Bill;

interface Tree {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, Tree>>;
}

function namesIn(tree: Tree, found = new Set<string>()): ReadonlySet<string> {
  for (const [name, below] of Object.entries(tree.dependencies ?? {})) {
    if (below.version === undefined) continue; // optional, and not there
    found.add(`${name}@${below.version}`);
    namesIn(below, found);
  }
  return found;
}

describe('the software bill of materials', () => {
  const read = readRuntimePackages();
  const text = writeBill(read);
  const bill = parse(text);

  it('follows the schema of CycloneDX', async () => {
    assert.equal(specVersion, '1.6');
    const faults: unknown = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text);
    assert.equal(faults, null);
    const broken: unknown = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(
      text.replace('"purl"', '"purI"'),
    );
    assert.notEqual(broken, null);
  });

  it('names the packages that npm says run in production, all of them and no other', function () {
    this.timeout(60_000); // npm reads every package

    const npm = spawnSync('npm', ['ls', '--omit=dev', '--all', '--json'], { cwd: projectRoot, encoding: 'utf8' });
    const named = new Set(
      bill.components.map(({ group, name, version }) => `${group === undefined ? '' : `${group}/`}${name}@${version}`),
    );
    assert.deepEqual([...named].sort(), [...namesIn(JSON.parse(npm.stdout) as Tree)].sort());
    assert.ok(named.size > 50);
  });

  it('gives each package with its address, its licence and its checksum', () => {
    for (const { purl, licenses, hashes } of bill.components) {
      assert.match(purl, /^pkg:npm\/[\w%@./-]+@\d/);
      assert.equal(licenses.length, 1, purl);
      assert.deepEqual(
        hashes.map(({ alg }) => alg),
        ['SHA-512'],
        purl,
      );
      assert.match(hashes[0]?.content ?? '', /^[0-9a-f]{128}$/, purl);
    }
  });

  it('says what needs what, from the project down to each package', () => {
    const edges = new Map(bill.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const walk = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const below of edges.get(ref) ?? []) walk(below);
    };
    walk('postern');
    assert.deepEqual([...reached].sort(), [...edges.keys()].sort());
    assert.equal(edges.size, bill.components.length + 1);
  });

  it('is the same each time, and has a serial number of its own when something differs', () => {
    assert.equal(writeBill(readRuntimePackages()), text);
    assert.equal(bill.metadata.timestamp, undefined);
    assert.match(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const newer = parse(writeBill({ ...read, project: { ...read.project, version: '9.9.9' } }));
    assert.notEqual(newer.serialNumber, bill.serialNumber);
    assert.equal(newer.metadata.component.version, '9.9.9');
  });

  it('has a time only when one is given', () => {
    const dated = parse(writeBill(read, { timestamp: new Date('2026-11-21T00:00:00Z') }));
    assert.equal(dated.metadata.timestamp, '2026-11-21T00:00:00.000Z');
  });
});

describe('reading what is installed', () => {
  let directory = '';
  const write = (path: string, content: unknown): void => {
    mkdirSync(join(directory, path, '..'), { recursive: true });
    writeFileSync(join(directory, path), JSON.stringify(content));
  };
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'postern-packages-'));
    write('package.json', { name: 'p', version: '1.0.0', dependencies: { a: '1.0.0' } });
    write('package-lock.json', {
      packages: {
        '': {},
        'node_modules/a': { version: '1.0.0', dependencies: { b: '^1' }, integrity: 'sha512-AA==' },
        'node_modules/a/node_modules/b': { version: '1.5.0' },
        'node_modules/b': { version: '2.0.0', dev: true },
        'node_modules/c': { version: '1.0.0', optional: true },
      },
    });
    write('node_modules/a/package.json', { name: 'a', version: '1.0.0', license: { type: 'MIT' } });
    write('node_modules/a/LICENSE', 'x');
    write('node_modules/a/node_modules/b/package.json', {
      name: 'b',
      version: '1.5.0',
      licenses: [{ type: 'MIT' }, 'ISC'],
    });
  });
  afterEach(() => {
    rmSync(directory, { recursive: true });
  });

  it('finds the nearest package of a name, leaves development and absent platforms out, and reads old forms of licences', () => {
    const { packages, direct } = readRuntimePackages(directory);
    assert.deepEqual(direct, ['node_modules/a']);
    assert.deepEqual(
      packages.map(({ path, license, dependencies, isDirect, licenseFiles }) => ({
        path,
        license,
        dependencies,
        isDirect,
        licenseFiles,
      })),
      [
        {
          path: 'node_modules/a',
          license: 'MIT',
          dependencies: ['node_modules/a/node_modules/b'],
          isDirect: true,
          licenseFiles: ['LICENSE'],
        },
        {
          path: 'node_modules/a/node_modules/b',
          license: '(MIT OR ISC)',
          dependencies: [],
          isDirect: false,
          licenseFiles: [],
        },
      ],
    );
  });

  it('refuses packages that are missing or of another version, all at once', () => {
    write('node_modules/a/package.json', { name: 'a', version: '1.0.1', license: 'MIT' });
    rmSync(join(directory, 'node_modules/a/node_modules/b'), { recursive: true });
    assert.throws(
      () => readRuntimePackages(directory),
      (error: unknown) =>
        error instanceof DependencyFailure &&
        error.message.includes('node_modules/a is 1.0.1, not 1.0.0') &&
        error.message.includes('node_modules/a/node_modules/b is missing') &&
        error.message.includes('npm ci'),
    );
  });
});

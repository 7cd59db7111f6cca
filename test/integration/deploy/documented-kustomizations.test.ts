import assert from 'node:assert/strict';
import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { findDocuments, projectRoot, readDocument, readFences } from '../../support/docs/documents.ts';
import { type JsonObject } from '../../support/envoy/envoy-config.ts';
import { listOf, textOf } from '../../support/kubernetes/manifest.ts';
import { renderKustomization } from '../../support/kubernetes/render-kustomization.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

/** A kustomization that a document shows, or a part of one. */
interface Shown {
  readonly where: string;
  /** Where a command of the document writes it; a part has no place. */
  readonly folder: string;
  readonly kustomization: JsonObject;
}

const partsOfKustomizations = ['components', 'configMapGenerator', 'secretGenerator', 'patches', 'images'];

function isKustomization(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, ...parts } = value as Readonly<Record<string, unknown>>;
  return kind === undefined
    ? partsOfKustomizations.some((part) => Array.isArray(parts[part]))
    : kind === 'Kustomization';
}

function shownIn(document: string): readonly Shown[] {
  const text = readDocument(document);
  const fences = readFences(text, 'yaml').map((yaml) => ({ folder: 'production', yaml }));
  const written = readFences(text, 'sh').flatMap((block) =>
    [...block.matchAll(/^cat > (\S+)\/kustomization\.yaml <<'END'\n(.*?)^END$/gms)].map(
      ([, folder = '', yaml = '']) => ({
        folder,
        yaml,
      }),
    ),
  );
  return [...fences, ...written].flatMap(({ folder, yaml }) => {
    const kustomization = parse(yaml, { logLevel: 'silent' }) as unknown;
    if (!isKustomization(kustomization)) return [];
    const names = Object.keys(kustomization).filter((key) => !['apiVersion', 'kind'].includes(key));
    return [{ where: `${document}: ${folder}: ${names.join(', ')}`, folder, kustomization }];
  });
}

/** The files of a reader's own that a kustomization names. */
function ownFiles(kustomization: JsonObject): readonly string[] {
  return listOf(kustomization, 'configMapGenerator').flatMap((generator) =>
    listOf(generator, 'files').flatMap((file) => (typeof file === 'string' ? [file] : [])),
  );
}

describe('kustomizations that documents show', () => {
  const all = findDocuments().flatMap(shownIn);

  it('are found', () => {
    assert.deepEqual([...new Set(all.map(({ where }) => where.split(':', 1)[0]))].sort(), [
      'docs/envoy-gateway.md',
      'docs/istio.md',
      'docs/kubernetes.md',
    ]);
  });

  for (const { where, folder, kustomization } of all) {
    it(`${where}: can be rendered, and does what it says`, async () => {
      await using directory = await temporaryDirectory();
      const root = await realpath(directory.path); // kustomize follows links before it follows ".."
      await symlink(join(projectRoot, 'deploy'), join(root, 'deploy'));
      await mkdir(join(root, folder), { recursive: true });
      for (const file of ownFiles(kustomization))
        await writeFile(join(root, folder, file), `# ${basename(file)} of a reader\n`);
      const isWhole = kustomization['kind'] !== undefined;
      const whole = isWhole ? kustomization : { resources: ['../deploy/overlays/plain-envoy'], ...kustomization };
      await writeFile(join(root, folder, 'kustomization.yaml'), JSON.stringify(whole));
      const manifests = await renderKustomization(join(root, folder));
      const texts = manifests.map((manifest) => JSON.stringify(manifest));
      for (const file of ownFiles(kustomization)) {
        assert.ok(
          texts.some((text) => text.includes(`# ${basename(file)} of a reader`)),
          `${file} is in no object`,
        );
      }
      for (const image of listOf(kustomization, 'images')) {
        const name = textOf(image, 'newName') ?? '';
        assert.ok(
          texts.some((text) => text.includes(`"image":"${name}`)),
          `${name} is in no object`,
        );
      }
    });
  }
});

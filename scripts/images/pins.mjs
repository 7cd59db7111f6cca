// The images that the manifests name, and deploy/components/pinned-images, which says their digests.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const componentPath = 'deploy/components/pinned-images/kustomization.yaml';
export const root = fileURLToPath(new URL('../../', import.meta.url));

const digestPattern = /^sha256:[0-9a-f]{64}$/;

const header = `# Every image by its digest, because a tag can be moved to another image. \`npm run pin-images\` writes this file; without digests
# it changes nothing. docs/kubernetes.md#images
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
`;

/** The images that manifests of kustomize name: `{ name, tag }`, each once. `tree` has `list` and `read`. */
export function namedImages(tree = workingFiles()) {
  const found = new Map();
  const files = tree.list('deploy').filter((path) => /\.ya?ml$/.test(path) && !path.startsWith('deploy/compose/'));
  for (const path of files) {
    for (const [, name, tag] of tree.read(path).matchAll(/^\s+(?:- )?image: ([\w./-]+):([\w.-]+)$/gm)) {
      if ((found.get(name) ?? tag) !== tag) throw new Error(`${path} has ${name}:${tag}, others ${found.get(name)}`);
      found.set(name, tag);
    }
  }
  return [...found].map(([name, tag]) => ({ name, tag })).sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The text of the component; `digests` by the name of the image, null for none yet. */
export function writeComponent(images, digests) {
  const lines = images.map(({ name, tag }) => {
    const digest = digests.get(name) ?? null;
    return `  - { name: ${name}, newTag: "${tag}"${digest === null ? '' : `, digest: "${digest}"`} }\n`;
  });
  return header + lines.join('');
}

/** The digests that the component has, by the name of the image. */
export function readDigests(text) {
  const lines = text.matchAll(/^ {2}- \{ name: ([^,]+), newTag: "[^"]+", digest: "([^"]+)" \}$/gm);
  return new Map([...lines].map(([, name, digest]) => [name, digest]));
}

/** What keeps a release from running what was tested, as sentences. */
export function findUnpinned(tree) {
  const images = namedImages(tree);
  const text = tree.read(componentPath);
  const digests = readDigests(text);
  const fix = 'npm run pin-images';
  if (text !== writeComponent(images, digests)) return [`${componentPath} does not name the images of deploy/: ${fix}`];
  return images
    .filter(({ name }) => !digestPattern.test(digests.get(name) ?? ''))
    .map(({ name, tag }) => `${componentPath}: ${name}:${tag} has no digest: ${fix}`);
}

/** Whether a text is a digest as registries have them. */
export function isDigest(text) {
  return digestPattern.test(text);
}

function workingFiles() {
  return {
    read: (path) => readFileSync(join(root, path), 'utf8'),
    list: (path) =>
      readdirSync(join(root, path), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length)),
  };
}

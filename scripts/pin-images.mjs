// `npm run pin-images [-- NAME=sha256:… …]`: writes the digest of every image that the manifests name into
// deploy/components/pinned-images. Digests that are not given are asked of the registry by docker buildx.
// docs/kubernetes.md
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentPath, isDigest, namedImages, root, writeComponent } from './images/pins.mjs';

const images = namedImages();
const given = new Map(
  process.argv.slice(2).map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
);
const wrong = [...given].filter(([name, digest]) => !images.some((image) => image.name === name) || !isDigest(digest));
if (wrong.length > 0) {
  console.error(
    `give NAME=sha256:…, with a name of ${images.map(({ name }) => name).join(', ')}; not ${wrong[0].join('=')}`,
  );
  process.exit(2);
}

/** The digest that the registry has for a tag now: that of the index, so that every platform is covered. */
function askRegistry(reference) {
  const format = '{{println .Manifest.Digest}}';
  const args = ['buildx', 'imagetools', 'inspect', '--format', format, reference];
  const { status, stdout, stderr, error } = spawnSync('docker', args, { encoding: 'utf8' });
  const digest = (stdout ?? '').trim();
  if (status === 0 && isDigest(digest)) return digest;
  const reason = error?.message ?? stderr.trim().split('\n').at(-1);
  console.error(
    `${reference}: its digest cannot be had (${reason}); give it: npm run pin-images -- ${reference.split(':')[0]}=sha256:…`,
  );
  return null;
}

const digests = new Map(images.map(({ name, tag }) => [name, given.get(name) ?? askRegistry(`${name}:${tag}`)]));
if ([...digests.values()].includes(null)) process.exit(1);
writeFileSync(join(root, componentPath), writeComponent(images, digests));
for (const { name, tag } of images) console.log(`${name}:${tag}@${digests.get(name)}`);

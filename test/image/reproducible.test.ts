import assert from 'node:assert/strict';
import { buildImage } from '../../scripts/image/build.mjs';
import { dockerOutput } from '../../scripts/image/docker.mjs';
import { makeBaseImages } from '../../scripts/image/local-base.mjs';
import { copiesOf, readDockerfile, runStage } from '../support/image/dockerfile.ts';
import { readImageTree, type TreeEntry } from '../support/image/image-tree.ts';

/** Folders that the builder makes, not we, so that their times are those of the build: where copies go, and all above. */
const touched = new Set(
  copiesOf(runStage(readDockerfile())).flatMap(({ destination }) => {
    const steps = destination.split('/').filter((step) => step !== '');
    return steps.map((_, index) => `${steps.slice(0, index + 1).join('/')}/`);
  }),
);

/** What must not differ. */
function comparable(tree: readonly TreeEntry[]): readonly TreeEntry[] {
  return tree
    .filter(({ path }) => /^(app|var\/lib\/postern)\//.test(path))
    .map((entry) => (touched.has(entry.path) ? { ...entry, time: '' } : entry));
}

describe('two builds of the same working tree', () => {
  it('hold the same files with the same contents, owners, permissions and times', async () => {
    const base = await makeBaseImages();
    const trees: (readonly TreeEntry[])[] = [];
    for (const tag of ['postern-test:first', 'postern-test:second']) {
      await buildImage({ ...base, tags: [tag], noCache: true });
      trees.push(comparable(await readImageTree(tag)));
      await dockerOutput(['image', 'rm', tag]);
    }
    const [first = [], second = []] = trees;
    assert.ok(first.length > 1000);
    assert.deepEqual(second, first);
  });
});

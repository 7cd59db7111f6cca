import assert from 'node:assert/strict';
import { checks, workingTree } from '../../scripts/release/checks.mjs';

describe('clients/vectors.json', () => {
  it('is byte for byte what clients/vectors/generate.py writes', async () => {
    const check = checks.find(({ name }) => name === 'client vectors');
    assert.ok(check !== undefined);
    assert.deepEqual(await check.find(workingTree()), []);
    const tree = workingTree();
    const changed = { ...tree, read: (path: string) => tree.read(path).replace('hmac: no body', 'hmac: nobody') };
    assert.deepEqual(await check.find(changed), [
      'clients/vectors.json is not what clients/vectors/generate.py writes',
    ]);
  });
});

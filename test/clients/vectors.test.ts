import assert from 'node:assert/strict';
import { checks, workingTree } from '../../scripts/release/checks.mjs';
import {
  assertAssertion,
  assertVerified,
  bytesOfSignature,
  publicKeyVectors,
} from '../support/clients/public-key-vectors.ts';

describe('the vectors of the clients', () => {
  it('are byte for byte what the programs in clients/vectors write', async () => {
    const check = checks.find(({ name }) => name === 'client vectors');
    assert.ok(check !== undefined);
    assert.deepEqual(await check.find(workingTree()), []);
    const tree = workingTree();
    const change = (text: string): string => text.replace('hmac: no body', 'hmac: nobody').replace('B.2"', 'B.3"');
    assert.deepEqual(await check.find({ ...tree, read: (path: string) => change(tree.read(path)) }), [
      'clients/vectors.json is not what clients/vectors/generate.py writes',
      'clients/public-key-vectors.json is not what clients/vectors/generate-public-key.py writes',
    ]);
  });

  it('have signatures that verify with the public key', () => {
    let count = 0;
    for (const { name, signature, signed, stringToSign, assertion } of publicKeyVectors()) {
      const header = signed?.headers.find(([field]) => field === 'Signature')?.[1];
      if (signature !== undefined && header !== undefined && stringToSign !== undefined) {
        assertVerified({ ...signature, text: stringToSign, bytes: bytesOfSignature(header, signature.label) }, name);
        count += 1;
      }
      if (assertion?.jwt !== undefined) {
        assertAssertion(assertion.jwt, assertion, name);
        count += 1;
      }
    }
    assert.ok(count > 150, String(count));
  });
});

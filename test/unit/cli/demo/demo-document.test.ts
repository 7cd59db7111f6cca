import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OwnedParts } from '../../../../src/gateway/parts.ts';
import { withKeyPartner, writeDemoDocument } from '../../../../src/cli/demo/demo-document.ts';
import { WAREHOUSE_NAME } from '../../../../src/cli/demo/demo-certificates.ts';
import { keyPartner, makeDemoKeyPairs } from '../../../../src/cli/demo/demo-keys.ts';
import { packageFiles } from '../../../../src/cli/programs/servers.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { buildState } from '../../../../src/resources/build-state.ts';
import { parseDocument } from '../../../../src/resources/parse-document.ts';
import { byName } from '../../../support/certificate/certificate-credential.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { poll } from '../../../support/time/poll.ts';

describe('the document of the demo with key pairs', () => {
  const keys = makeDemoKeyPairs();

  it('is that of the package with one more partner, who has public keys alone', async () => {
    const text = withKeyPartner(await readFile(packageFiles.document, 'utf8'), keys);
    const parsed = parseDocument([{ file: 'postern.yaml', text }], {
      isComplete: true,
      readSecret: () => ({ fault: 'should stand in the file' }),
    });
    assert.ok('content' in parsed, JSON.stringify(parsed));
    const { consumers, credentials, endpoints } = buildState(parsed.content);
    assert.deepEqual(
      consumers.map(({ id }) => id),
      ['acme', 'borealis', keyPartner.consumer],
    );
    for (const [appKey, method] of [
      [keyPartner.signerKey, 'http-message-signature'],
      [keyPartner.clientKey, 'oauth2'],
    ] as const) {
      const found = credentials.find((credential) => credential.appKeyHash === hashAppKey(appKey));
      assert.deepEqual([found?.consumerId, found?.methods], [keyPartner.consumer, [method]]);
    }
    const ofTokens = credentials.find(({ methods }) => methods.includes('jwt'));
    assert.deepEqual(ofTokens?.material, {
      ...{ kind: 'token-claims', issuerId: 'cumulus-idp', claims: { azp: keyPartner.subject } },
    });
    const { authority, partner } = keys.certificates;
    const byCertificate = credentials.find(({ methods }) => methods.includes('certificate'));
    assert.ok(byCertificate?.material.kind === 'certificate');
    assert.deepEqual(byCertificate.material.identity, byName('uri', WAREHOUSE_NAME, authority));
    assert.deepEqual(
      endpoints.filter(({ authentication }) => authentication === 'certificate').map(({ id }) => id),
      ['warehouse'],
    );
    for (const { key } of [authority, partner]) assert.ok(!text.includes(key.split('\n')[1] ?? key));
    for (const { object } of [keys.signer, keys.client, keys.issuer]) {
      const secret = object.export({ format: 'jwk' })['d'];
      assert.ok(typeof secret === 'string' && !text.includes(secret));
    }
  });

  it('stays as it is when it has no consumers to add one to', () => {
    for (const text of ['', 'version: 1\n', 'consumers: acme\n', 'consumers: [}\n']) {
      assert.equal(withKeyPartner(text, keys), text);
    }
  });

  it('follows what is edited, and goes with the demo', async () => {
    await using folder = await temporaryDirectory();
    const source = join(folder.path, 'source.yaml');
    await writeFile(source, 'consumers: []\n');
    const parts = new OwnedParts();
    const defects: unknown[] = [];
    const path = await writeDemoDocument(keys, parts, (error) => defects.push(error), source);
    assert.equal(await readFile(path, 'utf8'), withKeyPartner('consumers: []\n', keys));
    await writeFile(source, 'consumers: [{ id: zephyr }]\n');
    await poll('the edited document', async () => ((await readFile(path, 'utf8')).includes('zephyr') ? true : null));
    assert.deepEqual(defects, []);
    await parts[Symbol.asyncDispose]();
    await assert.rejects(readFile(dirname(path)), { code: 'ENOENT' });
  });
});

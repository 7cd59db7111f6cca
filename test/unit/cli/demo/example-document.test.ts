import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseDocument } from '../../../../src/resources/parse-document.ts';
import { buildState } from '../../../../src/resources/build-state.ts';
import { authenticationMethods } from '../../../../src/model/endpoint.ts';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { demoKeys, demoPairs } from '../../../../src/cli/demo/row.ts';
import { packageFiles } from '../../../../src/cli/programs/servers.ts';
import { secretsOf } from '../../../support/store/secrets.ts';

describe('the document of the demo', () => {
  const parsed = parseDocument(
    [{ file: 'examples/demo/postern.yaml', text: readFileSync(packageFiles.document, 'utf8') }],
    {
      isComplete: true,
      readSecret: () => ({ fault: 'should stand in the file' }),
    },
  );
  assert.ok('content' in parsed, JSON.stringify(parsed));
  const { credentials, endpoints } = buildState(parsed.content);
  const credentialOf = (appKey: string): (typeof credentials)[number] | undefined =>
    credentials.find((credential) => credential.appKeyHash === hashAppKey(appKey));

  it('has the App Keys that the demo sends', () => {
    assert.deepEqual(
      Object.values(demoKeys).map((appKey) => credentialOf(appKey)?.consumerId),
      ['acme', 'acme', 'borealis'],
    );
  });

  it('has the App Secrets that the demo signs with', () => {
    for (const { appKey, secret } of Object.values(demoPairs)) {
      assert.deepEqual(secretsOf(credentialOf(appKey)).appSecret?.reveal(), secret.reveal(), appKey);
    }
  });

  it('has an endpoint for every method that plain HTTP carries, and an open one', () => {
    const methods = endpoints.map(({ authentication }) => authentication);
    // Client certificates take a listener with TLS, which only the demo has: it adds the endpoint itself.
    const shown = authenticationMethods.filter((method) => method !== 'certificate');
    assert.deepEqual(new Set(methods), new Set([...shown, null]));
  });
});

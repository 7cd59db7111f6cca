import assert from 'node:assert/strict';
import type { ClientHeader } from '../../../../../src/check/signing/client-request.ts';
import { partnerEndpoint } from '../../../../support/pipeline/resources.ts';
import { explainAlone, input } from '../../../partners/explain/endpoints.ts';

/** The names of the mistakes. */
async function mistakesOf(...headers: readonly ClientHeader[]): Promise<readonly string[]> {
  const request = { method: 'GET', path: '/orders', authority: 'api.example.com', headers, body: Buffer.alloc(0) };
  const explanation = await explainAlone(request, partnerEndpoint('certificate'), {
    ...input,
    appKey: null,
    secret: null,
  });
  return explanation.mistakes.map(({ name }) => name);
}

describe('explaining a request that should come over a connection with a certificate', () => {
  it('says that the connection is not shown', async () => {
    assert.deepEqual(await mistakesOf(), ['certificate-not-shown']);
  });

  it('sees a certificate in a header, where it never counts', async () => {
    for (const name of [
      'X-Forwarded-Client-Cert',
      'Client-Cert',
      'X-SSL-Client-Cert',
      'X-ARR-ClientCert',
      'X-Forwarded-Tls-Client-Cert',
      'ssl-cert',
    ]) {
      assert.deepEqual(await mistakesOf([name, 'MII']), ['certificate-in-header', 'certificate-not-shown'], name);
    }
    assert.deepEqual(await mistakesOf(['X-Certificate-Id', '1']), ['certificate-not-shown']);
  });
});

import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { routes } from '../../support/envoy/envoy-config.ts';
import { readDocument } from '../../support/docs/documents.ts';
import { type PlainRequest, protocols, send } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer } from '../../support/http/http-message.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { type RecordingBackend, startBackend } from '../../support/stack/recording-backend.ts';
import { release } from '../../support/lifetime/release.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';
import { addCluster } from './add-cluster.ts';
import { assertCode } from './assert-code.ts';
import { guideSnippet } from './guide-snippet.ts';
import { signedForKong } from './kong-client.ts';

const examples = 'examples/apisix';
const acme = { username: 'acme-signs', secret: 'acme-example-secret-7TqLx2Kd9w' };
const globex = { username: 'globex-signs', secret: 'globex-example-secret-Pm3Vc8Yt5n' };

/** Signs as APISIX's documents show its clients. */
function signedForApisix(body = ''): PlainRequest {
  const date = new Date().toUTCString();
  const text = `${acme.username}\nPOST /invoices/7?a=b\ndate: ${date}\n`;
  const signature = createHmac('sha256', acme.secret).update(text).digest('base64');
  return {
    method: 'POST',
    target: '/invoices/7?a=b',
    headers: [
      ['Date', date],
      ['Digest', `SHA-256=${createHash('sha256').update(body).digest('base64')}`],
      [
        'Authorization',
        `Signature keyId="${acme.username}",algorithm="hmac-sha256",headers="@request-target date",signature="${signature}"`,
      ],
    ],
    body: Buffer.from(body),
  };
}

/** Signs as it has to after the change: the key id and secret stay. */
function changed(credential: typeof acme): PlainRequest {
  return signedForKong({
    method: 'POST',
    target: '/invoices/7?a=b',
    body: '{}',
    nameParameter: 'appkey',
    ...credential,
  });
}

describe('clients of APISIX after the move', () => {
  let stack: Stack;
  let apisix: RecordingBackend;

  before(async () => {
    apisix = await startBackend('HTTP/1.1');
    stack = await startStack(documentOf(), {
      edit: (config) => {
        addCluster(config, 'apisix', apisix.port);
        const split = guideSnippet('routes: by-scheme', `${examples}/envoy-snippets.yaml`);
        routes(config).unshift(...(Array.isArray(split) ? split : []));
      },
    });
  });
  after(async () => {
    await release(stack);
    await release(apisix);
  });
  beforeEach(() => {
    stack.backend.reset();
    apisix.reset();
  });

  for (const protocol of protocols) {
    const ask = (request: PlainRequest): Promise<HttpAnswer> => send(protocol, stack.envoy.port, request);

    it(`go on with keys in header and query over ${protocol}`, async () => {
      for (const request of [
        { target: '/orders/1', headers: [['apikey', 'acme-example-key-2fVn8QxL']] as const },
        { target: '/orders?apikey=acme-example-key-2fVn8QxL' },
      ]) {
        stack.backend.reset();
        assert.equal((await ask(request)).status, 200);
        const forwarded = assertOne(stack.backend.requests);
        assert.equal(fieldValue(forwarded.headers, 'x-consumer-username'), 'acme');
        assert.equal(fieldValue(forwarded.headers, 'apikey'), null);
      }
      const wrong = { target: '/orders?apikey=acme-example-key-2fVn8QxL', headers: [['apikey', 'wrong']] as const };
      assertCode(await ask(wrong), 401, 'AUTHENTICATION_FAILED');
    });

    it(`that sign for APISIX still reach it, and nothing else, over ${protocol}`, async () => {
      const request = signedForApisix('{}');
      assert.equal((await ask(request)).status, 200);
      assert.equal(assertOne(apisix.requests).target, '/invoices/7?a=b');
      assert.equal(stack.backend.requests.length, 0);
    });

    it(`that changed three lines are let in with their key id and secret over ${protocol}`, async () => {
      assert.equal((await ask(changed(acme))).status, 200);
      assert.equal(fieldValue(assertOne(stack.backend.requests).headers, 'x-credential-identifier'), 'acme-signs');
      assertCode(await ask(changed(globex)), 403, 'NOT_AUTHORIZED');
      assert.equal(apisix.requests.length, 0);
    });
  }

  it('that sign for APISIX are refused where nothing leads to it', async () => {
    await using plain = await startStack(documentOf());
    assertCode(await send('HTTP/1.1', plain.envoy.port, signedForApisix('{}')), 401, 'CREDENTIALS_MISSING');
  });
});

/** The document to which the guide leads. */
function documentOf(): string {
  return readDocument(`${examples}/postern.yaml`);
}

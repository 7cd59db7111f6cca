import assert from 'node:assert/strict';
import { parse } from 'yaml';
import type { HttpSignatureOptions } from '../../../src/model/endpoint.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { type HttpSignatureParts, newKeyPair, signedByKey } from '../../support/partner/http-signature.ts';
import { keyGateway } from '../../support/partner/key-gateway.ts';
import { asCheck, lastDecision } from '../../support/partner/signed-gateway.ts';
import { NOON } from '../../support/time/fixed-clock.ts';

interface Shown {
  readonly endpoints: readonly [{ readonly options: Partial<HttpSignatureOptions> }];
}

describe('the endpoint of docs/fapi.md', () => {
  const key = newKeyPair();
  const [fence = ''] = readFences(readDocument('docs/fapi.md'), 'yaml');
  const { options } = (parse(fence) as Shown).endpoints[0];
  const right = {
    ...{ key, created: NOON, covered: ['"@method"', '"@target-uri"'] },
    more: ';nonce="1";tag="fapi-2-request"',
  };

  /** The code that a request gets, signed as the page asks unless `parts` say otherwise. */
  async function codeOf(parts: Partial<HttpSignatureParts>): Promise<string> {
    const gateway = keyGateway(key.publicKey, { options });
    await gateway.send(asCheck(signedByKey({ ...right, ...parts })));
    return lastDecision(gateway).code;
  }

  it('allows what the client has to sign', async () => {
    assert.equal(await codeOf({}), 'ALLOWED');
    assert.equal(
      await codeOf({ method: 'POST', body: '{}', covered: [...right.covered, '"content-digest"'] }),
      'ALLOWED',
    );
  });

  it('refuses what leaves out one of it', async () => {
    for (const [parts, code] of [
      [{ covered: ['"@target-uri"'] }, 'CREDENTIALS_MALFORMED'],
      [{ covered: ['"@method"', '"@authority"', '"@path"', '"@query"'] }, 'CREDENTIALS_MALFORMED'],
      [{ method: 'POST', body: '{}' }, 'CREDENTIALS_MALFORMED'],
      [{ more: ';nonce="1"' }, 'AUTHENTICATION_FAILED'],
      [{ created: NOON - 61 }, 'REQUEST_EXPIRED'],
      [{ key: newKeyPair() }, 'AUTHENTICATION_FAILED'],
    ] as const) {
      assert.equal(await codeOf(parts), code, JSON.stringify(parts));
    }
  });
});

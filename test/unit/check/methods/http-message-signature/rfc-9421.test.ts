import assert from 'node:assert/strict';
import { readComponents } from '../../../../../src/check/methods/http-message-signature/components.ts';
import { readSignatures } from '../../../../../src/check/methods/http-message-signature/message-signature.ts';
import { ComponentValues } from '../../../../../src/check/methods/http-message-signature/component-values.ts';
import { signatureBases } from '../../../../../src/check/methods/http-message-signature/signature-base.ts';
import { verifyHttpSignature } from '../../../../../src/check/methods/http-message-signature/verify.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';
import { type ClientRequest, signableRequest } from '../../../../../src/check/signing/client-request.ts';
import { httpSignatureAlgorithms } from '../../../../../src/model/options/http-signature-algorithms.ts';
import type { PublicJwk } from '../../../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../../../src/model/public-key/read-jwk.ts';
import { keyCredential, keyGateway } from '../../../../support/partner/key-gateway.ts';
import { lastDecision } from '../../../../support/partner/signed-gateway.ts';
import { RFC_CREATED, rfcExamples, rfcKeys, transformed } from '../../../../support/signing/rfc-9421.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

function keyOf(jwk: PublicJwk | undefined) {
  const key = readJwk(jwk);
  assert.ok(!('fault' in key));
  return key;
}

/** The signature base of a request's one signature, whatever it covers; a text says why there is none. */
function baseOf(request: ClientRequest): { readonly base: string; readonly bytes: Buffer } | string {
  const signable = signableRequest(request);
  const signatures = readSignatures(signable.headers);
  assert.ok(!isRefusal(signatures));
  const [signature] = signatures;
  assert.ok(signature !== undefined);
  const components = readComponents(signature.components);
  if (typeof components === 'string') return components;
  const bases = signatureBases(new ComponentValues(signable, 'https'), { components, text: signature.text });
  return isRefusal(bases) ? bases.detail : { base: bases[0] ?? '', bytes: signature.bytes };
}

function isSignedBy(request: ClientRequest, jwk: PublicJwk | undefined): boolean {
  const built = baseOf(request);
  assert.ok(typeof built !== 'string', 'there is no signature base');
  const signed = { bases: [built.base], bytes: built.bytes, named: null, allowed: httpSignatureAlgorithms };
  return 'keyIndex' in verifyHttpSignature(signed, [keyOf(jwk)]);
}

describe('the examples of RFC 9421, appendix B', () => {
  for (const { name, request, keyid, base, code, detail } of rfcExamples) {
    const jwk = rfcKeys[keyid];

    it(`${name}: the signature base is that of the document`, () => {
      const built = baseOf(request);
      if (base === null) assert.equal(built, detail);
      else assert.equal(typeof built === 'string' ? built : built.base, base.join('\n'));
    });

    if (jwk !== undefined && base !== null) {
      it(`${name}: the signature fits it`, () => {
        assert.ok(isSignedBy(request, jwk));
      });
    }

    it(`${name}: an endpoint answers ${code}`, async () => {
      const publicKey = keyOf(jwk ?? rfcKeys['test-key-ed25519']);
      const gateway = keyGateway(publicKey, {
        clock: fixedClock(RFC_CREATED),
        credentials: [keyCredential(publicKey, { appKey: keyid })],
      });
      await gateway.send({ ...request, endpoint: 'signed' });
      assert.deepEqual(lastDecision(gateway), { code, detail });
    });
  }

  const jwk = rfcKeys['test-key-ed25519'];

  it('B.4: what is not covered may change, and lines may be joined', () => {
    const path = '/demo?name1=Value1&Name2=value2&param=added';
    assert.ok(isSignedBy(transformed({ path }), jwk));
    assert.ok(isSignedBy(transformed({ headers: [['Accept', 'application/json, */*']] }), jwk));
  });

  it('B.4: what is covered may not', () => {
    assert.ok(!isSignedBy(transformed({ method: 'POST', authority: 'example.com' }), jwk));
    const headers = [
      ['Accept', '*/*'],
      ['Accept', 'application/json'],
    ] as const;
    assert.ok(!isSignedBy(transformed({ headers }), jwk));
  });
});

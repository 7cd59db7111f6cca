import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { protocols } from '../../support/http/http-client.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { jsonRequest, withSign, wrapperOf } from '../../support/partner/parameters.ts';
import { acme } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('signed requests when Postern speaks through grpc-js', () => {
  const stack = useSignedStack(
    'hmac',
    [
      { id: 'hmac', authentication: 'hmac' },
      { id: 'parameters', authentication: 'parameter-signature' },
    ],
    { settings: { POSTERN_GRPC_TRANSPORT: 'grpc-js' } },
  );

  it('are accepted with a body of 10 MiB, and refused with one byte more', async () => {
    const body = randomBytes(10_485_760);
    const request = signedByHmac({ method: 'POST', body });
    assert.equal(hash(stack.assertAllowed(await stack.send('HTTP/1.1', request)).body), hash(body));
    stack.running().backend.reset();
    const larger = signedByHmac({ method: 'POST', body: Buffer.concat([body, Buffer.from('x')]) });
    stack.assertRefused(await stack.send('HTTP/1.1', larger), 'BODY_TOO_LARGE');
  });

  for (const protocol of protocols) {
    it(`are verified, refused and unwrapped, over ${protocol}`, async () => {
      const data = `{"text":"${'\\"😀\0'.repeat(20_000)}"}`;
      const unwrapped = stack.assertAllowed(await stack.send(protocol, jsonRequest('/parameters', wrapperOf(data))));
      assert.ok(unwrapped.body.equals(Buffer.from(data)));
      stack.running().backend.reset();
      const target = `/parameters?a=%2F&&${withSign(`appKey=${acme.appKey}`, `a=/&appKey=${acme.appKey}`)}`;
      assert.equal(stack.assertAllowed(await stack.send(protocol, { target })).target, target);
      stack.running().backend.reset();
      const changed = { ...signedByHmac({ method: 'POST', body: 'right' }), body: 'wrong' };
      stack.assertRefused(await stack.send(protocol, changed), 'DIGEST_MISMATCH');
    });
  }
});

import assert from 'node:assert/strict';
import { type Attachment } from '../../../support/attachments/attachment.ts';
import { protocols } from '../../../support/http/http-client.ts';
import { fieldValues, jsonBody } from '../../../support/http/http-message.ts';
import { signedByHmac } from '../../../support/partner/hmac.ts';
import { formRequest, jsonRequest, withSign, wrapperOf } from '../../../support/partner/parameters.ts';
import { acme, type EndpointLine } from '../../../support/partner/signature-document.ts';
import { useSignedStack } from '../../../support/partner/use-signed-stack.ts';
import { poll } from '../../../support/time/poll.ts';

const endpoints: readonly EndpointLine[] = [
  { id: 'hmac', authentication: 'hmac' },
  { id: 'wrapped', authentication: 'parameter-signature', options: { hideCredentials: true } },
  { id: 'key', authentication: 'key' },
];

const maxBodyBytes = 10 * 1024 * 1024;

/** The product behind an attachment: one request of each kind that only comes out right when every part does its own. */
export function productCases(attachment: Attachment): void {
  describe('the product, from the caller to the back end,', () => {
    const stack = useSignedStack('parameter-signature', endpoints, { attachment });

    for (const protocol of protocols) {
      it(`verifies what was signed byte for byte, over ${protocol}`, async () => {
        const body = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
        const target = '/hmac/%7e?b=%2F&&a=+%20&!';
        const forwarded = stack.assertAllowed(
          await stack.send(protocol, signedByHmac({ method: 'POST', target, body })),
        );
        assert.equal(forwarded.target, target);
        assert.deepEqual(forwarded.body, body);
        assert.deepEqual(fieldValues(forwarded.headers, 'x-consumer-id'), ['acme']);
      });

      it(`takes the wrapper off a body, over ${protocol}`, async () => {
        const answer = await stack.send(protocol, jsonRequest('/wrapped', wrapperOf('{"a":"é"}')));
        assert.equal(stack.assertAllowed(answer).body.toString(), '{"a":"é"}');
      });

      it(`takes the credentials out of a form, over ${protocol}`, async () => {
        const form = withSign(`a=1&appKey=${acme.appKey}`);
        const answer = await stack.send(protocol, formRequest('/wrapped', form));
        assert.equal(stack.assertAllowed(answer).body.toString(), 'a=1');
      });

      it(`takes an App Key out of the query, over ${protocol}`, async () => {
        const answer = await stack.send(protocol, { target: '/key?a=%2F&appKey=key-of-acme&&b' });
        assert.equal(stack.assertAllowed(answer).target, '/key?a=%2F&&b');
      });

      it(`lets nobody pass for another, over ${protocol}`, async () => {
        const forged = ['X-Consumer-Id', 'x_consumer_id', 'X-Credential-Identifier', 'X-Anonymous-Consumer'];
        const headers = [['X-App-Key', 'key-of-acme'], ...forged.map((name) => [name, 'root'] as const)] as const;
        const forwarded = stack.assertAllowed(await stack.send(protocol, { target: '/key', headers }));
        const identity = forwarded.headers.filter(([, value]) => value === 'root');
        assert.deepEqual(identity, []);
        assert.deepEqual(fieldValues(forwarded.headers, 'x-consumer-id'), ['acme']);
      });

      it(`refuses a target that is not in normal form, over ${protocol}`, async () => {
        for (const target of ['/key/../key', '/key//x', '/public/%2e%2e/key', '/key/%41\\x']) {
          const headers = [['X-App-Key', 'key-of-acme']] as const;
          const answer = await stack.send(protocol, { target, headers });
          assert.equal(answer.status, 400, target);
          assert.equal(stack.running().backend.requests.length, 0);
        }
      });

      it(`refuses who is not known, over ${protocol}`, async () => {
        const answer = await stack.send(protocol, { target: '/key?appKey=nobody' });
        assert.equal(answer.status, 401);
        const { code, endpoint } = await stack.logged(answer);
        assert.deepEqual([code, endpoint], ['AUTHENTICATION_FAILED', 'key']);
        assert.equal(stack.running().backend.requests.length, 0);
      });

      it(`refuses a body over the limit itself, and not Envoy, over ${protocol}`, async () => {
        const body = Buffer.alloc(maxBodyBytes + 1);
        const answer = await stack.send(protocol, signedByHmac({ method: 'POST', body }));
        assert.equal(answer.status, 413);
        assert.equal((await stack.logged(answer))['code'], 'BODY_TOO_LARGE');
        assert.equal(stack.running().backend.requests.length, 0);
      });
    }

    it('is healthy in the eyes of Envoy, which asks it by itself', async () => {
      const url = `http://127.0.0.1:${String(stack.running().envoy.adminPort)}/clusters`;
      const flags = await poll('a healthy replica', async () => {
        const lines = (await (await fetch(url)).text()).split('\n');
        const own = lines.filter((line) => line.startsWith(`${attachment.clusters.postern}::`));
        return own.find((line) => line.endsWith('::health_flags::healthy')) ?? null;
      });
      assert.match(flags, /127\.0\.0\.1/);
    });

    it('is away: nothing passes', async () => {
      await stack.running().postern.stop();
      for (const protocol of protocols) {
        const answer = await stack.send(protocol, { target: '/key?appKey=key-of-acme' });
        assert.equal(answer.status, 503);
        assert.equal((jsonBody(answer) as { readonly code?: unknown }).code, 'UNAVAILABLE');
        assert.equal(stack.running().backend.requests.length, 0);
      }
    });
  });
}

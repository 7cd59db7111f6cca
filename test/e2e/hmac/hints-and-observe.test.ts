import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { assertSignedRefused } from '../../support/partner/assert-signed-refused.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { formRequest, jsonRequest, withSign, wrapperOf } from '../../support/partner/parameters.ts';
import { acme } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const K = `appKey=${acme.appKey}`;
const wrong = 'some other secret, just as long as';
const hinted = { signatureHints: true };
const observed = { mode: 'observe' };
const date = new Date().toUTCString();

describe('signed endpoints that help, or only watch', () => {
  const stack = useSignedStack(
    'hmac',
    [
      { id: 'hinted-hmac', authentication: 'hmac', options: hinted },
      { id: 'hinted-parameters', authentication: 'parameter-signature', options: hinted },
      { id: 'hinted-auto', authentication: 'parameter-signature', options: { ...hinted, parameterEncoding: 'auto' } },
      { id: 'observed-hmac', authentication: 'hmac', options: observed },
      {
        id: 'observed-parameters',
        authentication: 'parameter-signature',
        options: { ...observed, hideCredentials: true },
      },
    ],
    'shared',
  );

  for (const protocol of protocols) {
    describe(`over ${protocol}`, () => {
      /** What a caller is shown; the request must be refused as AUTHENTICATION_FAILED. */
      async function hintOf(request: PlainRequest, method: 'hmac' | 'parameter-signature'): Promise<unknown> {
        const answer = await stack.send(protocol, request);
        const { stringToSign } = jsonBody(answer) as { stringToSign?: string };
        assertSignedRefused(answer, 'AUTHENTICATION_FAILED', method, { stringToSign });
        for (const secret of [acme.secret, wrong]) assert.ok(!answer.body.toString().includes(secret));
        return stringToSign;
      }

      it('show the string to sign of an hmac request, the same for an unknown App Key', async () => {
        const parts = {
          method: 'POST',
          target: '/hinted-hmac/%7E?a&b=%2F',
          host: 'api.example.com:8443',
          headers: [['X-Name', 'caf\xc3\xa9 \xff']] as const,
          signed: ['host', 'date', 'x-name', 'request-line'],
          date,
        };
        const text = `host: api.example.com:8443\ndate: ${date}\nx-name: café \ufffd\nPOST /hinted-hmac/%7E?a&b=%2F HTTP/1.1`;
        assert.equal(await hintOf(signedByHmac({ ...parts, secret: wrong }), 'hmac'), text);
        assert.equal(await hintOf(signedByHmac({ ...parts, appKey: 'nobody' }), 'hmac'), text);
      });

      it('show the string to sign of parameters in each form, without the secret at its end', async () => {
        const wire = withSign(`b=%26+c&${K}&a`, 'wrong');
        const text = `a=&${K}&b=& c`;
        assert.equal(await hintOf({ target: `/hinted-parameters?${wire}` }, 'parameter-signature'), text);
        assert.equal(await hintOf(formRequest('/hinted-parameters', wire), 'parameter-signature'), text);
        const forged = wrapperOf('{"a":"é\0"}', { secret: wrong });
        assert.equal(
          await hintOf(jsonRequest('/hinted-parameters', forged), 'parameter-signature'),
          `${K}&data={"a":"é\0"}`,
        );
        assert.equal(await hintOf({ target: `/hinted-auto?${wire}` }, 'parameter-signature'), text);
      });

      it('show at most 4096 bytes of it', async () => {
        const forged = wrapperOf('€'.repeat(100_000), { secret: wrong });
        const text = String(await hintOf(jsonRequest('/hinted-parameters', forged), 'parameter-signature'));
        assert.match(text, /€…$/);
        assert.ok(Buffer.byteLength(text.slice(0, -1)) <= 4096 && Buffer.byteLength(text) > 4090);
      });

      it('show nothing for any other refusal', async () => {
        for (const [code, request] of [
          ['REQUEST_EXPIRED', signedByHmac({ target: '/hinted-hmac', dateSeconds: 0 })],
          ['CREDENTIALS_MALFORMED', signedByHmac({ target: '/hinted-hmac', date: 'never' })],
          ['DIGEST_MISMATCH', signedByHmac({ target: '/hinted-hmac', digest: 'x' })],
        ] as const) {
          stack.assertRefused(await stack.send(protocol, request), code);
        }
        const late = { target: `/hinted-parameters?${withSign(`apiTimestamp=1&${K}`)}` };
        assertSignedRefused(await stack.send(protocol, late), 'REQUEST_EXPIRED', 'parameter-signature');
      });

      async function assertObserved(answer: HttpAnswer, code: string) {
        const forwarded = stack.assertAllowed(answer);
        for (const name of ['x-consumer-id', 'x-consumer-username', 'x-credential-identifier', 'authorization']) {
          assert.equal(fieldValue(forwarded.headers, name), null);
        }
        assert.equal((await stack.logged(answer))['code'], code);
        stack.running().backend.reset();
        return forwarded;
      }

      it('let unauthenticated requests through where they only watch, without identity and credentials', async () => {
        const identity = [['X-Consumer-Id', 'root']] as const;
        const byHmac = signedByHmac({ target: '/observed-hmac', secret: wrong, headers: identity });
        await assertObserved(await stack.send(protocol, byHmac), 'AUTHENTICATION_FAILED');
        await assertObserved(await stack.send(protocol, { target: '/observed-hmac' }), 'CREDENTIALS_MISSING');

        const wire = withSign(`a=%2b&${K}`, 'wrong');
        const inUrl = await stack.send(protocol, { target: `/observed-parameters?${wire}`, headers: identity });
        assert.equal((await assertObserved(inUrl, 'AUTHENTICATION_FAILED')).target, '/observed-parameters?a=%2b');
        const inForm = await stack.send(protocol, formRequest('/observed-parameters', wire));
        const forwarded = await assertObserved(inForm, 'AUTHENTICATION_FAILED');
        assert.equal(forwarded.body.toString(), 'a=%2b');
        assert.equal(fieldValue(forwarded.headers, 'content-length'), '5');
      });

      it('take a well-formed wrapper off all the same', async () => {
        for (const [code, wrapper] of [
          ['AUTHENTICATION_FAILED', wrapperOf('inner', { secret: wrong })],
          ['REQUEST_EXPIRED', wrapperOf('inner', { apiTimestamp: '1' })],
        ] as const) {
          const answer = await stack.send(protocol, jsonRequest(`/observed-parameters?${K}`, wrapper));
          const { body, target } = await assertObserved(answer, code);
          assert.deepEqual([body.toString(), target], ['inner', '/observed-parameters']);
        }
      });

      it('identify whoever signs right', async () => {
        const answer = await stack.send(protocol, jsonRequest('/observed-parameters', wrapperOf('inner')));
        assert.equal(fieldValue(stack.assertAllowed(answer).headers, 'x-consumer-id'), 'acme');
      });

      it('still refuse what is malformed, too large or of a kind that cannot be verified', async () => {
        for (const [code, request] of [
          ['MALFORMED_WRAPPER', jsonRequest('/observed-parameters', '{"data":')],
          ['MALFORMED_REQUEST', { target: '/observed-parameters?a=%' }],
          ['BODY_TOO_LARGE', jsonRequest('/observed-parameters', Buffer.alloc(2_097_153, ' '))],
          ['BODY_NOT_VERIFIABLE', formRequest('/observed-parameters', 'x', [['Content-Type', 'text/plain']])],
        ] as const) {
          assertSignedRefused(await stack.send(protocol, request), code, 'parameter-signature');
        }
        assert.equal(stack.running().backend.requests.length, 0);
      });
    });
  }
});

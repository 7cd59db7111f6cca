import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { nowSeconds, signedByHmac } from '../../support/partner/hmac.ts';
import { formRequest, jsonRequest, withSign, wrapperOf } from '../../support/partner/parameters.ts';
import { acme } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const once = { replayProtection: true };

/** Signed anew with each call: the number tells requests of one second apart. */
function signedParameters(number: number): string {
  return withSign(`apiTimestamp=${String(nowSeconds())}&appKey=${acme.appKey}&number=${String(number)}`);
}

describe('a request that is sent twice to an endpoint with replayProtection', () => {
  let number = 0;

  describe('by hmac', () => {
    const stack = useSignedStack('hmac', [
      { id: 'once', authentication: 'hmac', options: once },
      { id: 'watched', authentication: 'hmac', options: { ...once, mode: 'observe' } },
      { id: 'often', authentication: 'hmac' },
    ]);
    const sign = (target: string): PlainRequest =>
      signedByHmac({ method: 'POST', target: `${target}?number=${String((number += 1))}`, body: 'x' });

    for (const protocol of protocols) {
      it(`passes once, over ${protocol}`, async () => {
        const request = sign('/once');
        stack.assertAllowed(await stack.send(protocol, request));
        stack.running().backend.reset();
        const answer = await stack.send(protocol, request);
        stack.assertRefused(answer, 'REQUEST_REPLAYED');
        assert.equal((await stack.logged(answer))['code'], 'REQUEST_REPLAYED');
      });
    }

    it('passes once of many at the same time', async () => {
      const request = sign('/once');
      const answers = await Promise.all(Array.from({ length: 20 }, () => stack.send('HTTP/1.1', request)));
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(answers.filter(({ status }) => status === 401).length, 19);
      assert.equal(stack.running().backend.requests.length, 1);
    });

    it('passes again in observe mode, without identity, and is recorded', async () => {
      const request = sign('/watched');
      stack.assertAllowed(await stack.send('HTTP/1.1', request));
      stack.running().backend.reset();
      const answer = await stack.send('HTTP/1.1', request);
      const { headers } = stack.assertAllowed(answer);
      const names = headers.map(([name]) => name.toLowerCase());
      assert.ok(!names.includes('x-consumer-id') && !names.includes('authorization'));
      assert.equal((await stack.logged(answer))['code'], 'REQUEST_REPLAYED');
    });

    it('passes twice where the endpoint does not ask', async () => {
      const request = sign('/often');
      assert.equal((await stack.send('HTTP/1.1', request)).status, 200);
      assert.equal((await stack.send('HTTP/1.1', request)).status, 200);
    });

    it('is remembered by the process only, which says so at start', async () => {
      await stack
        .running()
        .postern.logLine((line) => /^used signatures and assertions are remembered by/.test(String(line['message'])));
    });
  });

  describe('by a parameter signature', () => {
    const options = { ...once, requireTimestamp: true };
    const stack = useSignedStack('parameter-signature', [
      { id: 'once', authentication: 'parameter-signature', options },
      { id: 'watched', authentication: 'parameter-signature', options: { ...options, mode: 'observe' } },
    ]);
    const wrapped = (target: string): PlainRequest => {
      const data = JSON.stringify({ number: (number += 1) });
      return jsonRequest(target, wrapperOf(data, { apiTimestamp: String(nowSeconds()) }));
    };
    const forms: Readonly<Record<string, () => PlainRequest>> = {
      'the URL': () => ({ target: `/once?${signedParameters((number += 1))}` }),
      'a form': () => formRequest('/once', signedParameters((number += 1))),
      'a wrapper': () => wrapped('/once'),
    };

    for (const protocol of protocols) {
      for (const [kind, sign] of Object.entries(forms)) {
        it(`in ${kind} passes once, over ${protocol}`, async () => {
          const request = sign();
          stack.assertAllowed(await stack.send(protocol, request));
          stack.running().backend.reset();
          stack.assertRefused(await stack.send(protocol, request), 'REQUEST_REPLAYED');
        });
      }
    }

    it('passes again in observe mode, with the wrapper taken off', async () => {
      const request = wrapped('/watched');
      const first = stack.assertAllowed(await stack.send('HTTP/1.1', request));
      stack.running().backend.reset();
      const answer = await stack.send('HTTP/1.1', request);
      const second = stack.assertAllowed(answer);
      assert.equal(second.body.toString(), first.body.toString());
      assert.ok(!second.body.toString().includes('sign'));
      assert.equal((await stack.logged(answer))['code'], 'REQUEST_REPLAYED');
    });
  });
});

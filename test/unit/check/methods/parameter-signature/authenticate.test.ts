import assert from 'node:assert/strict';
import fc from 'fast-check';
import { check } from '../../../../../src/check/check.ts';
import { type ParameterSignatureOptions } from '../../../../../src/model/endpoint.ts';
import { type PlainRequest } from '../../../../support/http/http-client.ts';
import { type AllowedAnswer, headerOf } from '../../../../support/pipeline/answer.ts';
import { httpRequest } from '../../../../support/pipeline/check-request.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';
import { naiveStrip } from '../../../../support/signing/naive-signature.ts';
import { FORM_TYPE, formRequest, jsonRequest, withSign, wrapperOf } from '../../../../support/partner/parameters.ts';
import { acme } from '../../../../support/partner/signature-document.ts';
import { assertSkew } from '../../../../support/partner/assert-skew.ts';
import { asCheck, lastDecision, signedGateway } from '../../../../support/partner/signed-gateway.ts';

const K = `appKey=${acme.appKey}`;
const url = (wire: string): PlainRequest => ({ target: `/signed?${wire}` });
const form = (wire: string, target = '/signed'): PlainRequest => formRequest(target, wire);
const json = (body: Buffer, target = '/signed'): PlainRequest => jsonRequest(target, body);

async function outcomeOf(request: PlainRequest, options: Partial<ParameterSignatureOptions> = {}) {
  const gateway = signedGateway('parameter-signature', { options });
  const answer = await gateway.send(asCheck(request));
  return { answer, ...lastDecision(gateway) };
}

async function codeOf(request: PlainRequest, options?: Partial<ParameterSignatureOptions>): Promise<string> {
  return (await outcomeOf(request, options)).code;
}

async function allowedOf(request: PlainRequest, options?: Partial<ParameterSignatureOptions>): Promise<AllowedAnswer> {
  const { answer, code, detail } = await outcomeOf(request, options);
  assert.ok(answer.kind === 'allowed', `${code}: ${detail ?? ''}`);
  return answer;
}

/** What becomes of the body: `original`, or the text in its place. */
function bodyOf({ metadata }: AllowedAnswer): unknown {
  return metadata['postern.body'] === 'pending' ? { text: metadata['postern.text'] } : metadata['postern.body'];
}

describe('authentication by a parameter signature', () => {
  const plain = withSign(`a=1&${K}`);

  it('allows a right signature in each form, as the consumer who holds the App Key', async () => {
    for (const [request, body] of [
      [url(plain), 'original'],
      [form(plain), 'original'],
      [json(wrapperOf('{}')), { text: '{}' }],
    ] as const) {
      const answer = await allowedOf(request);
      assert.equal(headerOf(answer.upstream, 'x-consumer-id'), 'acme');
      assert.equal(headerOf(answer.upstream, 'x-credential-identifier'), 'acme-both');
      assert.deepEqual([answer.metadata['code'], bodyOf(answer), answer.removed], ['ALLOWED', body, []]);
    }
  });

  it('names its scheme in the challenge of every 401', async () => {
    for (const wire of ['', K, withSign(K, K, 'some other secret'), withSign(`apiTimestamp=1&${K}`)]) {
      const { answer } = await outcomeOf(url(wire));
      assert.ok(answer.kind === 'refused' && answer.status === 401);
      assert.equal(headerOf(answer.headers, 'www-authenticate'), 'Sign realm="postern"');
    }
  });

  describe('compares apiTimestamp with the clock', () => {
    const forms: Readonly<Record<string, (time: number) => PlainRequest>> = {
      URL: (time) => url(withSign(`apiTimestamp=${String(time)}&${K}`)),
      form: (time) => form(withSign(`apiTimestamp=${String(time)}&${K}`)),
      'JSON, as a number': (time) => json(wrapperOf('', { apiTimestamp: String(time) })),
      'JSON, as a string': (time) => json(wrapperOf('', { apiTimestamp: `"${String(time)}"` })),
    };
    for (const [kind, request] of Object.entries(forms)) {
      for (const skew of [1, 300, 3600]) {
        it(`to ${String(skew)} s inclusive, both ways: ${kind}`, async () => {
          await assertSkew(skew, (distance) => codeOf(request(NOON + distance), { clockSkewSeconds: skew }));
        });
      }
    }

    it('in whole seconds, rounded down', async () => {
      const clock = fixedClock(NOON);
      const gateway = signedGateway('parameter-signature', { clock });
      const request = asCheck(url(withSign(`apiTimestamp=${String(NOON)}&${K}`)));
      clock.advance(300.999);
      await gateway.send(request);
      assert.equal(lastDecision(gateway).code, 'ALLOWED');
      clock.advance(0.001);
      await gateway.send(request);
      assert.equal(lastDecision(gateway).code, 'REQUEST_EXPIRED');
    });

    it('only where there is one, unless the endpoint requires it', async () => {
      for (const request of [url(plain), form(plain), json(wrapperOf('{}'))]) {
        assert.equal(await codeOf(request), 'ALLOWED');
        const { code, detail } = await outcomeOf(request, { requireTimestamp: true });
        assert.deepEqual([code, detail], ['CREDENTIALS_MALFORMED', 'apiTimestamp is required and absent']);
      }
    });
  });

  describe('puts the data of a wrapper in place of the body', () => {
    for (const [kind, data] of Object.entries({
      'nothing at all': '',
      'a NUL': 'a\0b',
      'quotes and backslashes': '"\\/"',
      'four-byte characters': '😀𝄞',
      'white space': ' \n ',
    })) {
      it(`byte for byte: ${kind}`, async () => {
        const answer = await allowedOf(json(wrapperOf(data)));
        assert.deepEqual(bodyOf(answer), { text: data });
      });
    }

    it('whatever hideCredentials says', async () => {
      const answer = await allowedOf(json(wrapperOf('x'), `/signed?${K}`), { hideCredentials: true });
      assert.deepEqual([bodyOf(answer), headerOf(answer.upstream, ':path')], [{ text: 'x' }, '/signed']);
    });

    it('and of nothing else', async () => {
      const answer = await allowedOf({ ...url(plain), headers: [['Content-Type', 'application/json']] });
      assert.equal(bodyOf(answer), 'original');
    });
  });

  describe('with hideCredentials takes appKey, sign and apiTimestamp out, and changes nothing else', () => {
    const hidden = { hideCredentials: true };
    const time = `apiTimestamp=${String(NOON)}`;
    const text = `${time}&${K}`;
    const signed = withSign(text);

    for (const [wire, kept] of [
      [signed, ''],
      [`&&${signed}`, '&'],
      [`${signed}&`, ''],
      [`z=%2f+&&${withSign(text, `${text}&z=/ `)}`, 'z=%2f+&'],
      [withSign(`z&${text}`, `${text}&z=`), 'z'],
      [withSign(`%61ppKey=${acme.appKey}&z=1`, `${K}&z=1`), 'z=1'],
      [withSign(`appkey=x&appKey=${acme.appKey}&Sign=y`, `Sign=y&${K}&appkey=x`), 'appkey=x&Sign=y'],
      [withSign(`z=appKey%3D1&${K}`, `${K}&z=appKey=1`), 'z=appKey%3D1'],
    ] as const) {
      it(`from the URL ${wire.replace(/[0-9a-f]{128}/, '…')}`, async () => {
        const answer = await allowedOf(url(wire), hidden);
        assert.equal(headerOf(answer.upstream, ':path'), kept === '' ? '/signed' : `/signed?${kept}`);
        assert.equal(bodyOf(answer), 'original');
      });

      it(`from the form ${wire.replace(/[0-9a-f]{128}/, '…')}`, async () => {
        const answer = await allowedOf(form(wire), hidden);
        assert.deepEqual(bodyOf(answer), { text: kept });
        assert.equal(headerOf(answer.upstream, ':path'), undefined);
      });
    }

    it('as splitting, dropping and joining does', async () => {
      const segments = fc.array(fc.constantFrom('', 'a=1', 'a', '=', 'b=%26', 'c=+', time), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(segments, segments, async (before, after) => {
          const wire = [...before, K, ...after, 'sign=x'].join('&');
          const gateway = signedGateway('parameter-signature', { options: { ...hidden, mode: 'observe' } });
          const inUrl = await gateway.send(asCheck(url(wire)));
          const inForm = await gateway.send(asCheck(form(wire)));
          assert.ok(inUrl.kind === 'allowed' && inForm.kind === 'allowed');
          const kept = naiveStrip(wire);
          assert.equal(headerOf(inUrl.upstream, ':path'), kept === '' ? '/signed' : `/signed?${kept}`);
          assert.deepEqual(bodyOf(inForm), { text: kept });
        }),
        { numRuns: 200 },
      );
    });

    it('from the query of a form too', async () => {
      const answer = await allowedOf(form(withSign(`${K}&a=1`, `a=1&${K}`), `/signed?${K}`), hidden);
      assert.deepEqual([headerOf(answer.upstream, ':path'), bodyOf(answer)], ['/signed', { text: 'a=1' }]);
    });

    it('but not without it', async () => {
      const answer = await allowedOf(form(plain, `/signed?${K}`));
      assert.deepEqual([headerOf(answer.upstream, ':path'), bodyOf(answer)], [undefined, 'original']);
    });
  });

  describe('shows the string to sign with signatureHints', () => {
    const hinted = { signatureHints: true };

    async function hintOf(
      request: PlainRequest,
      options: Partial<ParameterSignatureOptions> = hinted,
    ): Promise<string | undefined> {
      const { answer } = await outcomeOf(request, options);
      assert.ok(answer.kind === 'refused', 'it was allowed');
      return (answer.body as { stringToSign?: string }).stringToSign;
    }
    const wrong = (wire: string): string => `${wire}&sign=${'0'.repeat(128)}`;

    it('which ends before the secret, in each form', async () => {
      assert.equal(await hintOf(url(wrong(`b=%26+c&${K}&a`))), `a=&${K}&b=& c`);
      assert.equal(await hintOf(form(wrong(`b=%26+c&${K}&a`))), `a=&${K}&b=& c`);
      const forged = wrapperOf('{"a":"é"}', { secret: 'some other secret', apiTimestamp: '5' });
      assert.equal(await hintOf(json(forged)), `apiTimestamp=5&${K}&data={"a":"é"}`);
    });

    it('holds no secret, and no sign, neither the given nor the expected one', async () => {
      const { answer } = await outcomeOf(url(wrong(`a=1&${K}`)), hinted);
      assert.ok(answer.kind === 'refused');
      for (const text of [acme.secret, '0'.repeat(128), plain.slice(-128)]) assert.ok(!answer.text.includes(text));
    });

    it('as on the wire where the endpoint takes it raw, and decoded where it takes both', async () => {
      const request = url(wrong(`b=%26+c&${K}`));
      assert.equal(await hintOf(request, { ...hinted, parameterEncoding: 'raw' }), `${K}&b=%26+c`);
      assert.equal(await hintOf(request, { ...hinted, parameterEncoding: 'auto' }), `${K}&b=& c`);
    });

    it('the same of an unknown App Key', async () => {
      assert.equal(await hintOf(url(wrong('a=1&appKey=nobody'))), 'a=1&appKey=nobody');
    });

    it('of no other refusal', async () => {
      for (const request of [
        url(K),
        url(`${K}&sign=x`),
        url(withSign(`apiTimestamp=1&${K}`)),
        url(wrong(`a=%&${K}`)),
        url(wrong(`a%26=1&${K}`)),
      ]) {
        assert.equal(await hintOf(request), undefined, request.target);
      }
    });

    it('to 4096 bytes and then …, also of a large body', async () => {
      for (const [bytes, isCut] of [
        [4096, false],
        [4097, true],
        [2_000_000, true],
      ] as const) {
        const rest = `${K}&b=`.length;
        const hint = (await hintOf(form(wrong(`${K}&b=${'v'.repeat(bytes - rest)}`)))) ?? '';
        assert.deepEqual([hint.length, hint.endsWith('…')], [isCut ? 4097 : 4096, isCut]);
      }
    });

    it('never half a character at the cut', async () => {
      for (const shift of [0, 1, 2]) {
        const data = `${'x'.repeat(shift)}${'€'.repeat(2000)}`;
        const hint = (await hintOf(json(wrapperOf(data, { secret: 'some other secret' })))) ?? '';
        assert.match(hint, /€…$/);
        assert.ok(!hint.includes('\ufffd'));
        assert.ok(Buffer.byteLength(hint) <= 4096 + '…'.length * 3);
      }
    });
  });

  describe('in observe mode', () => {
    const observed = { mode: 'observe', hideCredentials: true } as const;

    it('lets a 401 through without identity, credentials out and the wrapper off', async () => {
      for (const [code, request, path, body] of [
        ['AUTHENTICATION_FAILED', url(withSign(`a=1&${K}`, '')), '/signed?a=1', 'original'],
        ['AUTHENTICATION_FAILED', form(withSign(`a=1&${K}`, '')), undefined, { text: 'a=1' }],
        ['AUTHENTICATION_FAILED', json(wrapperOf('x', { secret: 'wrong' }), `/signed?${K}`), '/signed', { text: 'x' }],
        ['AUTHENTICATION_FAILED', json(wrapperOf('x', { appKey: 'nobody' })), undefined, { text: 'x' }],
        ['REQUEST_EXPIRED', json(wrapperOf('x', { apiTimestamp: '1' })), undefined, { text: 'x' }],
        ['CREDENTIALS_MALFORMED', json(wrapperOf('x', { appKey: '' })), undefined, { text: 'x' }],
        ['CREDENTIALS_MALFORMED', url(`${K}&sign=1&sign=2&b`), '/signed?b', 'original'],
        ['CREDENTIALS_MISSING', url('a=1'), undefined, 'original'],
      ] as const) {
        const { answer } = await outcomeOf(request, observed);
        assert.ok(answer.kind === 'allowed', code);
        assert.equal(answer.metadata['code'], code);
        assert.equal(answer.metadata['consumer'], undefined);
        assert.equal(headerOf(answer.upstream, 'x-consumer-id'), undefined);
        assert.equal(headerOf(answer.upstream, ':path'), path);
        assert.deepEqual(bodyOf(answer), body);
      }
    });

    it('leaves everything but the wrapper where credentials are not hidden', async () => {
      const shown = { mode: 'observe' } as const;
      const inUrl = await allowedOf(url(withSign(`a=1&${K}`, '')), shown);
      assert.deepEqual([inUrl.upstream, bodyOf(inUrl)], [[], 'original']);
      const inJson = await allowedOf(json(wrapperOf('x', { secret: 'wrong' })), shown);
      assert.deepEqual(bodyOf(inJson), { text: 'x' });
    });

    it('lets a 403 and a 429 through with identity, the wrapper off', async () => {
      for (const parts of [{ isClosed: true }, { isLimited: true }]) {
        const gateway = signedGateway('parameter-signature', { options: observed, ...parts });
        await gateway.send(asCheck(json(wrapperOf('x'))));
        const answer = await gateway.send(asCheck(json(wrapperOf('x'))));
        assert.ok(answer.kind === 'allowed');
        assert.equal(answer.metadata['code'], 'isClosed' in parts ? 'NOT_AUTHORIZED' : 'RATE_LIMITED');
        assert.equal(headerOf(answer.upstream, 'x-consumer-id'), 'acme');
        assert.deepEqual(bodyOf(answer), { text: 'x' });
      }
    });

    it('still refuses what it cannot read: the wrapper never goes upstream', async () => {
      for (const [code, request] of [
        ['MALFORMED_WRAPPER', json(Buffer.from('{"data":1}'))],
        ['MALFORMED_WRAPPER', json(Buffer.concat([wrapperOf('x'), Buffer.from('x')]))],
        ['MALFORMED_REQUEST', url('a=%')],
        ['MALFORMED_REQUEST', json(wrapperOf('x'), '/signed?x=1')],
        ['TOO_MANY_PARAMETERS', url('a&'.repeat(101))],
        ['AMBIGUOUS_PARAMETERS', url('a%3D=1')],
        ['BODY_TOO_LARGE', json(Buffer.alloc(2_097_153, ' '))],
        ['BODY_NOT_VERIFIABLE', formRequest('/signed', 'x', [['Content-Type', 'text/plain']])],
        ['BODY_NOT_VERIFIABLE', formRequest('/signed', 'x', [[FORM_TYPE[0], `${FORM_TYPE[1]}; charset=latin1`]])],
      ] as const) {
        const { answer, code: told } = await outcomeOf(request, observed);
        assert.deepEqual([answer.kind, told], ['refused', code]);
      }
    });
  });

  describe('takes its time for a large body only', () => {
    const large = () => form(withSign(`${K}&b=${'v'.repeat(10_000_000)}`));

    it('and answers for a small one at once', () => {
      const { ports } = signedGateway('parameter-signature');
      assert.ok(!(check(httpRequest(asCheck(form(plain))), ports) instanceof Promise));
      assert.ok(!(check(httpRequest(asCheck(json(wrapperOf('{}')))), ports) instanceof Promise));
    });

    it('and gives other checks their turn in the meantime', async () => {
      const gateway = signedGateway('parameter-signature');
      const order: string[] = [];
      const first = gateway.send(asCheck(large())).then((answer) => {
        order.push(`large ${answer.kind}`);
      });
      for (let turn = 0; turn < 3; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        const answer = await gateway.send(asCheck(form(plain)));
        order.push(`small ${answer.kind}`);
      }
      await first;
      assert.deepEqual(order, ['small allowed', 'small allowed', 'small allowed', 'large allowed']);
    });

    it('and finds one changed byte at its very end', async () => {
      const request = large();
      const body = Buffer.from(String(request.body).replace('v&sign', 'w&sign'));
      assert.equal(await codeOf({ ...request, body }), 'AUTHENTICATION_FAILED');
    });
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { check } from '../../../../../src/check/check.ts';
import { type HmacOptions } from '../../../../../src/model/endpoint.ts';
import { headerOf } from '../../../../support/pipeline/answer.ts';
import { httpRequest } from '../../../../support/pipeline/check-request.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';
import { digestText, type HmacParts, signedByHmac } from '../../../../support/partner/hmac.ts';
import { acme } from '../../../../support/partner/signature-document.ts';
import { assertSkew } from '../../../../support/partner/assert-skew.ts';
import { asCheck, lastDecision, signedGateway } from '../../../../support/partner/signed-gateway.ts';

const signed = (parts: HmacParts = {}) => asCheck(signedByHmac({ target: '/signed', dateSeconds: NOON, ...parts }));

async function outcomeOf(parts: HmacParts, options: Partial<HmacOptions> = {}) {
  const gateway = signedGateway('hmac', { options });
  const answer = await gateway.send(signed(parts));
  return { answer, ...lastDecision(gateway) };
}

async function codeOf(parts: HmacParts, options?: Partial<HmacOptions>): Promise<string> {
  return (await outcomeOf(parts, options)).code;
}

describe('hmac authentication', () => {
  it('allows a right signature, as the consumer who holds the App Key', async () => {
    const { answer } = await outcomeOf({});
    assert.ok(answer.kind === 'allowed');
    assert.deepEqual(answer.upstream, [
      ['x-consumer-id', 'acme'],
      ['x-consumer-username', 'Acme Ltd'],
      ['x-credential-identifier', 'acme-both'],
    ]);
    assert.deepEqual(answer.metadata, {
      code: 'ALLOWED',
      endpoint: 'signed',
      authentication: 'hmac',
      consumer: 'acme',
      credential: 'acme-both',
      'postern.body': 'original',
    });
  });

  it('names its scheme in the challenge of every 401', async () => {
    for (const parts of [{ secret: 'some other secret' }, { dateSeconds: 0 }, { date: 'never' }, { digest: 'x' }]) {
      const { answer } = await outcomeOf(parts);
      assert.ok(answer.kind === 'refused' && answer.status === 401);
      assert.equal(headerOf(answer.headers, 'www-authenticate'), 'hmac realm="postern"');
    }
  });

  describe('compares the signed date with the clock', () => {
    for (const skew of [1, 300, 3600]) {
      it(`to ${String(skew)} s inclusive, both ways`, async () => {
        await assertSkew(skew, (distance) => codeOf({ dateSeconds: NOON + distance }, { clockSkewSeconds: skew }));
      });
    }

    it('in whole seconds, rounded down', async () => {
      const clock = fixedClock(NOON);
      const gateway = signedGateway('hmac', { clock });
      clock.advance(300.999);
      await gateway.send(signed());
      assert.equal(lastDecision(gateway).code, 'ALLOWED');
      clock.advance(0.001);
      await gateway.send(signed());
      assert.equal(lastDecision(gateway).code, 'REQUEST_EXPIRED');
    });
  });

  it('takes the Authorization out, unless hideCredentials is off', async () => {
    for (const [hideCredentials, removed] of [
      [true, ['authorization']],
      [false, []],
    ] as const) {
      const { answer } = await outcomeOf({}, { hideCredentials });
      assert.ok(answer.kind === 'allowed');
      assert.deepEqual(answer.removed, removed);
      assert.equal(headerOf(answer.upstream, ':path'), undefined);
    }
  });

  it('reports a wrong digest only after the signature and the time were right', async () => {
    const wrong = { method: 'POST', body: 'x', digest: digestText('y') };
    assert.equal(await codeOf({ ...wrong, secret: 'some other secret' }), 'AUTHENTICATION_FAILED');
    assert.equal(await codeOf({ ...wrong, dateSeconds: NOON - 301 }), 'REQUEST_EXPIRED');
    assert.equal(await codeOf(wrong), 'DIGEST_MISMATCH');
  });

  it('refuses a Digest in the map form when two came, joined', async () => {
    const gateway = signedGateway('hmac');
    const twice = [['Digest', digestText('x')]] as const;
    await gateway.send({ ...signed({ method: 'POST', body: 'x', headers: twice }), headerForm: 'map' });
    // The signature is over ", "; what Envoy joined has no blank.
    assert.equal(lastDecision(gateway).code, 'AUTHENTICATION_FAILED');
  });

  describe('shows the string to sign with signatureHints', () => {
    const hinted = { signatureHints: true };
    const wrong = { secret: 'some other secret' };

    async function hintOf(parts: HmacParts, options: Partial<HmacOptions> = hinted): Promise<string | undefined> {
      const { answer } = await outcomeOf(parts, options);
      assert.ok(answer.kind === 'refused');
      return (answer.body as { stringToSign?: string }).stringToSign;
    }

    it('of a wrong signature', async () => {
      const parts = { ...wrong, method: 'POST', body: 'x', target: '/signed?a=1&b' };
      assert.equal(
        await hintOf(parts),
        `date: Thu, 01 Oct 2026 12:00:00 GMT\nPOST /signed?a=1&b HTTP/1.1\ndigest: ${digestText('x')}`,
      );
      const { answer } = await outcomeOf(parts, hinted);
      assert.ok(answer.kind === 'refused');
      const expected = /signature="([^"]*)/.exec(signedByHmac({ ...parts, ...acme }).headers.at(-1)?.[1] ?? '')?.[1];
      for (const secret of [acme.secret, wrong.secret, expected ?? '']) assert.ok(!answer.text.includes(secret));
    });

    it('with the literal HTTP/1.1 where the real version counts too', async () => {
      const gateway = signedGateway('hmac', { options: { ...hinted, acceptRealHttpVersion: true } });
      const answer = await gateway.send({ ...signed(wrong), protocol: 'HTTP/2' });
      assert.ok(answer.kind === 'refused' && answer.text.includes('GET /signed HTTP/1.1"'));
    });

    it('the same of an unknown App Key', async () => {
      assert.equal(await hintOf({ appKey: 'nobody' }), await hintOf(wrong));
    });

    it('of no other refusal', async () => {
      for (const parts of [
        { dateSeconds: 0 },
        { date: 'never' },
        { digest: 'x' },
        { method: 'POST', body: 'x', digest: digestText('y') },
        { authorization: () => 'Basic x' },
      ]) {
        assert.equal(await hintOf(parts), undefined, JSON.stringify(parts));
      }
    });

    it('to 4096 bytes and then …', async () => {
      const sized = (bytes: number): HmacParts => {
        const rest = 'date: Thu, 01 Oct 2026 12:00:00 GMT\nGET /signed HTTP/1.1\nx-long: '.length;
        const headers = [['X-Long', 'v'.repeat(bytes - rest)]] as const;
        return { ...wrong, headers, signed: ['date', 'request-line', 'x-long'] };
      };
      const whole = (await hintOf(sized(4096))) ?? '';
      assert.ok(whole.length === 4096 && !whole.endsWith('…'));
      assert.equal(await hintOf(sized(4097)), `${whole}…`);
    });

    it('with U+FFFD for bytes that are not UTF-8', async () => {
      const headers = [['X-Name', 'a\xffb\xc3\xa9']] as const;
      const hint = await hintOf({ ...wrong, headers, signed: ['x-name', 'date', 'request-line'] });
      assert.match(hint ?? '', /^x-name: a\ufffdbé\n/);
    });

    it('and not without the option', async () => {
      assert.equal(await hintOf(wrong, {}), undefined);
    });
  });

  describe('in observe mode', () => {
    const observed = { mode: 'observe' } as const;

    it('lets a 401 through without identity, and without the Authorization', async () => {
      for (const [code, parts] of [
        ['AUTHENTICATION_FAILED', { secret: 'some other secret' }],
        ['AUTHENTICATION_FAILED', { appKey: 'nobody' }],
        ['REQUEST_EXPIRED', { dateSeconds: 0 }],
        ['DIGEST_MISMATCH', { method: 'POST', body: 'x', digest: digestText('y') }],
        ['CREDENTIALS_MALFORMED', { date: 'never' }],
        ['CREDENTIALS_MISSING', { authorization: () => 'Bearer x' }],
      ] as const) {
        const { answer } = await outcomeOf(parts, observed);
        assert.ok(answer.kind === 'allowed', code);
        assert.deepEqual([answer.upstream, answer.removed], [[], ['authorization']]);
        assert.deepEqual(answer.metadata, {
          code,
          endpoint: 'signed',
          authentication: 'hmac',
          'postern.body': 'original',
        });
      }
    });

    it('leaves the Authorization where hideCredentials is off', async () => {
      const { answer } = await outcomeOf({ secret: 'some other secret' }, { ...observed, hideCredentials: false });
      assert.ok(answer.kind === 'allowed');
      assert.deepEqual(answer.removed, []);
    });

    it('lets a 403 and a 429 through with identity', async () => {
      for (const parts of [{ isClosed: true }, { isLimited: true }]) {
        const gateway = signedGateway('hmac', { options: observed, ...parts });
        await gateway.send(signed());
        const answer = await gateway.send(signed());
        assert.ok(answer.kind === 'allowed');
        assert.equal(answer.metadata['code'], 'isClosed' in parts ? 'NOT_AUTHORIZED' : 'RATE_LIMITED');
        assert.equal(headerOf(answer.upstream, 'x-consumer-id'), 'acme');
        assert.deepEqual(answer.removed, ['authorization']);
      }
    });

    it('still refuses what cannot be judged at all', async () => {
      const gateway = signedGateway('hmac', { options: observed });
      const request = signed();
      for (const [change, code] of [
        [{ size: 5 }, 'BODY_TOO_LARGE'],
        [{ body: Buffer.alloc(10_485_761) }, 'BODY_TOO_LARGE'],
        [{ headers: [['upgrade', 'x']] }, 'BODY_TOO_LARGE'],
        [{ headerForm: 'map', path: '/signed/!' }, 'MALFORMED_REQUEST'],
        [{ path: '/signed//' }, 'PATH_NOT_NORMAL'],
      ] as const) {
        const answer = await gateway.send({ ...request, ...change });
        assert.equal(answer.kind, 'refused');
        assert.equal(lastDecision(gateway).code, code);
      }
    });
  });

  describe('takes its time for a large body only', () => {
    function started(body: Buffer) {
      const { ports } = signedGateway('hmac');
      return check(httpRequest(signed({ method: 'POST', body })), ports);
    }

    it('and answers for a small one at once', () => {
      assert.ok(!(started(Buffer.alloc(1024)) instanceof Promise));
    });

    it('and gives other checks their turn in the meantime', async () => {
      const gateway = signedGateway('hmac');
      const order: string[] = [];
      const large = gateway.send(signed({ method: 'POST', body: Buffer.alloc(10_485_760) })).then((answer) => {
        order.push(`large ${answer.kind}`);
      });
      // Each waits for one turn of the event loop and is decided in it.
      for (let turn = 0; turn < 3; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        const answer = await gateway.send(signed());
        order.push(`small ${answer.kind}`);
      }
      await large;
      assert.deepEqual(order, ['small allowed', 'small allowed', 'small allowed', 'large allowed']);
    });

    it('and finds one changed bit at its very end', async () => {
      const body = Buffer.alloc(1_000_000);
      const gateway = signedGateway('hmac');
      const request = signed({ method: 'POST', body: Buffer.from(body) });
      body.writeUInt8(1, body.length - 1);
      await gateway.send({ ...request, body });
      assert.equal(lastDecision(gateway).code, 'DIGEST_MISMATCH');
    });

    it('and the body is not changed by it', async () => {
      const body = Buffer.alloc(1_000_000, 'x');
      const before = createHash('sha256').update(body).digest('hex');
      await signedGateway('hmac').send(signed({ method: 'POST', body }));
      assert.equal(createHash('sha256').update(body).digest('hex'), before);
    });
  });
});

import assert from 'node:assert/strict';
import { isPromise } from '../../../../src/base/pending.ts';
import { check } from '../../../../src/check/check.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { type ReplayGuard, replayKeyOf, type UsedSignature } from '../../../../src/check/replay/replay-guard.ts';
import { InProcessReplayGuard } from '../../../../src/check/replay/in-process.ts';
import { StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import { digestText, type HmacParts, signedByHmac } from '../../../support/partner/hmac.ts';
import { formRequest, jsonRequest, withSign, wrapperOf } from '../../../support/partner/parameters.ts';
import { usedSignature } from '../../../support/partner/used-signature.ts';
import { acme, acmeFormer } from '../../../support/partner/signature-document.ts';
import {
  acmeCredential,
  asCheck,
  lastDecision,
  signedGateway,
  type SignedParts,
} from '../../../support/partner/signed-gateway.ts';
import { headerOf } from '../../../support/pipeline/answer.ts';
import { httpRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';

type SignatureMethod = 'hmac' | 'parameter-signature';

const stamp = `apiTimestamp=${String(NOON)}&appKey=${acme.appKey}`;
const byHmac = (parts: HmacParts = {}) =>
  asCheck(signedByHmac({ target: '/signed', method: 'POST', body: 'x', dateSeconds: NOON, ...parts }));
const byParameters = (secret = acme.secret) => asCheck(formRequest('/signed', withSign(stamp, stamp, secret)));
const byWrapper = () => asCheck(jsonRequest('/signed', wrapperOf('{}', { apiTimestamp: String(NOON) })));

const requests: readonly (readonly [SignatureMethod, string, () => RequestParts])[] = [
  ['hmac', 'a signed body', byHmac],
  ['parameter-signature', 'a form', byParameters],
  ['parameter-signature', 'a wrapper', byWrapper],
];

function guarded(method: SignatureMethod, { options, ...parts }: SignedParts<SignatureMethod> = {}) {
  const timed = method === 'hmac' ? {} : { requireTimestamp: true };
  return signedGateway(method, { ...parts, options: { replayProtection: true, ...timed, ...options } });
}

/** Remembers nothing, and tells what it was asked. */
function recordingGuard() {
  const reserved: { readonly used: UsedSignature; readonly windowSeconds: number }[] = [];
  const guard: ReplayGuard = {
    reserve: (used, windowSeconds) => {
      reserved.push({ used, windowSeconds });
      return 'first';
    },
  };
  return { guard, reserved };
}

/** Some other signature. */
const used = (method: SignatureMethod): UsedSignature => usedSignature('another', { method });

/** The same request where Envoy names another endpoint, which it belongs to then. */
function elsewhere(request: RequestParts): RequestParts {
  return { ...request, endpoint: 'elsewhere' };
}

async function codesOf(gateway: ReturnType<typeof signedGateway>, ...sent: readonly RequestParts[]): Promise<string[]> {
  const codes = [];
  for (const request of sent) {
    await gateway.send(request);
    codes.push(lastDecision(gateway).code);
  }
  return codes;
}

describe('replay protection', () => {
  for (const [method, kind, sign] of requests) {
    describe(`by ${method}, of ${kind}`, () => {
      it('refuses a signature that was used before, with 401', async () => {
        const gateway = guarded(method);
        assert.deepEqual(await codesOf(gateway, sign(), sign()), ['ALLOWED', 'REQUEST_REPLAYED']);
        const answer = await gateway.send(sign());
        assert.ok(answer.kind === 'refused' && answer.status === 401);
        assert.equal(answer.body.message, 'The signature was used before.');
        assert.deepEqual(lastDecision(gateway).detail, 'the signature was used before');
        assert.match(headerOf(answer.headers, 'www-authenticate') ?? '', /realm="postern"$/);
        assert.ok(!answer.text.includes('stringToSign'));
      });

      it('is asked for by the endpoint: without, nothing is remembered', async () => {
        const { guard: replayGuard, reserved } = recordingGuard();
        const gateway = guarded(method, { options: { replayProtection: false }, replayGuard });
        assert.deepEqual(await codesOf(gateway, sign(), sign()), ['ALLOWED', 'ALLOWED']);
        assert.deepEqual(reserved, []);
      });

      it('takes one of many at once', async () => {
        const gateway = guarded(method);
        const answers = await Promise.all(Array.from({ length: 50 }, () => gateway.send(sign())));
        assert.equal(answers.filter((answer) => answer.kind === 'allowed').length, 1);
      });

      it('reports who signed when, and how long signatures work', async () => {
        for (const clockSkewSeconds of [1, 300, 3600]) {
          const { guard: replayGuard, reserved } = recordingGuard();
          await guarded(method, { options: { clockSkewSeconds }, replayGuard }).send(sign());
          assert.deepEqual(
            reserved.map(({ used, windowSeconds }) => [
              used.credentialId,
              used.consumerId,
              used.signedAtSeconds,
              windowSeconds,
            ]),
            [['acme-both', 'acme', NOON, 2 * clockSkewSeconds]],
          );
        }
      });

      it('refuses it on another endpoint with a longer skew, after the time of the first', async () => {
        const clock = fixedClock();
        const gateway = guarded(method, {
          options: { clockSkewSeconds: 1 },
          elsewhere: { clockSkewSeconds: 3600 },
          clock,
        });
        assert.deepEqual(await codesOf(gateway, sign()), ['ALLOWED']);
        for (const seconds of [200, 3400]) {
          clock.advance(seconds);
          assert.deepEqual(await codesOf(gateway, elsewhere(sign())), ['REQUEST_REPLAYED']);
        }
        clock.advance(1);
        assert.deepEqual(await codesOf(gateway, elsewhere(sign())), ['REQUEST_EXPIRED']);
      });

      it('refuses it when the skew is raised later, remembered or not', async () => {
        for (const seconds of [30, 200]) {
          const clock = fixedClock();
          const replayGuard = new InProcessReplayGuard(clock);
          const before = guarded(method, { options: { clockSkewSeconds: 1 }, clock, replayGuard });
          assert.deepEqual(await codesOf(before, sign()), ['ALLOWED']);
          clock.advance(seconds);
          assert.equal((await codesOf(before, sign()))[0], 'REQUEST_EXPIRED');
          // Something is remembered, and what is out of date forgotten.
          replayGuard.reserve({ ...used(method), signedAtSeconds: clock.nowSeconds() }, 2);
          const after = guarded(method, { options: { clockSkewSeconds: 3600 }, clock, replayGuard });
          assert.deepEqual(await codesOf(after, sign()), [seconds === 30 ? 'REQUEST_REPLAYED' : 'REQUEST_EXPIRED']);
          clock.advance(3000);
          assert.notEqual((await codesOf(after, sign()))[0], 'ALLOWED');
        }
      });

      it('refuses it when the clock was set forward and back', async () => {
        const clock = fixedClock();
        const gateway = guarded(method, { clock });
        assert.deepEqual(await codesOf(gateway, sign()), ['ALLOWED']);
        clock.set(7200);
        assert.deepEqual(await codesOf(gateway, sign()), ['REQUEST_EXPIRED']);
        const replayGuard = gateway.ports.replayGuard;
        assert.equal(await replayGuard.reserve({ ...used(method), signedAtSeconds: clock.nowSeconds() }, 600), 'first');
        clock.set(-7200);
        assert.deepEqual(await codesOf(gateway, sign()), ['REQUEST_REPLAYED']);
      });

      it('refuses a partner who has used up a share with 429, in observe mode lets it through', async () => {
        const replayGuard: ReplayGuard = { reserve: () => ({ retryAfterSeconds: 60 }) };
        const answer = await guarded(method, { replayGuard }).send(sign());
        assert.ok(answer.kind === 'refused' && answer.status === 429);
        assert.equal(answer.body.code, 'RATE_LIMITED');
        assert.equal(headerOf(answer.headers, 'retry-after'), '60');
        assert.equal(headerOf(answer.headers, 'ratelimit'), undefined);
        const observing = guarded(method, { replayGuard, options: { mode: 'observe' } });
        assert.deepEqual(await codesOf(observing, sign()), ['RATE_LIMITED']);
        assert.equal(
          lastDecision(observing).detail,
          'the caller has used up its share of the signatures that can be remembered',
        );
      });

      it('refuses it in every second in which its time is right', async () => {
        const clock = fixedClock(NOON - 300);
        const gateway = guarded(method, { clock });
        assert.deepEqual(await codesOf(gateway, sign()), ['ALLOWED']);
        for (let second = 0; second <= 600; second += 60) {
          assert.deepEqual(await codesOf(gateway, sign()), ['REQUEST_REPLAYED']);
          clock.advance(60);
        }
        assert.deepEqual(await codesOf(gateway, sign()), ['REQUEST_EXPIRED']);
      });

      it('counts as used what access or limits refuse afterwards, and what observe lets through', async () => {
        assert.deepEqual(await codesOf(guarded(method, { isClosed: true }), sign(), sign()), [
          'NOT_AUTHORIZED',
          'REQUEST_REPLAYED',
        ]);
        const observing = guarded(method, { isClosed: true, options: { mode: 'observe' } });
        assert.deepEqual(await codesOf(observing, sign(), sign()), ['NOT_AUTHORIZED', 'REQUEST_REPLAYED']);
      });

      it('comes before a limit, and uses none of it up', async () => {
        const gateway = guarded(method, { isLimited: true });
        assert.deepEqual(await codesOf(gateway, sign(), sign()), ['ALLOWED', 'REQUEST_REPLAYED']);
      });

      it('refuses with 503 when the guard cannot know, at once or later, also in observe mode', async () => {
        const fault = new StoreUnavailable('MongoDB does not answer');
        for (const reserve of [
          () => {
            throw fault;
          },
          async () => await Promise.reject(fault),
        ]) {
          for (const mode of ['enforce', 'observe'] as const) {
            const gateway = guarded(method, { options: { mode }, replayGuard: { reserve } });
            const answer = await gateway.send(sign());
            assert.ok(answer.kind === 'refused' && answer.status === 503);
            const { code, detail } = lastDecision(gateway);
            assert.deepEqual([code, detail], ['STORE_UNAVAILABLE', 'MongoDB does not answer']);
            const unguarded = signedGateway(method, { replayGuard: { reserve } });
            assert.deepEqual(await codesOf(unguarded, sign()), ['ALLOWED']);
          }
        }
      });

      it('lets the 401 through in observe mode, without identity, and records it', async () => {
        const gateway = guarded(method, { options: { mode: 'observe', hideCredentials: true } });
        const first = await gateway.send(sign());
        const second = await gateway.send(sign());
        assert.ok(first.kind === 'allowed' && second.kind === 'allowed');
        assert.equal(headerOf(first.upstream, 'x-consumer-id'), 'acme');
        assert.equal(headerOf(second.upstream, 'x-consumer-id'), undefined);
        assert.deepEqual(second.removed.includes('authorization'), method === 'hmac');
        const { code, ...metadata } = second.metadata;
        assert.equal(code, 'REQUEST_REPLAYED');
        // Form and wrapper go on as those of the first did.
        assert.deepEqual(
          [metadata['postern.body'], metadata['postern.text']],
          [first.metadata['postern.body'], first.metadata['postern.text']],
        );
      });

      it('answers at once where it need not wait', () => {
        assert.ok(!isPromise(check(httpRequest(sign()), guarded(method).ports)));
      });
    });
  }

  it('is decided only after signature, time and digest were right', async () => {
    for (const [method, wrong, code] of [
      ['hmac', byHmac({ secret: 'some other secret' }), 'AUTHENTICATION_FAILED'],
      ['hmac', byHmac({ appKey: 'nobody' }), 'AUTHENTICATION_FAILED'],
      ['hmac', byHmac({ dateSeconds: NOON - 301 }), 'REQUEST_EXPIRED'],
      ['hmac', byHmac({ digest: digestText('y') }), 'DIGEST_MISMATCH'],
      ['parameter-signature', byParameters('some other secret'), 'AUTHENTICATION_FAILED'],
      ['parameter-signature', late(), 'REQUEST_EXPIRED'],
    ] as const) {
      const { guard: replayGuard, reserved } = recordingGuard();
      assert.deepEqual(await codesOf(guarded(method, { replayGuard }), wrong, wrong), [code, code]);
      assert.deepEqual(reserved, []);
    }
  });

  it('lets no caller use up the signature of another body', async () => {
    const gateway = guarded('hmac');
    const right = byHmac();
    const altered = { ...right, body: Buffer.from('y') };
    assert.deepEqual(await codesOf(gateway, altered, right, right, altered), [
      'DIGEST_MISMATCH',
      'ALLOWED',
      'REQUEST_REPLAYED',
      'DIGEST_MISMATCH',
    ]);
  });

  it('knows a signature again in whatever is not signed', async () => {
    const gateway = guarded('hmac');
    const { headers = [], ...rest } = byHmac();
    const reordered = { ...rest, headers: [...headers.toReversed(), ['x-other', '1'] as const] };
    const renamed = {
      ...rest,
      headers: headers.map(([name, value]) =>
        name === 'Authorization' ? ([name, value.replaceAll(', ', ',')] as const) : ([name, value] as const),
      ),
    };
    assert.deepEqual((await codesOf(gateway, { ...rest, headers }, reordered))[1], 'REQUEST_REPLAYED');
    const [code] = await codesOf(gateway, renamed);
    assert.ok(code === 'REQUEST_REPLAYED' || code === 'CREDENTIALS_MALFORMED', code);
  });

  it('allows no other spelling of a signature that was used', async () => {
    const gateway = guarded('hmac');
    const { headers = [], ...rest } = byHmac();
    await gateway.send({ ...rest, headers });
    for (const spell of [
      (text: string) => text.replace(/=*"$/, '"'),
      (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=*"$/, '"'),
      (text: string) => text.replace(/="$/, '=="'),
      (text: string) => text.replace('signature="', 'signature=" '),
    ]) {
      const spelled = headers.map(([name, value]) => [name, name === 'Authorization' ? spell(value) : value] as const);
      const [code] = await codesOf(gateway, { ...rest, headers: spelled });
      assert.ok(code === 'REQUEST_REPLAYED' || code === 'CREDENTIALS_MALFORMED' || code === 'AUTHENTICATION_FAILED');
    }
    const parameters = guarded('parameter-signature');
    const text = withSign(stamp);
    await parameters.send(asCheck(formRequest('/signed', text)));
    const upper = text.replace(/sign=([0-9a-f]+)/, (_, sign: string) => `sign=${sign.toUpperCase()}`);
    const encoded = text.replace(/sign=(.)/, (_, first: string) => `sign=%${first.charCodeAt(0).toString(16)}`);
    for (const body of [upper, encoded]) {
      const [code] = await codesOf(parameters, asCheck(formRequest('/signed', body)));
      assert.ok(code === 'REQUEST_REPLAYED' || code === 'CREDENTIALS_MALFORMED' || code === 'AUTHENTICATION_FAILED');
    }
  });

  it('distinguishes signatures by the current and by a retiring secret, and takes each once', async () => {
    const retiringSecret = { appSecret: Secret.fromText(acmeFormer.secret), expiresAt: NOON + 10 };
    const credentials = [acmeCredential({ retiringSecret })];
    const former = byHmac({ secret: acmeFormer.secret });
    assert.deepEqual(await codesOf(guarded('hmac', { credentials }), former, byHmac(), former, byHmac()), [
      'ALLOWED',
      'ALLOWED',
      'REQUEST_REPLAYED',
      'REQUEST_REPLAYED',
    ]);
  });

  it('names the same request of two App Keys and of two methods differently', async () => {
    const { guard: replayGuard, reserved } = recordingGuard();
    const other = acmeCredential({ id: 'acme-other', appKey: 'other' });
    await codesOf(
      guarded('hmac', { replayGuard, credentials: [acmeCredential(), other] }),
      byHmac(),
      byHmac({ appKey: 'other' }),
    );
    await codesOf(guarded('parameter-signature', { replayGuard }), byParameters(), byWrapper());
    assert.equal(new Set(reserved.map((each) => replayKeyOf(each.used))).size, 4);
  });
});

function late(): RequestParts {
  const text = `apiTimestamp=${String(NOON - 301)}&appKey=${acme.appKey}`;
  return asCheck(formRequest('/signed', withSign(text)));
}

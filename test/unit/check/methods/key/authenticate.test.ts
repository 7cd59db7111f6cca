import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type KeyOptions } from '../../../../../src/model/endpoint.ts';
import { type Credential } from '../../../../../src/model/credential.ts';
import { headerOf, type AllowedAnswer, type RefusedAnswer } from '../../../../support/pipeline/answer.ts';
import { type HeaderLine, headerForms, type RequestParts } from '../../../../support/pipeline/check-request.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';
import { type GatewayParts, testGateway } from '../../../../support/pipeline/gateway.ts';
import { APP_KEY, consumer, credential, keyEndpoint } from '../../../../support/pipeline/resources.ts';

async function send(
  request: RequestParts,
  options: Partial<KeyOptions> = {},
  parts: GatewayParts = {},
): Promise<AllowedAnswer | RefusedAnswer> {
  return await testGateway({ endpoints: [keyEndpoint({ options })], ...parts }).send(request);
}

/** `ALLOWED`, or the code. */
async function codeOf(request: RequestParts, options?: Partial<KeyOptions>, parts?: GatewayParts): Promise<string> {
  return String((await send(request, options, parts)).metadata['code']);
}

/** The `:path` and removed headers of an allowed request. */
async function changesOf(request: RequestParts, options?: Partial<KeyOptions>) {
  const answer = await send(request, options);
  assert.ok(answer.kind === 'allowed', `${request.path ?? ''} was refused`);
  return { path: headerOf(answer.upstream, ':path') ?? null, removed: answer.removed };
}

const K = APP_KEY;
const inHeader: HeaderLine = ['x-app-key', K];

describe('key authentication', () => {
  describe('takes the App Key of the first carrier that is present', () => {
    for (const [path, headers, code] of [
      ['/orders', [], 'CREDENTIALS_MISSING'],
      ['/orders?', [], 'CREDENTIALS_MISSING'],
      [`/orders?appKey=${K}`, [], 'ALLOWED'],
      [`/orders?x=1&appKey=${K}&y`, [], 'ALLOWED'],
      ['/orders', [inHeader], 'ALLOWED'],
      ['/orders?appKey', [inHeader], 'ALLOWED'],
      ['/orders?appKey', [], 'CREDENTIALS_MISSING'],
      ['/orders?appKey=', [], 'CREDENTIALS_MALFORMED'],
      ['/orders?appKey=', [inHeader], 'CREDENTIALS_MALFORMED'],
      ['/orders?appKey=wrong', [inHeader], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey=${K}&appKey=${K}`, [], 'CREDENTIALS_MALFORMED'],
      [`/orders?appKey=${K}&appKey=`, [], 'CREDENTIALS_MALFORMED'],
      [`/orders?appKey=&appKey=${K}`, [], 'CREDENTIALS_MALFORMED'],
      [`/orders?appKey&appKey=${K}`, [], 'ALLOWED'],
      [`/orders?appKey=${K}&appKey`, [], 'ALLOWED'],
      [`/orders?appKey=${K}&appKe%79=${K}`, [], 'CREDENTIALS_MALFORMED'],
      // Only the carriers up to the deciding one are examined.
      [`/orders?appKey=${K}`, [inHeader, inHeader], 'ALLOWED'],
      [`/orders?appKey=${K}`, [['x-app-key', '']], 'ALLOWED'],
      [`/orders?appKey=${K}`, [['x-app-key', 'wrong']], 'ALLOWED'],
      ['/orders', [inHeader, inHeader], 'CREDENTIALS_MALFORMED'],
      ['/orders', [['x-app-key', '']], 'CREDENTIALS_MALFORMED'],
      ['/orders', [['x-app-key', 'wrong']], 'AUTHENTICATION_FAILED'],
      // Query names are case-sensitive and form-decoded, header names are neither.
      [`/orders?appkey=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?APPKEY=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?%61pp%4bey=${K}`, [], 'ALLOWED'],
      [`/orders?appKey%3D=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?appKey+=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?+appKey=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?%zzappKey=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?appKey%=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?appKey%00=${K}`, [], 'CREDENTIALS_MISSING'],
      ['/orders', [['X-APP-KEY', K]], 'ALLOWED'],
      ['/orders', [['x_app_key', K]], 'CREDENTIALS_MISSING'],
      ['/orders', [['x-app-keys', K]], 'CREDENTIALS_MISSING'],
      // Values are form-decoded in the query and taken as they are in a header.
      [`/orders?appKey=%33${K.slice(1)}`, [], 'ALLOWED'],
      [`/orders?appKey=${K}%`, [], 'AUTHENTICATION_FAILED'],
      ['/orders?appKey=%zz', [], 'AUTHENTICATION_FAILED'],
      ['/orders?appKey=%ff', [], 'AUTHENTICATION_FAILED'],
      ['/orders?appKey=%', [], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey=${K}+`, [], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey=${K}%00`, [], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey=${K}%0a`, [], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey=${K}=`, [], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey==${K}`, [], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey=${K.toUpperCase()}`, [], 'AUTHENTICATION_FAILED'],
      [`/orders?appKey=${'a'.repeat(513)}`, [], 'AUTHENTICATION_FAILED'],
      ['/orders', [['x-app-key', `%33${K.slice(1)}`]], 'AUTHENTICATION_FAILED'],
      ['/orders', [['x-app-key', `${K},${K}`]], 'AUTHENTICATION_FAILED'],
      ['/orders', [['x-app-key', '\xe9']], 'AUTHENTICATION_FAILED'],
      // A `;` separates nothing, and neither fragment nor body carry anything.
      [`/orders?x=1;appKey=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders?x?appKey=${K}`, [], 'CREDENTIALS_MISSING'],
      [`/orders;appKey=${K}`, [], 'CREDENTIALS_MISSING'],
    ] as const) {
      it(`${path.replaceAll(K, 'K')} ${headers.map((line) => line.join(': ').replaceAll(K, 'K')).join(', ')} → ${code}`, async () => {
        assert.equal(await codeOf({ path, headers, keepCase: true }), code);
      });
    }

    it('in the map form of headers, where repeats arrive joined', async () => {
      assert.equal(await codeOf({ headerForm: 'map', headers: [inHeader] }), 'ALLOWED');
      assert.equal(await codeOf({ headerForm: 'map', headers: [inHeader, inHeader] }), 'AUTHENTICATION_FAILED');
      assert.equal(await codeOf({ headerForm: 'map', path: `/orders?appKey=${K}` }), 'ALLOWED');
    });

    it('as `keyNames` orders and names them', async () => {
      const options = { keyNames: [{ header: 'X-Partner' }, { query: 'api_key' }, { query: 'ä' }] } as const;
      const partner = (value: string): HeaderLine => ['x-partner', value];
      assert.equal(await codeOf({ path: `/orders?api_key=${K}` }, options), 'ALLOWED');
      assert.equal(await codeOf({ path: `/orders?%C3%A4=${K}` }, options), 'ALLOWED');
      assert.equal(await codeOf({ path: `/orders?appKey=${K}` }, options), 'CREDENTIALS_MISSING');
      assert.equal(await codeOf({ headers: [inHeader] }, options), 'CREDENTIALS_MISSING');
      assert.equal(await codeOf({ headers: [partner(K)], path: '/orders?api_key=wrong' }, options), 'ALLOWED');
      const rescued = { headers: [partner('wrong')], path: `/orders?api_key=${K}` };
      assert.equal(await codeOf(rescued, options), 'AUTHENTICATION_FAILED');
    });
  });

  describe('takes the App Key after a scheme word', () => {
    const bearer = { keyNames: [{ header: 'Authorization', scheme: 'Bearer' }, { header: 'X-App-Key' }] } as const;
    const sent = (...values: readonly string[]): HeaderLine[] => values.map((value) => ['authorization', value]);
    for (const [headers, code] of [
      [sent(`Bearer ${K}`), 'ALLOWED'],
      [sent(`bearer   ${K}`), 'ALLOWED'],
      [sent(`BEARER ${K}`), 'ALLOWED'],
      [sent('Bearer wrong'), 'AUTHENTICATION_FAILED'],
      [[...sent('Bearer wrong'), inHeader], 'AUTHENTICATION_FAILED'],
      [sent(`Bearer ${K} ${K}`), 'AUTHENTICATION_FAILED'],
      [sent(`Bearer ${K},${K}`), 'AUTHENTICATION_FAILED'],
      [sent('Bearer'), 'CREDENTIALS_MALFORMED'],
      [sent('Bearer '), 'CREDENTIALS_MALFORMED'],
      [sent(`Bearer\t${K}`), 'CREDENTIALS_MALFORMED'],
      [sent(`Bearer=${K}`), 'CREDENTIALS_MALFORMED'],
      [sent(`Bearer ${K}`, `Bearer ${K}`), 'CREDENTIALS_MALFORMED'],
      [sent(`Bearer ${K}`, `Basic ${K}`), 'CREDENTIALS_MALFORMED'],
      [sent(''), 'CREDENTIALS_MALFORMED'],
      [sent(`"${K}"`), 'CREDENTIALS_MALFORMED'],
      // Of another scheme, the carrier is absent.
      [sent(K), 'CREDENTIALS_MISSING'],
      [sent(`Bearer${K}`), 'CREDENTIALS_MISSING'],
      [sent(`Basic ${K}`), 'CREDENTIALS_MISSING'],
      [[...sent(`Basic ${K}`), inHeader], 'ALLOWED'],
      [[inHeader], 'ALLOWED'],
      [[['x-app-key', `Bearer ${K}`]], 'AUTHENTICATION_FAILED'],
    ] as const) {
      it(`${headers.map((line) => line.join(': ').replaceAll(K, 'K')).join(', ')} → ${code}`, async () => {
        assert.equal(await codeOf({ headers }, bearer), code);
      });
    }

    it('and hides a header of this scheme only', async () => {
      const removed = async (...headers: readonly HeaderLine[]) => (await changesOf({ headers }, bearer)).removed;
      assert.deepEqual(await removed(...sent(`bearer ${K}`), inHeader), ['authorization', 'x-app-key']);
      assert.deepEqual(await removed(...sent(`Basic ${K}`), inHeader), ['x-app-key']);
      const query = { keyNames: [{ query: 'appKey' }, ...bearer.keyNames] } as const;
      const asked = async (...values: readonly string[]) =>
        (await changesOf({ path: `/orders?appKey=${K}`, headers: sent(...values) }, query)).removed;
      assert.deepEqual(await asked('Bearer'), ['authorization']);
      assert.deepEqual(await asked('Basic abc, Bearer other'), ['authorization']);
      assert.deepEqual(await asked('Basic abc', 'Bearer other'), ['authorization']);
      assert.deepEqual(await asked('Basic Bearer'), []);
    });

    it('and says in the log that a key has such a word, never the key', async () => {
      const detailOf = async (headers: readonly HeaderLine[], options: Partial<KeyOptions>) => {
        const gateway = testGateway({ endpoints: [keyEndpoint({ options })] });
        await gateway.send({ headers });
        const [decided] = gateway.decided;
        assert.ok(decided && 'refusal' in decided.decision);
        return decided.decision.refusal.detail;
      };
      assert.equal(
        await detailOf(sent(`bearer ${K}`), {}),
        'the request carries no App Key; it has an Authorization with the scheme word Bearer, which "keyNames" takes as { header: Authorization, scheme: Bearer }',
      );
      assert.equal(
        await detailOf(sent(`Token ${K}`), { keyNames: [{ header: 'Authorization' }] }),
        'the App Key is unknown: the scheme word Token is before it, which "keyNames" takes as { header: …, scheme: Token }',
      );
      // What is no usual word may be part of a secret.
      assert.equal(await detailOf(sent('s3cret word'), {}), 'the request carries no App Key');
      assert.equal(
        await detailOf(sent('s3cret word'), { keyNames: [{ header: 'Authorization' }] }),
        'the App Key is unknown',
      );
    });

    it('whatever the word and the header', async () => {
      const token = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '!', '~'), minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(token, token, async (scheme, other) => {
          const options = { keyNames: [{ header: 'X-Key', scheme }] };
          const code = async (word: string) => await codeOf({ headers: [['x-key', `${word} ${K}`]] }, options);
          assert.equal(await code(scheme.toUpperCase()), 'ALLOWED');
          const isSame = other.toLowerCase() === scheme.toLowerCase();
          assert.equal(await code(other), isSame ? 'ALLOWED' : 'CREDENTIALS_MISSING');
        }),
        { numRuns: 100 },
      );
    });
  });

  describe('hides every carrier and changes nothing else', () => {
    for (const [query, kept] of [
      [`appKey=${K}`, ''],
      [`appKey=${K}&`, ''],
      [`&appKey=${K}`, ''],
      [`appKey=${K}&&`, '?&'],
      [`&&appKey=${K}`, '?&'],
      [`x=a%2Fb&appKey=${K}&&y`, '?x=a%2Fb&&y'],
      [`appKey=${K}&x=a%2fb&&y`, '?x=a%2fb&&y'],
      [`appKey&appKey=${K}`, ''],
      [`appKey=${K}&appKey&x&appKe%79`, '?x'],
      [`appKey=${K}&appkey=1&xappKey=2&appKeyx=3`, '?appkey=1&xappKey=2&appKeyx=3'],
      [`%61ppKey=${K}&x=appKey=1`, '?x=appKey=1'],
      [`appKey=${K}&b=%2F&&c&d=+%20`, '?b=%2F&&c&d=+%20'],
      [`appKey=${K}&%zz=1&=2&=&%`, '?%zz=1&=2&=&%'],
      [`?appKey=${K}&appKey=${K}`, `??appKey=${K}`],
    ] as const) {
      it(`?${query.replaceAll(K, 'K')} → ${kept.replaceAll(K, 'K') || 'no query'}`, async () => {
        assert.deepEqual(await changesOf({ path: `/orders/%41;v?${query}` }), {
          path: `/orders/%41;v${kept}`,
          removed: [],
        });
      });
    }

    it('the query too when the header decided, and the header too when the query decided', async () => {
      assert.deepEqual(await changesOf({ path: '/orders?appKey&x', headers: [inHeader] }), {
        path: '/orders?x',
        removed: ['x-app-key'],
      });
      assert.deepEqual(await changesOf({ path: `/orders?appKey=${K}&x`, headers: [['X-App-Key', 'other']] }), {
        path: '/orders?x',
        removed: ['x-app-key'],
      });
    });

    it('and leaves a path without carriers alone', async () => {
      for (const path of ['/orders', '/orders?', '/orders?&', '/orders?x=%zz&appkey=1']) {
        assert.deepEqual(await changesOf({ path, headers: [inHeader] }), { path: null, removed: ['x-app-key'] });
      }
    });

    it('unless `hideCredentials` is false', async () => {
      const answer = await changesOf({ path: `/orders?appKey=${K}`, headers: [inHeader] }, { hideCredentials: false });
      assert.deepEqual(answer, { path: null, removed: [] });
    });

    it('whatever the query holds', async () => {
      const piece = fc.string({ unit: fc.constantFrom('a', 'appKey', '%61', '=', '%', '+', '?', 'K', '%4b', 'x') });
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 6 }), fc.nat(6), async (pieces, at) => {
          const isCarrier = (text: string): boolean => decodedName(text) === 'appKey';
          fc.pre(!pieces.some((each) => isCarrier(each) && each.includes('=')));
          const query = [...pieces.slice(0, at), `appKey=${K}`, ...pieces.slice(at)].join('&');
          const kept = pieces.filter((each) => !isCarrier(each)).join('&');
          const { path } = await changesOf({ path: `/orders?${query}` });
          assert.equal(path, kept === '' ? '/orders' : `/orders?${kept}`);
        }),
        { numRuns: 300 },
      );
    });
  });

  describe('answers the same to every credential that does not work', () => {
    const cases: Readonly<Record<string, GatewayParts>> = {
      unknown: { credentials: [] },
      'of another method': { credentials: [credential({ methods: ['hmac', 'oauth2'] })] },
      revoked: { credentials: [credential({ state: 'revoked' })] },
      'not valid yet': { credentials: [credential({ notBefore: NOON + 1 })] },
      expired: { credentials: [credential({ expiresAt: NOON })] },
      'retiring and over': { credentials: [credential({ state: 'retiring', expiresAt: NOON })] },
      'of a disabled consumer': { consumers: [consumer({ enabled: false })] },
    };
    const details = new Set<string>();
    for (const [name, parts] of Object.entries(cases)) {
      it(`one that is ${name}`, async () => {
        const gateway = testGateway(parts);
        const answer = await gateway.send({
          path: `/orders?appKey=${K}`,
          headers: [['x-request-id', '5c2e']],
        });
        assert.ok(answer.kind === 'refused');
        assert.equal(answer.status, 401);
        assert.equal(
          answer.text,
          '{"code":"AUTHENTICATION_FAILED","message":"The credentials or the signature are not valid.","requestId":"5c2e"}',
        );
        assert.deepEqual(answer.headers, [
          ['content-type', 'application/json'],
          ['cache-control', 'no-store'],
          ['www-authenticate', 'Key realm="postern"'],
        ]);
        assert.deepEqual(answer.metadata, {
          code: 'AUTHENTICATION_FAILED',
          endpoint: 'orders',
          authentication: 'key',
        });
        const [decided] = gateway.decided;
        assert.ok(decided && 'refusal' in decided.decision);
        const { detail } = decided.decision.refusal;
        assert.ok(!detail.includes(K), 'the log never shows an App Key');
        details.add(detail);
      });
    }

    it('though the log distinguishes them', () => {
      // "Expired" and "retiring and over" are one reason.
      assert.equal(details.size, Object.keys(cases).length - 1);
    });
  });

  describe('accepts a credential', () => {
    const cases: Readonly<Record<string, Partial<Credential>>> = {
      'from its first second': { notBefore: NOON },
      'to its last second': { expiresAt: NOON + 1 },
      'while it retires': { state: 'retiring', expiresAt: NOON + 1 },
      'of several methods': { methods: ['hmac', 'key'] },
    };
    for (const [name, parts] of Object.entries(cases)) {
      it(name, async () => {
        assert.equal(await codeOf({ headers: [inHeader] }, {}, { credentials: [credential(parts)] }), 'ALLOWED');
      });
    }

    it('by whole seconds, rounded down', async () => {
      const parts = { credentials: [credential({ expiresAt: NOON + 1 })], clock: fixedClock(NOON + 0.999) };
      assert.equal(await codeOf({ headers: [inHeader] }, {}, parts), 'ALLOWED');
    });
  });

  for (const headerForm of headerForms) {
    it(`names what is missing and malformed, with headers as ${headerForm}`, async () => {
      const missing = await send({ headerForm });
      assert.ok(missing.kind === 'refused');
      assert.equal(missing.status, 401);
      assert.equal(missing.body.message, 'The request carries no credentials.');
      assert.equal(headerOf(missing.headers, 'www-authenticate'), 'Key realm="postern"');
      const malformed = await send({ headerForm, path: '/orders?appKey=' });
      assert.ok(malformed.kind === 'refused');
      assert.equal(malformed.status, 401);
      assert.equal(malformed.body.message, 'The credentials of the request are malformed.');
      assert.equal(headerOf(malformed.headers, 'www-authenticate'), 'Key realm="postern"');
    });
  }
});

/** The form-decoded name of a query segment, by another decoder than ours. */
function decodedName(segment: string): string | null {
  const [name = ''] = segment.split('=');
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch (error) {
    assert.ok(error instanceof URIError);
    return null;
  }
}

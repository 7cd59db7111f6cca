import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  MAX_ASSERTION_BYTES,
  MAX_ASSERTION_ID_BYTES,
  readAssertion,
} from '../../../../../src/gateway/oauth2/assertion/read-assertion.ts';
import { ASSERTION_CLIENT, type AssertionParts, clientAssertion } from '../../../../support/oauth2/client-assertion.ts';
import { encodeSegment, ISSUER } from '../../../../support/oauth2/forged-token.ts';
import { NOON } from '../../../../support/time/fixed-clock.ts';

/** What is read of an assertion, or its fault with the client when that is known. */
function read(text: string): unknown {
  const named = readAssertion(text);
  if ('fault' in named) return named.fault;
  return 'fault' in named.assertion ? [named.clientId, named.assertion.fault] : named.assertion.claims;
}

const readOf = (parts: AssertionParts): unknown => read(clientAssertion(parts));
const refused = (fault: string): unknown => [ASSERTION_CLIENT, `the assertion ${fault}`];
const claims = { audience: ISSUER, expiresAt: NOON + 60, issuedAt: null, notBefore: null, assertionId: 'one' };
const unnamed = 'the assertion has no iss and sub that are the same text';
const repeated = 'the assertion has a header or claims that are no JSON object, or that name something twice';
const unreadable = 'the assertion is not three segments of base64url';

describe('the form of a client assertion', () => {
  it('is that of a JWT with iss, sub, aud, exp and jti', () => {
    assert.deepEqual(readOf({ claims: { jti: 'one' } }), claims);
  });

  it('may have iat and nbf, fractions of a second, and one audience in an array', () => {
    const more = { jti: 'one', aud: [ISSUER], exp: NOON + 0.5, iat: NOON - 0.25, nbf: NOON };
    const expected = { ...claims, expiresAt: NOON + 0.5, issuedAt: NOON - 0.25, notBefore: NOON };
    assert.deepEqual(readOf({ claims: more }), expected);
  });

  for (const header of [
    { typ: 'JWT' },
    { typ: 'client-authentication+jwt' },
    { kid: 'any' },
    { kid: 1, jwk: { kty: 'oct' }, jku: 'https://example.com/', x5c: [], x5t: 'x', 'x5t#S256': 'x', other: null },
  ]) {
    it(`takes the header ${JSON.stringify(header)}`, () => {
      assert.deepEqual(readOf({ header, claims: { jti: 'one', unknown: { nested: [1] } } }), claims);
    });
  }

  for (const [name, value] of [
    ['crit', []],
    ['crit', ['exp']],
    ['b64', true],
    ['b64', false],
    ['zip', 'DEF'],
    ['enc', 'A256GCM'],
    ['cty', 'JWT'],
  ] as const) {
    it(`is refused with ${name} in the header: ${JSON.stringify(value)}`, () => {
      assert.deepEqual(readOf({ header: { [name]: value } }), refused(`has ${name} in its header`));
    });
  }

  for (const typ of ['jwt', 'at+jwt', 'application/jwt', '', null, 1, ['JWT']]) {
    it(`is refused with the typ ${JSON.stringify(typ)}`, () => {
      assert.deepEqual(readOf({ header: { typ } }), refused('has a typ other than JWT and client-authentication+jwt'));
    });
  }

  for (const alg of [
    'none',
    'None',
    'HS256',
    'RS384',
    'RS512',
    'PS384',
    'ES512',
    'ES256K',
    'Ed448',
    'eddsa',
    '',
    null,
  ]) {
    it(`is refused with the alg ${JSON.stringify(alg)}`, () => {
      const taken = 'EdDSA, Ed25519, ES256, ES384, PS256, PS512, RS256';
      assert.deepEqual(readOf({ header: { alg } }), refused(`has an alg other than ${taken}`));
    });
  }

  it('is refused without an alg', () => {
    assert.match(String(readOf({ header: '{}' })), /has an alg other than/);
    assert.match(String(readOf({ header: '{"constructor":1}' })), /has an alg other than/);
  });

  for (const aud of [undefined, null, [], [ISSUER, ISSUER], [ISSUER, 'x'], [[ISSUER]], 1, { a: ISSUER }]) {
    it(`is refused with the aud ${JSON.stringify(aud)}`, () => {
      assert.deepEqual(readOf({ claims: { aud } }), refused('has no aud, or an array of others than one text'));
    });
  }

  for (const exp of [undefined, null, '1', String(NOON + 60), true, [NOON + 60]]) {
    it(`is refused with the exp ${JSON.stringify(exp)}`, () => {
      assert.deepEqual(readOf({ claims: { exp } }), refused('has no exp that is a number'));
    });
  }

  it('is refused with a number beyond all', () => {
    const start = `{"iss":"${ASSERTION_CLIENT}","sub":"${ASSERTION_CLIENT}","aud":"${ISSUER}","jti":"one"`;
    assert.deepEqual(readOf({ claims: `${start},"exp":1e999}` }), refused('has no exp that is a number'));
  });

  for (const [name, value] of [
    ['iat', '1'],
    ['iat', null],
    ['nbf', null],
    ['nbf', {}],
  ] as const) {
    it(`is refused with the ${name} ${JSON.stringify(value)}`, () => {
      assert.match(String(readOf({ claims: { [name]: value } })), new RegExp(`${name} that is no number$`));
    });
  }

  it('is refused without a jti of 1 to 256 bytes', () => {
    for (const jti of [undefined, null, '', 1, ['x'], 'x'.repeat(257), 'é'.repeat(129)]) {
      assert.deepEqual(readOf({ claims: { jti } }), refused('has no jti of 1 to 256 bytes'));
    }
    for (const jti of ['x', 'x'.repeat(MAX_ASSERTION_ID_BYTES), 'é'.repeat(128)]) {
      assert.deepEqual(readOf({ claims: { jti } }), { ...claims, assertionId: jti });
    }
  });

  it('names its client as iss and sub', () => {
    for (const wrong of [
      { iss: undefined },
      { sub: undefined },
      { sub: 'another' },
      { iss: 'another' },
      { iss: 1, sub: 1 },
      { iss: null, sub: null },
      { iss: [ASSERTION_CLIENT], sub: [ASSERTION_CLIENT] },
    ]) {
      assert.equal(readOf({ claims: wrong }), unnamed);
    }
  });

  it('names nothing twice, and has objects in both segments', () => {
    const good = `"iss":"${ASSERTION_CLIENT}","sub":"${ASSERTION_CLIENT}","aud":"${ISSUER}","exp":${String(NOON + 60)}`;
    assert.deepEqual(readOf({ claims: `{${good},"jti":"one"}` }), claims);
    for (const parts of [
      { claims: `{${good},"jti":"one","jti":"two"}` },
      { claims: `{${good},"jti":"one","j\\u0074i":"one"}` },
      { claims: `{${good},"jti":"one","other":{"a":1,"a":1}}` },
      { claims: '[]' },
      { claims: '"text"' },
      { claims: 'null' },
      { claims: '' },
      { claims: '{' },
      { header: '{"alg":"none","alg":"Ed25519"}' },
      { header: '[]' },
      { header: '\ufeff{"alg":"Ed25519"}' },
    ]) {
      assert.equal(readOf(parts), repeated);
    }
  });

  it('has three segments in their one spelling', () => {
    const text = clientAssertion();
    const [header = '', payload = '', signature = ''] = text.split('.');
    for (const wrong of [
      '',
      'x',
      '..',
      `${header}.${payload}`,
      `${text}.`,
      `${text}.x`,
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${signature} `,
      ` ${text}`,
      `${text}\n`,
      `${header}=.${payload}.${signature}`,
      `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('base64')}`,
      `${header}.${payload}.é`,
    ]) {
      assert.match(String(read(wrong)), new RegExp(`^(${unreadable}|${repeated})$`), wrong);
    }
    // Of the last digit of 64 bytes four bits are to spare.
    const lax = ['A', 'B', 'C', 'E', 'I', 'Q', 'R', 'g', 'h', 'o', 'w', 'x', '4', '-', '_'].filter(
      (digit) => !('fault' in readAssertion(`${header}.${payload}.${signature.slice(0, -1)}${digit}`)),
    );
    assert.deepEqual(lax, ['A', 'Q', 'g', 'w']);
  });

  it('has at most 4096 bytes', () => {
    const room = (length: number): string =>
      clientAssertion({ header: { kid: 'x'.repeat(length) }, claims: { jti: 'one' } });
    let length = 2000;
    while (room(length + 1).length <= MAX_ASSERTION_BYTES) length += 1;
    assert.deepEqual(read(room(length)), claims);
    assert.equal(read(room(length + 4)), 'the assertion has more than 4096 bytes');
    assert.equal(read('é'.repeat(MAX_ASSERTION_BYTES)), unreadable);
  });

  it('is read or refused, and never more than that, whatever it is', () => {
    const segment = fc.oneof(fc.base64String(), fc.json().map(encodeSegment), fc.string());
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (segments) => {
        assert.equal(typeof readAssertion(segments.join('.')), 'object');
      }),
    );
  });
});

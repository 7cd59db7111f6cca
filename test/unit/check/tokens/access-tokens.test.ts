import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { jwtVerify } from 'jose';
import { type KeyRing } from '../../../../src/model/keyring/key-ring.ts';
import { AccessTokens, MAX_TOKEN_CHARACTERS, type TokenSubject } from '../../../../src/check/tokens/access-tokens.ts';
import { testKeyRing } from '../../../support/keyring/test-key-ring.ts';
import {
  decodeSegment,
  encodeSegment,
  ISSUER,
  partsOf,
  signSegments,
  tokenKey,
} from '../../../support/oauth2/forged-token.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';

const subject: TokenSubject = {
  clientId: '3f0c9a1be27d4856af0312c4d5e6b798',
  consumerId: 'acme',
  credentialId: 'acme-oauth2',
  expiresAt: null,
};
const header = encodeSegment({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key-1' });
const claims = {
  iss: ISSUER,
  aud: ISSUER,
  sub: subject.clientId,
  client_id: subject.clientId,
  consumer: 'acme',
  credential: 'acme-oauth2',
  iat: NOON,
  exp: NOON + 3600,
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
};

/** Tokens of a ring that a test may exchange, and the clock they go by. */
function issuer({ ring = testKeyRing(), url = ISSUER, remembered = 100 } = {}) {
  const clock = fixedClock();
  const state = { ring };
  const tokens = new AccessTokens({ issuer: url, ring: () => state.ring, clock, remembered });
  return { tokens, clock, state };
}

function faultOf(tokens: AccessTokens, text: string): string | null {
  const verified = tokens.verify(text);
  return 'fault' in verified ? verified.fault : null;
}

describe('an access token', () => {
  it('says who got it, for how long, and is accepted', () => {
    const { tokens } = issuer();
    const { text, expiresInSeconds } = tokens.issue(subject);
    const { header: head, payload } = partsOf(text);
    assert.deepEqual(decodeSegment(head), { alg: 'HS256', typ: 'at+jwt', kid: 'test-key-1' });
    const { jti, ...rest } = decodeSegment(payload);
    const { jti: ignored, ...expected } = claims;
    assert.notEqual(jti, ignored);
    assert.match(String(jti), /^[\w-]{22}$/);
    assert.deepEqual(rest, expected);
    assert.equal(expiresInSeconds, 3600);
    const verified = tokens.verify(text);
    assert.deepEqual(verified, {
      issuer: ISSUER,
      clientId: subject.clientId,
      consumerId: 'acme',
      credentialId: 'acme-oauth2',
      issuedAt: NOON,
      expiresAt: NOON + 3600,
      tokenId: jti,
      certificate: null,
    });
  });

  it('is a JWT that another implementation verifies', async () => {
    const { tokens } = issuer();
    const { payload, protectedHeader } = await jwtVerify(tokens.issue(subject).text, tokenKey(), {
      algorithms: ['HS256'],
      typ: 'at+jwt',
      issuer: ISSUER,
      audience: ISSUER,
      currentDate: new Date(NOON * 1000),
      requiredClaims: ['client_id', 'sub', 'jti', 'iat', 'exp'],
    });
    assert.equal(payload.sub, subject.clientId);
    assert.equal(protectedHeader.kid, 'test-key-1');
  });

  it('is another one each time', () => {
    const { tokens } = issuer();
    const texts = Array.from({ length: 100 }, () => tokens.issue(subject).text);
    assert.equal(new Set(texts).size, 100);
  });

  it('fits, with the longest names that there can be', () => {
    const longest = 'x'.repeat(63);
    const { tokens } = issuer({ url: `https://${'h'.repeat(504)}` });
    const { text } = tokens.issue({
      clientId: 'K'.repeat(512),
      consumerId: longest,
      credentialId: longest,
      expiresAt: null,
    });
    assert.ok(text.length < MAX_TOKEN_CHARACTERS, String(text.length));
    assert.equal(faultOf(tokens, text), null);
  });

  it('ends with its credential, and after an hour at the latest', () => {
    const { tokens } = issuer();
    for (const [expiresAt, expected] of [
      [NOON + 1, 1],
      [NOON + 3599, 3599],
      [NOON + 3600, 3600],
      [NOON + 3601, 3600],
    ] as const) {
      const { text, expiresInSeconds } = tokens.issue({ ...subject, expiresAt });
      assert.equal(expiresInSeconds, expected);
      assert.equal(decodeSegment(partsOf(text).payload)['exp'], NOON + expected);
    }
  });

  it('works until the second in which it ends, remembered or not', () => {
    for (const remembered of [100, 1]) {
      const { tokens, clock } = issuer({ remembered });
      const { text } = tokens.issue(subject);
      const other = tokens.issue(subject).text;
      assert.equal(faultOf(tokens, text), null);
      assert.equal(faultOf(tokens, other), null);
      clock.advance(3599);
      assert.equal(faultOf(tokens, text), null);
      clock.advance(1);
      assert.equal(faultOf(tokens, text), 'the token has expired');
      assert.equal(faultOf(tokens, other), 'the token has expired');
    }
  });

  it('of a replica whose clock is a minute ahead is accepted, of one further ahead not yet', () => {
    for (const [ahead, fault] of [
      [60, null],
      [61, 'the token is not valid yet'],
    ] as const) {
      const { tokens, clock } = issuer();
      clock.advance(ahead);
      const { text } = tokens.issue(subject);
      clock.advance(-ahead);
      assert.equal(faultOf(tokens, text), fault);
    }
  });
});

describe('a token that is not issued here', () => {
  const wrongHeader = 'the token has no header that is issued here, or its key was removed';
  const wrongSignature = 'the signature of the token is wrong';
  const wrongClaims = 'the claims of the token are not written as they are here';
  const payload = encodeSegment(claims);
  const good = signSegments(header, payload);
  const { signature } = partsOf(good);
  const keyPair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicPem = createPublicKey(keyPair.privateKey).export({ type: 'spki', format: 'pem' }).toString();
  const withHeader = (fields: Readonly<Record<string, unknown>>, ...key: [] | [string]): string =>
    signSegments(encodeSegment(fields), payload, ...key);
  const rsHeader = encodeSegment({ alg: 'RS256', typ: 'at+jwt', kid: 'test-key-1' });
  const withPayload = (content: Parameters<typeof encodeSegment>[0]): string =>
    signSegments(header, encodeSegment(content));

  const forged: Readonly<Record<string, readonly [text: string, fault: string]>> = {
    'nothing at all': ['', wrongHeader],
    'no dots': ['abc', wrongHeader],
    'only dots': ['..', wrongHeader],
    'one dot': [`${header}.${payload}`, wrongSignature],
    'no signature': [`${header}.${payload}.`, wrongSignature],
    'alg none': [`${encodeSegment({ alg: 'none', typ: 'at+jwt', kid: 'test-key-1' })}.${payload}.`, wrongHeader],
    'alg none, signed all the same': [withHeader({ alg: 'none', typ: 'at+jwt', kid: 'test-key-1' }), wrongHeader],
    'alg NONE': [withHeader({ alg: 'NONE', typ: 'at+jwt', kid: 'test-key-1' }), wrongHeader],
    'alg HS512': [
      signSegments(encodeSegment({ alg: 'HS512', typ: 'at+jwt', kid: 'test-key-1' }), payload, tokenKey(), 'sha512'),
      wrongHeader,
    ],
    'a longer MAC under our header': [signSegments(header, payload, tokenKey(), 'sha512'), wrongSignature],
    'alg RS256 by a key pair': [
      `${rsHeader}.${payload}.${sign('sha256', Buffer.from(`${rsHeader}.${payload}`), keyPair.privateKey).toString('base64url')}`,
      wrongHeader,
    ],
    'HS256 with a public key as its secret': [
      withHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key-1' }, publicPem),
      wrongSignature,
    ],
    'an empty secret': [signSegments(header, payload, ''), wrongSignature],
    'typ JWT': [withHeader({ alg: 'HS256', typ: 'JWT', kid: 'test-key-1' }), wrongHeader],
    'typ with its media type': [
      withHeader({ alg: 'HS256', typ: 'application/at+jwt', kid: 'test-key-1' }),
      wrongHeader,
    ],
    'no typ': [withHeader({ alg: 'HS256', kid: 'test-key-1' }), wrongHeader],
    'no kid': [withHeader({ alg: 'HS256', typ: 'at+jwt' }), wrongHeader],
    'an unknown kid': [withHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key-2' }), wrongHeader],
    'a kid that is a path': [withHeader({ alg: 'HS256', typ: 'at+jwt', kid: '../../../dev/null' }), wrongHeader],
    'header names in another order': [withHeader({ typ: 'at+jwt', alg: 'HS256', kid: 'test-key-1' }), wrongHeader],
    'a key in the header': [
      withHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key-1', jwk: { kty: 'oct', k: 'AAAA' } }),
      wrongHeader,
    ],
    'crit in the header': [withHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'test-key-1', crit: ['exp'] }), wrongHeader],
    'alg twice in the header': [
      signSegments(encodeSegment('{"alg":"HS256","alg":"none","typ":"at+jwt","kid":"test-key-1"}'), payload),
      wrongHeader,
    ],
    'a header that is not JSON': [signSegments('%%%', payload), wrongHeader],
    'another header of its own': [`${encodeSegment({})}.${payload}.${signature}`, wrongHeader],
    'other claims under a signature': [
      `${header}.${encodeSegment({ ...claims, consumer: 'borealis' })}.${signature}`,
      wrongSignature,
    ],
    'another key': [signSegments(header, payload, tokenKey(2)), wrongSignature],
    'the ring key itself': [signSegments(header, payload, Buffer.alloc(32, 1).toString('latin1')), wrongSignature],
    'a cut signature': [good.slice(0, -1), wrongSignature],
    'a longer signature': [`${good}A`, wrongSignature],
    'a padded signature': [`${good}=`, wrongSignature],
    'white space at the end': [`${good} `, wrongSignature],
    'white space before it': [` ${good}`, wrongHeader],
    'a fourth segment': [`${good}.${signature}`, wrongSignature],
    'five segments, as of JWE': [`${header}.a.b.c.d`, wrongSignature],
    'a token in a token': [signSegments(header, encodeSegment(good)), wrongClaims],
    'a token in place of the claims': [signSegments(header, good), wrongClaims],
    'another issuer': [
      withPayload({ ...claims, iss: 'https://other.example', aud: 'https://other.example' }),
      'the token was issued for another public URL',
    ],
    'another audience': [withPayload({ ...claims, aud: 'https://other.example' }), wrongClaims],
    'several audiences': [withPayload({ ...claims, aud: [ISSUER, 'https://other.example'] }), wrongClaims],
    'another subject': [withPayload({ ...claims, sub: 'somebody' }), wrongClaims],
    'cnf null': [withPayload({ ...claims, cnf: null }), wrongClaims],
    'cnf without a certificate': [withPayload({ ...claims, cnf: {} }), wrongClaims],
    'cnf of another kind too': [withPayload({ ...claims, cnf: { 'x5t#S256': 'a', jkt: 'b' } }), wrongClaims],
    'a certificate that is no text': [withPayload({ ...claims, cnf: { 'x5t#S256': 1 } }), wrongClaims],
    'one more claim': [withPayload({ ...claims, scope: 'admin' }), wrongClaims],
    'nbf, which is never issued': [withPayload({ ...claims, nbf: NOON + 100 }), wrongClaims],
    'no exp': [withPayload({ ...claims, exp: undefined }), wrongClaims],
    'exp as text': [withPayload({ ...claims, exp: String(NOON + 3600) }), wrongClaims],
    'exp null': [withPayload({ ...claims, exp: null }), wrongClaims],
    'exp without an end': [
      signSegments(header, encodeSegment(JSON.stringify(claims).replace(/"exp":\d+/, '"exp":1e999'))),
      wrongClaims,
    ],
    'a claim twice': [
      signSegments(header, encodeSegment(JSON.stringify(claims).replace('{', '{"consumer":"root",'))),
      wrongClaims,
    ],
    'white space in the claims': [signSegments(header, encodeSegment(JSON.stringify(claims, null, 1))), wrongClaims],
    'claims that are a list': [withPayload('[]'), wrongClaims],
    'claims that are null': [withPayload('null'), wrongClaims],
    'claims that are no JSON': [withPayload('{"iss"'), wrongClaims],
    'claims that are not UTF-8': [withPayload(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])), wrongClaims],
    'deeply nested claims': [withPayload('['.repeat(2000)), wrongClaims],
    'no claims': [signSegments(header, ''), wrongClaims],
    'claims padded': [signSegments(header, `${payload}=`), wrongClaims],
    'claims in the other base64': [signSegments(header, `${payload}+/`), wrongClaims],
    'bytes that are not ASCII': [`${header}.\u00e9\u00ff.${signature}`, wrongSignature],
    'characters above U+FFFF': [`${header}.${payload}.${'\u{1f511}'.repeat(20)}`, wrongSignature],
    'a NUL': [`${header}.${payload}\0.${signature}`, wrongSignature],
  };

  for (const [what, [text, fault]] of Object.entries(forged)) {
    it(`is refused: ${what}`, () => {
      const { tokens } = issuer();
      assert.equal(faultOf(tokens, text), fault);
      // Nor is anything wrong remembered as right.
      assert.equal(faultOf(tokens, text), fault);
      assert.equal(faultOf(tokens, good), null);
    });
  }

  it('is refused for its length alone, a right one too', () => {
    const { tokens } = issuer();
    const long = encodeSegment({ ...claims, consumer: 'x'.repeat(MAX_TOKEN_CHARACTERS) });
    assert.equal(faultOf(tokens, signSegments(header, long)), 'the token is too long');
    assert.equal(faultOf(tokens, 'a'.repeat(1_000_000)), 'the token is too long');
  });

  it('is every other text: one character changed anywhere makes it wrong, the last bits of base64 too', () => {
    const { tokens } = issuer();
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. ';
    for (let at = 0; at < good.length; at += 1) {
      const changed = alphabet[(at * 7 + 1) % alphabet.length] ?? 'A';
      if (changed === good[at]) continue;
      assert.notEqual(faultOf(tokens, good.slice(0, at) + changed + good.slice(at + 1)), null, String(at));
    }
    for (const last of alphabet) {
      if (last === good.at(-1)) continue;
      assert.equal(faultOf(tokens, good.slice(0, -1) + last), wrongSignature);
    }
  });

  it('is not a text of other characters with the same low bytes', () => {
    const { tokens } = issuer();
    const { text } = tokens.issue(subject);
    for (const at of [0, text.indexOf('.') + 1, text.length - 1]) {
      const alike = String.fromCharCode(text.charCodeAt(at) + 0x100);
      assert.notEqual(faultOf(tokens, text.slice(0, at) + alike + text.slice(at + 1)), null);
    }
    assert.equal(faultOf(tokens, text), null);
  });

  it('never makes verification throw', () => {
    const { tokens } = issuer();
    const segment = fc.oneof(
      fc.constant(header),
      fc.constant(payload),
      fc.string({ unit: 'binary' }),
      fc.base64String(),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), fc.boolean(), (segments, isSigned) => {
        const text = isSigned ? signSegments(header, segments.join('.')) : segments.join('.');
        assert.equal(faultOf(tokens, text) === null, text === good);
      }),
    );
  });
});

describe('the keys of tokens', () => {
  it('all verify, former and staged ones too', () => {
    const { tokens, state } = issuer({ ring: testKeyRing(1) });
    const { text } = tokens.issue(subject);
    state.ring = testKeyRing(1, 2);
    assert.equal(faultOf(tokens, text), null);
    const staged = issuer({ ring: testKeyRing(2, 1) });
    const { text: byStaged } = issuer({ ring: testKeyRing(2) }).tokens.issue(subject);
    assert.equal(faultOf(staged.tokens, byStaged), null);
  });

  it('take their tokens with them, remembered ones too', () => {
    const { tokens, state } = issuer({ ring: testKeyRing(1) });
    const { text } = tokens.issue(subject);
    assert.equal(faultOf(tokens, text), null);
    state.ring = testKeyRing(2);
    assert.match(faultOf(tokens, text) ?? '', /its key was removed/);
  });

  it('sign only when every replica had time to learn them', () => {
    const { tokens, clock, state } = issuer({ ring: testKeyRing(1) });
    const keyId = (): unknown => decodeSegment(partsOf(tokens.issue(subject).text).header)['kid'];
    assert.equal(keyId(), 'test-key-1');
    state.ring = testKeyRing(1, 2);
    assert.equal(keyId(), 'test-key-1');
    clock.advance(9);
    assert.equal(keyId(), 'test-key-1');
    clock.advance(1);
    assert.equal(keyId(), 'test-key-2');
    // A staged key that becomes current is known to all already.
    state.ring = testKeyRing(3, 1, 2);
    assert.equal(keyId(), 'test-key-2');
    clock.advance(10);
    state.ring = testKeyRing(1, 2, 3);
    assert.equal(keyId(), 'test-key-3');
    // And where the former key is gone, there is nothing to wait with.
    state.ring = testKeyRing(4);
    assert.equal(keyId(), 'test-key-4');
  });

  it('go by what the ring says now, not by names: another key of the same name is another key', () => {
    const { tokens } = issuer();
    const forged = signSegments(header, encodeSegment(claims), tokenKey(2));
    assert.equal(faultOf(tokens, forged), 'the signature of the token is wrong');
  });

  it('are derived once for each state of the ring', () => {
    const ring = testKeyRing(1, 2);
    let derived = 0;
    const counted = {
      currentKeyId: ring.currentKeyId,
      keyIds: ring.keyIds,
      derive: (...args: Parameters<KeyRing['derive']>) => {
        derived += 1;
        return ring.derive(...args);
      },
    };
    const tokens = new AccessTokens({ issuer: ISSUER, ring: () => counted, clock: fixedClock() });
    for (let count = 0; count < 10; count += 1) assert.equal(faultOf(tokens, tokens.issue(subject).text), null);
    assert.equal(derived, 2);
  });
});

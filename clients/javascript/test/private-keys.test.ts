import assert from 'node:assert/strict';
import { createPrivateKey, sign, webcrypto } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { bytesOfBinary, utf8 } from '../src/bytes.ts';
import { joinedSignature } from '../src/der.ts';
import { createClient, type ClientSettings, type MessageSettings } from '../src/index.ts';
import { assertionAlgorithms, messageAlgorithms } from '../src/key-algorithms.ts';
import { nodeKeySigner } from '../src/node-keys.ts';
import { type PrivateKey, readPem, readPrivateJwk } from '../src/private-key.ts';
import { readDictionary } from '../src/structured-fields.ts';
import { webKeySigner } from '../src/web-keys.ts';
import { now } from './support/credentials.ts';
import { FakeGateway, ok, refused, tokenAnswer } from './support/fake-gateway.ts';
import { isVerified, keys, type KeyName } from './support/key-vectors.ts';
import { problemOf } from './support/problem.ts';

const url = 'https://api.example.com/a';
const appKey = 'acme-2026';
const tokenUrl = 'https://api.example.com/oauth2/token';
const method = 'http-message-signature';
const accept = 'sig1=("@method" "@target-uri");created;nonce="theirs";tag="app"';
const names = Object.keys(keys) as KeyName[];

function over(gateway: FakeGateway, settings: Partial<MessageSettings> = {}): ReturnType<typeof createClient> {
  const { fetch, wait } = gateway;
  return createClient({ method, appKey, privateKey: keys.ed25519.pem, now, fetch, wait, ...settings });
}

function isKey(read: PrivateKey | { readonly fault: string }): PrivateKey {
  return 'fault' in read ? assert.fail(read.fault) : read;
}

describe('WebCrypto signs', () => {
  for (const name of names) {
    for (const [algorithm, how] of Object.entries({ ...messageAlgorithms, ...assertionAlgorithms })) {
      if (how.kind !== name) continue;
      it(`${algorithm}, as node:crypto does`, async () => {
        for (const key of [isKey(readPem(keys[name].pem)), isKey(readPrivateJwk(keys[name].jwk))]) {
          const text = 'a text to sign';
          const made = await webKeySigner(key, how)(utf8(text));
          assert.ok(isVerified({ algorithm, key: name }, text, made));
          const ofNode = nodeKeySigner(key, how)?.(utf8(text)) ?? assert.fail('this Node has node:crypto');
          assert.ok(isVerified({ algorithm, key: name }, text, ofNode));
          if (how.padding === 'pkcs1' || how.hash === null) assert.deepEqual(made, ofNode);
        }
      });
    }
  }
  it('not with a key whose numbers do not fit together, which shows no part of it', async () => {
    const key = isKey(readPrivateJwk({ ...keys.p256.jwk, x: keys.p256.jwk.y ?? '' }));
    const problem = await problemOf(webKeySigner(key, messageAlgorithms['ecdsa-p256-sha256'])(utf8('a')));
    assert.equal(problem.code, 'INVALID_CREDENTIAL');
    assert.throws(
      () => createClient({ method, appKey, privateKey: { ...keys.p256.jwk, x: keys.p256.jwk.y ?? '' } }),
      /do not fit together/,
    );
  });
  it('node:crypto is not there where the process does not give it', () => {
    const key = isKey(readPem(keys.ed25519.pem));
    assert.equal(nodeKeySigner(key, messageAlgorithms.ed25519, { process: undefined }), null);
  });
});

describe('a CryptoKey', () => {
  it('signs, though nobody can export it', async () => {
    const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
    const client = createClient({ method, appKey, privateKey: pair.privateKey });
    const { headers, stringToSign } = await client.sign({ method: 'GET', url });
    const [, text = ''] = /^sig1=:(.*):$/.exec(headers.at(-1)?.[1] ?? '') ?? [];
    const how = { name: 'ECDSA', hash: 'SHA-256' };
    const bytes = [Buffer.from(text, 'base64'), utf8(stringToSign ?? '')] as const;
    assert.equal(await webcrypto.subtle.verify(how, pair.publicKey, ...bytes), true);
  });
  it('that is public, for another use or of another algorithm makes no client', async () => {
    const pair = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
    const other = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-521' }, false, ['sign', 'verify']);
    const { publicKey, privateKey } = pair;
    for (const settings of [
      { method, privateKey: publicKey },
      { method, privateKey: other.privateKey },
      { method, privateKey, algorithm: 'ed25519' },
    ]) {
      assert.throws(() => createClient({ appKey, ...settings } as ClientSettings), { code: 'INVALID_CREDENTIAL' });
    }
  });
});

describe('a function that signs', () => {
  const key = createPrivateKey(keys.p256.pem);
  it('is asked once for each attempt, and may give DER', async () => {
    const asked: Uint8Array[] = [];
    const gateway = new FakeGateway(refused(429, 'RATE_LIMITED', { 'retry-after': '1' }), ok());
    const privateKey = (bytes: Uint8Array): Uint8Array => {
      asked.push(bytes);
      return new Uint8Array(sign('sha256', bytes, key));
    };
    const client = over(gateway, { privateKey, algorithm: 'ecdsa-p256-sha256' });
    assert.equal((await client.fetch(url)).status, 200);
    assert.deepEqual([asked.length, gateway.sent.length], [2, 2]);
    for (const [index, { headers }] of gateway.sent.entries()) {
      const signature = Buffer.from(/:(.*):/.exec(headers.get('signature') ?? '')?.[1] ?? '', 'base64');
      assert.equal(signature.length, 64);
      const text = Buffer.from(asked[index] ?? []).toString();
      assert.ok(isVerified({ algorithm: 'ecdsa-p256-sha256', key: 'p256' }, text, signature));
    }
  });
  it('that throws, or gives something else, is a problem, and nothing is sent', async () => {
    const cause = new Error('the key service is down');
    for (const [privateKey, expected] of [
      [async () => await Promise.reject(cause), cause],
      [() => new Uint8Array(63), undefined],
      [() => 'text', undefined],
    ] as const) {
      const gateway = new FakeGateway();
      const settings = { privateKey, algorithm: 'ecdsa-p256-sha256' } as unknown as Partial<MessageSettings>;
      const problem = await problemOf(over(gateway, settings).fetch(url));
      assert.deepEqual([problem.code, problem.cause, gateway.sent.length], ['SIGNER_FAILED', expected, 0]);
    }
  });
});

describe('what a 401 asks for', () => {
  const asking = (code = 'AUTHENTICATION_FAILED'): Response => refused(401, code, { 'accept-signature': accept });
  it('is signed once, and its nonce sent once', async () => {
    const gateway = new FakeGateway(asking(), refused(503, 'UNAVAILABLE'), ok());
    assert.equal((await over(gateway).fetch(url)).status, 200);
    const inputs = gateway.sent.map(({ headers }) => headers.get('signature-input') ?? '');
    assert.doesNotMatch(inputs[0] ?? '', /target-uri|tag=/);
    const form = /^sig1=\("@method" "@authority" "@path" "@query" "@target-uri"\);.*;nonce="(.*)";tag="app"$/;
    const nonces = inputs.map((input) => form.exec(input)?.[1]);
    assert.equal(nonces[1], 'theirs');
    assert.match(nonces[2] ?? '', /^[0-9a-f]{32}$/);
    assert.equal(gateway.waits.length, 1);
  });
  it('is not signed twice', async () => {
    const gateway = new FakeGateway(asking(), asking());
    assert.equal((await over(gateway).fetch(url, { method: 'POST', body: 'a' })).status, 401);
  });
  it('does not count for another code, another method, or a refusal of somebody else', async () => {
    const codes = ['REQUEST_REPLAYED', 'TOKEN_INVALID', 'REQUEST_EXPIRED'];
    for (const code of codes) {
      const gateway = new FakeGateway(asking(code));
      assert.equal((await over(gateway, { retries: 0 }).fetch(url)).status, 401);
    }
    const foreign = new FakeGateway(new Response('no', { status: 401, headers: { 'accept-signature': accept } }));
    assert.equal((await over(foreign).fetch(url)).status, 401);
    const { fetch } = new FakeGateway(asking());
    const other = createClient({ method: 'key', appKey, fetch });
    assert.equal((await other.fetch(url)).status, 401);
    assert.equal(await other.sign({ method: 'GET', url }, { acceptSignature: accept }), null);
  });
});

describe('assertions', () => {
  const settings = { method: 'private-key-jwt', appKey, privateKey: keys.ed25519.pem, tokenUrl } as const;
  const refusedAt = (seconds: number): Response =>
    Response.json(
      { error: 'invalid_client' },
      { status: 401, headers: { date: new Date(seconds * 1000).toUTCString() } },
    );
  it('are made anew by the clock of the token URL, once and where it was wrong', async () => {
    const seconds = Math.floor(now() / 1000);
    const gateway = new FakeGateway(refusedAt(seconds + 300), tokenAnswer('a'), ok());
    const { fetch } = gateway;
    const client = createClient({ ...settings, fetch, now, clockCorrection: 600 });
    assert.equal((await client.fetch(url)).status, 200);
    const issued = gateway.sent.slice(0, 2).map(({ init }) => {
      const assertion = new URLSearchParams(String(init.body)).get('client_assertion') ?? '';
      return (JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as { iat: number }).iat;
    });
    assert.deepEqual(issued, [seconds, seconds + 300]);
    for (const [difference, clockCorrection] of [
      [29, 600],
      [300, 0],
      [300, 60],
    ] as const) {
      const once = new FakeGateway(refusedAt(seconds + difference));
      await assert.rejects(createClient({ ...settings, fetch: once.fetch, now, clockCorrection }).fetch(url), {
        error: 'invalid_client',
      });
    }
  });
  it('are made by clients of this method alone', async () => {
    await assert.rejects(createClient({ method: 'key', appKey }).createAssertion(), TypeError);
  });
  it('are in no error of a fetch that repeats the question', async () => {
    const fetch = async (_: string, init: object): Promise<Response> => await Promise.reject(new Error(inspect(init)));
    const error: unknown = await createClient({ ...settings, fetch })
      .fetch(url)
      .catch((reason: unknown) => reason);
    assert.doesNotMatch(inspect(error, { showHidden: true, depth: null }), /eyJ/);
  });
});

describe('private keys', () => {
  it('are in nothing that is printed', async () => {
    for (const privateKey of [keys.ed25519.pem, keys.ed25519.jwk]) {
      const client = createClient({ method, appKey, privateKey });
      const signed = await client.sign({ method: 'GET', url });
      const text = [client, signed].map((each) => inspect(each, { showHidden: true, depth: null, getters: true }));
      const all = [...text, JSON.stringify(client), String(client)].join('\n');
      assert.match(all, /\[secret\]/);
      assert.ok(!all.includes(keys.ed25519.jwk.d ?? '') && !all.includes('MC4CAQ'));
    }
  });
  it('have PEM with the line ends of any system', () => {
    for (const pem of [keys.rsa.pem.replaceAll('\n', '\r\n'), `\n\n${keys.rsa.pem.trim()}`]) {
      createClient({ method, appKey, privateKey: pem });
    }
  });
  it('and App Secrets do not go together', () => {
    const both = { method, appKey, privateKey: keys.rsa.pem, appSecret: 'a secret' };
    assert.throws(() => createClient(both as unknown as ClientSettings), /no setting appSecret/);
    const secret = { method: 'hmac', appKey, privateKey: keys.rsa.pem, appSecret: 'a secret' };
    assert.throws(() => createClient(secret as unknown as ClientSettings), /no setting privateKey/);
  });
});

describe('hostile texts', () => {
  const pieces = fc.stringMatching(/^[ \ta-c*=(),;:"\\?01.-]{0,40}$/);
  it('of structured fields are read or not, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), pieces), (text) => {
        readDictionary(text);
      }),
    );
  });
  it('as keys and signatures are read or not, and nothing is thrown', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string(), (bytes, text) => {
        const body = Buffer.from(bytes).toString('base64');
        readPem(`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`);
        readPem(text);
        readPrivateJwk({ kty: 'EC', crv: text, d: text, x: text });
        joinedSignature(new Uint8Array(bytes), 32);
      }),
    );
  });
  it('a key with one byte changed or cut off never throws', () => {
    const der = bytesOfBinary(atob(keys.p384.pem.replaceAll(/-----.*-----|\s/g, '')));
    fc.assert(
      fc.property(fc.nat({ max: der.length - 1 }), fc.nat({ max: 255 }), fc.boolean(), (at, byte, isCut) => {
        const changed = isCut ? der.slice(0, at) : Uint8Array.from(der, (each, index) => (index === at ? byte : each));
        const body = Buffer.from(changed).toString('base64');
        readPem(`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`);
      }),
    );
  });
  it('an ECDSA signature in DER is the same joined', () => {
    const key = createPrivateKey(keys.p256.pem);
    for (let count = 0; count < 300; count += 1) {
      const text = utf8(String(count));
      const joined = joinedSignature(new Uint8Array(sign('sha256', text, key)), 32);
      assert.ok(joined !== null && isVerified({ algorithm: 'ES256', key: 'p256' }, String(count), joined));
    }
  });
});

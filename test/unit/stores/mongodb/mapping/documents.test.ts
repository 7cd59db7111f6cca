import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { BSON, ObjectId } from 'mongodb';
import type { ManagedCredential } from '../../../../../src/resources/resource.ts';
import { type AddressList, addressListField } from '../../../../../src/model/address-list.ts';
import { hashAppKey } from '../../../../../src/model/app-key.ts';
import { authenticationMethods, type Endpoint } from '../../../../../src/model/endpoint.ts';
import { Secret } from '../../../../../src/model/secret.ts';
import {
  describeFault,
  type Mapped,
  type RawDocument,
} from '../../../../../src/stores/mongodb/mapping/document-fault.ts';
import {
  readConsumerDocument,
  readEndpointDocument,
  readGrantDocument,
  writeConsumerDocument,
  writeEndpointDocument,
  writeGrantDocument,
  writeVersion,
} from '../../../../../src/stores/mongodb/mapping/records.ts';
import {
  readCredentialDocument,
  readManagedCredentialDocument,
  writeCredentialDocument,
} from '../../../../../src/stores/mongodb/mapping/map-credential.ts';
import { testKeyRing } from '../../../../support/keyring/test-key-ring.ts';
import {
  consumer,
  grant,
  keyEndpoint,
  limit,
  openEndpoint,
  partnerEndpoint,
} from '../../../../support/pipeline/resources.ts';
import { type GivenSecrets, materialWith } from '../../../../support/store/secrets.ts';
import { materialKindOf, publicKeyMaterial } from '../../../../../src/model/material.ts';
import { PublicKey } from '../../../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../../../src/model/public-key/read-jwk.ts';

const sealer = testKeyRing();
const reading = { sealer, keepsUnopened: false };
const version = writeVersion({ revision: 3, createdAt: 1_790_000_000, updatedAt: 1_790_000_100 });
const SECRET = 'a secret for tests, 32 characters';
const KEY = 'key-of-the-tests-that-is-a-secret';

function managed({
  retiringSecret = null,
  ...parts
}: Partial<ManagedCredential> & Pick<GivenSecrets, 'retiringSecret'> = {}): ManagedCredential {
  const methods = parts.methods ?? ['hmac'];
  return {
    id: 'acme-hmac',
    consumerId: 'acme',
    methods,
    appKey: Secret.fromText(KEY),
    appKeyHash: hashAppKey(KEY),
    material: materialWith(materialKindOf(methods) === 'app-key' ? null : Secret.fromText(SECRET), retiringSecret),
    state: 'active',
    notBefore: null,
    expiresAt: null,
    allowFrom: null,
    ...parts,
  };
}

/** What MongoDB gives back of a document. */
function stored(document: object): RawDocument {
  return BSON.deserialize(BSON.serialize(document));
}

function valueOf<T>(mapped: Mapped<T>): T {
  assert.ok('value' in mapped, 'fault' in mapped ? describeFault(mapped.fault) : '');
  return mapped.value;
}

function faultOf(mapped: Mapped<unknown>): string {
  assert.ok('fault' in mapped, 'a faulty document was read');
  return describeFault(mapped.fault);
}

/** Secrets compare by what they hold. */
function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal().toString();
  if (Array.isArray(value)) return value.map(revealed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each)]));
}

describe('documents of MongoDB', () => {
  const full = managed({
    methods: ['hmac', 'key'],
    retiringSecret: { appSecret: Secret.fromText(`former ${SECRET}`), expiresAt: 1_800_000_000 },
    state: 'retiring',
    notBefore: 1_790_000_000,
    expiresAt: 1_900_000_000,
  });
  const credentials = [
    managed(),
    full,
    managed({ methods: ['key'] }),
    managed({ methods: ['key'], appKey: null }),
    ...authenticationMethods
      .filter((method) => ['app-key', 'shared-secret'].includes(materialKindOf([method])))
      .map((method) => managed({ methods: [method] })),
  ];

  it('give back every credential, with and without its App Key', () => {
    for (const credential of credentials) {
      const document = stored(writeCredentialDocument(credential, version, sealer));
      assert.deepEqual(revealed(valueOf(readManagedCredentialDocument(document, reading))), revealed(credential));
      const checked = valueOf(readCredentialDocument(document, sealer));
      assert.deepEqual(revealed({ ...checked, appKey: credential.appKey }), revealed(credential));
    }
  });

  it('give back consumers, grants and endpoints', () => {
    const labels = { tier: 'gold', 'a.b': '', $set: 'x', ['__proto__']: 'y' };
    const allowFrom = addressListField(['203.0.113.0/24', '2001:db8::7']) as AddressList;
    for (const each of [consumer({ allowFrom }), consumer({ name: null, description: 'é', labels, enabled: false })]) {
      assert.deepEqual(valueOf(readConsumerDocument(stored(writeConsumerDocument(each, version)))), each);
    }
    const limits = [limit('4294967295/day/consumer'), limit('1/second/consumer')];
    for (const each of [grant(), grant({ limits: [] }), grant({ limits, expiresAt: 1_900_000_000 })]) {
      assert.deepEqual(valueOf(readGrantDocument(stored(writeGrantDocument(each, version)))), each);
    }
    const endpoints: readonly Endpoint[] = [
      keyEndpoint({ hosts: ['*.example.com'], limits: [limit('1/day/endpoint')], options: { hideCredentials: false } }),
      openEndpoint({ enabled: false, options: { mode: 'observe' } }),
      partnerEndpoint('key'),
      partnerEndpoint('hmac'),
      partnerEndpoint('parameter-signature'),
      partnerEndpoint('oauth2'),
    ];
    for (const each of endpoints) {
      assert.deepEqual(valueOf(readEndpointDocument(stored(writeEndpointDocument(each, version)))), each);
    }
  });

  it('give back a credential with a public key, which is not sealed', () => {
    const [publicKey, former] = [1, 2].map(() =>
      readJwk(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })),
    );
    assert.ok(publicKey instanceof PublicKey && former instanceof PublicKey);
    const credential = managed({
      methods: ['http-message-signature'],
      material: publicKeyMaterial(publicKey, { publicKey: former, expiresAt: 1_900_000_000 }),
    });
    const document = writeCredentialDocument(credential, version, null);
    assert.deepEqual(document.publicKey, publicKey.jwk);
    const { material } = valueOf(readCredentialDocument({ ...document }, sealer));
    assert.ok(material.kind === 'public-key' && material.retiringPublicKey !== null);
    assert.ok(material.publicKey.equals(publicKey) && material.retiringPublicKey.publicKey.equals(former));
    assert.equal(material.retiringPublicKey.expiresAt, 1_900_000_000);
  });

  it('name what a hand made of a public key, without a piece of it', () => {
    const base = { methods: ['http-message-signature'], appKey: KEY, publicKey: undefined };
    const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    const faultOf = (publicKey: unknown): string => {
      const read = readCredentialDocument(
        { ...writeCredentialDocument(managed(), version, sealer), appSecret: undefined, ...base, publicKey },
        sealer,
      );
      assert.ok('fault' in read);
      return describeFault(read.fault);
    };
    const said = [
      faultOf({ kty: 'OKP', crv: 'Ed25519', x, d }),
      faultOf({ kty: 'OKP', crv: 'Ed25519', x: 'AAAA' }),
      faultOf(undefined),
    ];
    assert.match(
      said[0] ?? '',
      /"publicKey": this is a private key: it must never leave the partner; ask for the public key$/,
    );
    assert.match(said[1] ?? '', /"publicKey": this has no "x" of 32 bytes in base64url$/);
    assert.match(said[2] ?? '', /"publicKey" is missing/);
    assert.ok(!said.join().includes(d));
  });

  it('are a pleasure to read', () => {
    assert.deepEqual(writeEndpointDocument(keyEndpoint(), version), {
      _id: 'orders',
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: '/orders' }] },
      authentication: 'key',
      revision: 3,
      createdAt: new Date(1_790_000_000_000),
      updatedAt: new Date(1_790_000_100_000),
    });
    assert.deepEqual(writeConsumerDocument(consumer(), version), {
      _id: 'acme',
      name: 'Acme Ltd',
      enabled: true,
      revision: 3,
      createdAt: new Date(1_790_000_000_000),
      updatedAt: new Date(1_790_000_100_000),
    });
  });

  it('hold no secret', () => {
    for (const credential of credentials) {
      const text = JSON.stringify(writeCredentialDocument(credential, version, sealer));
      assert.ok(!text.includes(SECRET));
      assert.equal(text.includes(KEY), credential.material.kind === 'shared-secret');
    }
  });

  const good = (): RawDocument => stored(writeCredentialDocument(full, version, sealer));
  const goodKey = (): RawDocument => stored(writeCredentialDocument(managed({ methods: ['key'] }), version, sealer));
  const cases: readonly (readonly [string, () => Mapped<unknown>, RegExp])[] = [
    [
      'a field nobody knows',
      () => credentialWith({ ipAllowList: [] }),
      /^credentials "acme-hmac", ipAllowList: unknown key in a credential; known keys: id, consumerId, methods/,
    ],
    ['an id that is none', () => credentialWith({ _id: 'Acme!' }), /"Acme!", _id: "id" must be 1 to 63 of/],
    ['an id of another type', () => credentialWith({ _id: new ObjectId('0'.repeat(24)) }), /ObjectId\("0{24}"\), _id/],
    ['no consumer', () => credentialWith({ consumerId: undefined }), /"consumerId" is missing/],
    [
      'methods that are none',
      () => credentialWith({ methods: ['basic'] }),
      /methods\[0\]: item 1 of "methods" must be "key", "hmac"/,
    ],
    ['no method', () => credentialWith({ methods: [] }), /methods: "methods" is empty/],
    [
      'methods twice',
      () => credentialWith({ methods: ['hmac', 'hmac'] }),
      /methods\[1\]: "hmac" appears twice in this list/,
    ],
    [
      'a method that is no list',
      () => credentialWith({ methods: 'hmac' }),
      /methods: "methods" must be a list; it is a text/,
    ],
    [
      'another hash',
      () => credentialWith({ appKeyHash: '0'.repeat(64) }),
      /appKeyHash: "appKeyHash" is not the SHA-256 of "appKey"/,
    ],
    ['a hash that is none', () => credentialWith({ appKeyHash: KEY }), /appKeyHash: "appKeyHash" must be the SHA-256/],
    ['an App Secret in clear', () => credentialWith({ appSecret: SECRET }), /appSecret: "appSecret" must be a mapping/],
    ['no App Secret', () => credentialWith({ appSecret: undefined }), /"acme-hmac": "appSecret" is missing/],
    [
      'half an App Secret',
      () => credentialWith({ appSecret: { keyId: 'test-key-1', nonce: 'AAAA' } }),
      /appSecret: "ciphertext" is missing/,
    ],
    [
      'a state that is none',
      () => credentialWith({ state: 'Active' }),
      /state: "state" must be "active", "retiring" or "revoked"/,
    ],
    [
      'a retiring one without an end',
      () => credentialWith({ expiresAt: undefined }),
      /state: "expiresAt" is missing; "state: retiring" needs/,
    ],
    ['a time as text', () => credentialWith({ expiresAt: '2027-01-01' }), /expiresAt: "expiresAt" must be a date/],
    [
      'a time out of range',
      () => credentialWith({ expiresAt: new Date(Number.NaN) }),
      /expiresAt: "expiresAt" must be a date/,
    ],
    [
      'an end before the beginning',
      () => credentialWith({ expiresAt: new Date(0) }),
      /expiresAt: "expiresAt" must be later than "notBefore"/,
    ],
    [
      'a retiring secret without an end',
      () => credentialWith({ retiringSecret: { appSecret: good()['appSecret'] } }),
      /retiringSecret: "expiresAt" is missing/,
    ],
    [
      'a secret App Key in clear',
      () => keyCredentialWith({ appKey: KEY }),
      /appKey: "appKey" is the secret of a credential of method key/,
    ],
    [
      'an App Secret for key',
      () => keyCredentialWith({ appSecret: good()['appSecret'] }),
      /appSecret: "appSecret" is not for a credential of method key/,
    ],
    [
      'a consumer that is neither enabled nor disabled',
      () => consumerWith({ enabled: 'yes' }),
      /^consumers "acme", enabled: "enabled" must be true or false; it is a text$/,
    ],
    ['an address list of nothing', () => consumerWith({ allowFrom: [] }), /allowFrom: "allowFrom" is empty: name a/],
    [
      'an address that is none',
      () => credentialWith({ allowFrom: ['10.0.0'] }),
      /allowFrom\[0\]: item 1 of "allowFrom" must/,
    ],
    [
      'a label that is no text',
      () => consumerWith({ labels: { tier: 1 } }),
      /labels\.tier: a value in "labels" must be a text/,
    ],
    ['labels that are a list', () => consumerWith({ labels: [] }), /labels: "labels" must be a mapping/],
    ['a blank name', () => consumerWith({ name: ' ' }), /name: "name" must hold 1 to 256/],
    [
      'a grant for another pair',
      () => grantWith({ consumerId: 'other' }),
      /^grants "orders\/acme", _id: must be "endpointId\/consumerId"/,
    ],
    [
      'limits for all',
      () => grantWith({ limits: [{ requests: 1, unit: 'day', per: 'endpoint' }] }),
      /limits\[0\]\.per: "per" must be "consumer" here/,
    ],
    [
      'limits of no requests',
      () => grantWith({ limits: [{ requests: 0, unit: 'day', per: 'consumer' }] }),
      /limits\[0\]\.requests: "requests" must be a whole number/,
    ],
    [
      'two limits of a unit',
      () => grantWith({ limits: [limit('1/day/consumer'), limit('2/day/consumer')] }),
      /limits\[1\]: a limit per consumer and day is on limits\[0\] already/,
    ],
    ['null for no limits', () => grantWith({ limits: null }), /limits: "limits" must be a list/],
    [
      'an endpoint with an id of its own',
      () => endpointWith({ id: 'other' }),
      /^endpoints "orders", id: is not a known field/,
    ],
    ['an endpoint without paths', () => endpointWith({ match: {} }), /"orders", match: "paths" is missing/],
    [
      'an endpoint with a description that is a number',
      () => endpointWith({ description: 5 }),
      /description: "description" must be a text; it is a number$/,
    ],
  ];
  for (const [what, read, expected] of cases) {
    it(`say nothing when a hand made ${what}`, () => {
      assert.match(faultOf(read()), expected);
      assert.ok(!faultOf(read()).includes(SECRET) && !faultOf(read()).includes(KEY));
    });
  }

  function credentialWith(fields: object): Mapped<unknown> {
    return readManagedCredentialDocument({ ...good(), ...fields }, reading);
  }
  function keyCredentialWith(fields: object): Mapped<unknown> {
    return readManagedCredentialDocument({ ...goodKey(), ...fields }, reading);
  }
  function consumerWith(fields: object): Mapped<unknown> {
    return readConsumerDocument({ ...writeConsumerDocument(consumer(), version), ...fields });
  }
  function grantWith(fields: object): Mapped<unknown> {
    return readGrantDocument({ ...writeGrantDocument(grant(), version), ...fields });
  }
  function endpointWith(fields: object): Mapped<unknown> {
    return readEndpointDocument({ ...writeEndpointDocument(keyEndpoint(), version), ...fields });
  }

  it('recognise a secret moved from another credential, and one whose key is not in the ring', () => {
    const other = stored(writeCredentialDocument({ ...full, id: 'other' }, version, sealer));
    const moved = readCredentialDocument({ ...good(), appSecret: other['appSecret'] }, sealer);
    assert.ok('fault' in moved && moved.fault.kind === 'damaged');
    assert.equal(moved.fault.field, 'appSecret');
    const elsewhere = readCredentialDocument(good(), testKeyRing(2));
    assert.ok('fault' in elsewhere && elsewhere.fault.kind === 'unknown-key');
    assert.match(describeFault(elsewhere.fault), /the key ring has no key "test-key-1"/);
    const retiring = {
      ...good(),
      retiringSecret: { ...(good()['retiringSecret'] as object), appSecret: other['appSecret'] },
    };
    assert.match(faultOf(readCredentialDocument(retiring, sealer)), /retiringSecret\.appSecret: cannot be opened/);
  });

  it('recognise a sealed App Key that is not that of the hash', () => {
    const other = managed({ methods: ['key'], appKey: Secret.fromText('another-key') });
    assert.match(
      faultOf(readManagedCredentialDocument(stored(writeCredentialDocument(other, version, sealer)), reading)),
      /appKeyHash: is not the SHA-256 of the sealed App Key/,
    );
  });

  it('never make a reader throw, whatever they hold', () => {
    const anything = fc.anything({ withDate: true, withBigInt: true, withNullPrototype: true, withTypedArray: true });
    const names = [
      '_id',
      'methods',
      'appKey',
      'appSecret',
      'retiringSecret',
      'labels',
      'limits',
      'match',
      'options',
      'state',
    ];
    const changes = fc.dictionary(
      fc.constantFrom(...names, 'expiresAt', 'scenario', 'trafficControl', 'other'),
      anything,
    );
    fc.assert(
      fc.property(changes, (change) => {
        for (const read of [credentialWith, keyCredentialWith, consumerWith, grantWith, endpointWith]) {
          const mapped = read(change);
          if ('fault' in mapped) assert.equal(typeof describeFault(mapped.fault), 'string');
        }
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { readConsumerDocument, readEndpointDocument } from '../../../src/stores/mongodb/mapping/records.ts';
import { joinSlice, sliceState } from '../../../src/stores/file/portable-state.ts';
import type { Credential } from '../../../src/model/credential.ts';
import type { Endpoint } from '../../../src/model/endpoint.ts';
import { Secret } from '../../../src/model/secret.ts';
import { appKeyMaterial, publicKeyMaterial, sharedSecret } from '../../../src/model/material.ts';
import { PublicKey } from '../../../src/model/public-key/public-key.ts';
import { readPublicKey } from '../../../src/model/public-key/read-public-key.ts';
import { spki } from '../../support/keys/bad-keys.ts';

const COUNT = 100;
const numbers = Array.from({ length: COUNT }, (_, at) => at);
const version = { revision: 1, createdAt: new Date(0), updatedAt: new Date(0) };

describe('the resources that checks read have one hidden class each', () => {
  it('distinguishes classes', () => {
    assert.equal(haveSameClass({ a: 1, b: 2 }, { b: 2, a: 1 }), false);
  });

  it('credentials of a declarative file', () => {
    const joined = {
      endpoints: [],
      consumers: [],
      credentials: [] as Credential[],
      grants: [],
      plans: [],
      issuers: [],
    };
    const credentials = numbers.map(credentialOf);
    const state = { endpoints: [], consumers: [], credentials, grants: [], plans: [], issuers: [] };
    for (const slice of sliceState(state)) joinSlice(joined, slice);
    assertOneClass(joined.credentials);
    const secrets = joined.credentials.map(({ material }) => material).filter(({ kind }) => kind === 'shared-secret');
    assertOneClass(secrets, COUNT / 2);
  });

  it('takes public keys from one thread to another, without checking them again', () => {
    const key = readPublicKey(spki(generateKeyPairSync('ed25519').publicKey));
    assert.ok(key instanceof PublicKey);
    const material = publicKeyMaterial(key, { publicKey: key, expiresAt: 5 });
    const joined = {
      endpoints: [],
      consumers: [],
      credentials: [] as Credential[],
      grants: [],
      plans: [],
      issuers: [],
    };
    const credentials = [{ ...credentialOf(0), material }];
    for (const slice of sliceState({ endpoints: [], consumers: [], credentials, grants: [], plans: [], issuers: [] })) {
      joinSlice(joined, structuredClone(slice));
    }
    const [taken] = joined.credentials;
    assert.ok(taken?.material.kind === 'public-key' && taken.material.retiringPublicKey !== null);
    const { publicKey, retiringPublicKey: former } = taken.material;
    assert.deepEqual([former.publicKey.equals(key), former.expiresAt], [true, 5]);
    assert.ok(publicKey.object.equals(key.object));
  });

  it('consumers of a database', () => {
    assertOneClass(
      numbers.map((at) => {
        const read = readConsumerDocument({
          ...{ _id: `partner-${String(at)}`, enabled: at % 5 > 0, ...version },
          ...(at % 3 === 0 ? {} : { name: 'A partner' }),
          ...(at % 2 === 0 ? {} : { labels: { tier: 'gold' } }),
        });
        assert.ok('value' in read);
        return read.value;
      }),
    );
  });

  it('endpoints of a database, and their options', () => {
    const endpoints = numbers.map((at) => {
      const read = readEndpointDocument({
        ...{ _id: `orders-${String(at)}`, scenario: 'partner-openapi', authentication: 'key', ...version },
        match: {
          paths: [{ prefix: `/orders/${String(at)}` }],
          ...(at % 3 === 0 ? {} : { hosts: ['api.example.com'] }),
        },
        ...(at % 2 === 0 ? {} : { options: { mode: 'observe' } }),
        enabled: at % 5 > 0,
      });
      assert.ok('value' in read);
      return read.value;
    });
    assertOneClass(endpoints);
    assertOneClass(endpoints.map(({ options }) => options));
    assertOneClass(endpoints.map(({ match }) => match));
  });
});

describe('names of closed lists that checks compare are the constants of the program', () => {
  it('distinguishes constants and copies', () => {
    assert.equal(isConstant('hmac'), true);
    assert.equal(isConstant(copyOf('hmac')), false);
  });

  it('in endpoints and credentials of a large declarative file, which another thread reads', () => {
    const joined = {
      endpoints: [] as Endpoint[],
      consumers: [],
      credentials: [] as Credential[],
      grants: [],
      plans: [],
      issuers: [],
    };
    const read = readEndpointDocument(endpointDocument('orders'));
    assert.ok('value' in read, JSON.stringify(read));
    const state = {
      endpoints: [read.value],
      consumers: [],
      credentials: [credentialOf(1)],
      grants: [],
      plans: [],
      issuers: [],
    };
    for (const slice of sliceState(state)) joinSlice(joined, structuredClone(slice));
    assert.deepEqual(copiesIn(joined.endpoints), []);
    assert.deepEqual(
      copiesIn(joined.credentials.map(({ methods, state, material: { kind } }) => ({ methods, state, kind }))),
      [],
    );
  });

  it('in endpoints of a database', () => {
    const read = readEndpointDocument(structuredClone(endpointDocument('orders')));
    assert.ok('value' in read, JSON.stringify(read));
    const { scenario, authentication, options, limits } = read.value;
    const listed = limits.map(({ unit, per }) => ({ unit, per }));
    assert.deepEqual(copiesIn({ scenario, authentication, options, listed }), []);
  });
});

function endpointDocument(id: string): Record<string, unknown> {
  return {
    ...{ _id: id, scenario: 'partner-openapi', authentication: 'hmac', accessCondition: 'authenticated', ...version },
    match: { paths: [{ prefix: '/orders' }] },
    enabled: true,
    options: { mode: 'observe', algorithms: ['hmac-sha512'], onLimiterFailure: 'deny' },
    trafficControl: { limits: [{ requests: 1, unit: 'minute', per: 'consumer' }] },
  };
}

function copyOf(text: string): string {
  return structuredClone(text);
}

/** The texts in a value that are copies. */
function copiesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return isConstant(value) ? [] : [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(copiesIn) : [];
}

function assertOneClass(objects: readonly object[], count = COUNT): void {
  const [first, ...others] = objects;
  assert.ok(first !== undefined);
  assert.equal(others.length, count - 1);
  assert.deepEqual(
    others.filter((object) => !haveSameClass(first, object)),
    [],
  );
}

function credentialOf(at: number): Credential {
  const appSecret = at % 2 === 0 ? null : Secret.fromText(`secret ${String(at)}`);
  const former = { appSecret: Secret.fromText('former'), expiresAt: 4_000_000_000 };
  return {
    id: `credential-${String(at)}`,
    consumerId: `partner-${String(at)}`,
    methods: [at % 2 === 0 ? 'key' : 'hmac'],
    appKeyHash: String(at).padStart(64, '0'),
    material: appSecret === null ? appKeyMaterial : sharedSecret(appSecret, at % 4 === 1 ? former : null),
    state: at % 3 === 0 ? 'active' : 'retiring',
    notBefore: at % 7 === 0 ? 1 : null,
    expiresAt: at % 3 === 0 ? null : 4_000_000_000,
    allowFrom: null,
  };
}

/**
 * Whether V8 gives both objects one hidden class, which is what makes reading their fields cheap on the check path. The
 * comparison has a syntax of its own, and V8 may drop and compile a function again at any time, so each call compiles it.
 */
function haveSameClass(one: object, other: object): boolean {
  return askV8('(one, other) => %HaveSameMap(one, other)', one, other);
}

/** Whether V8 compares a text by its address alone, as it does constants and names of properties. */
function isConstant(text: string): boolean {
  return askV8('(text) => %IsInternalizedString(text)', text);
}

function askV8(question: string, ...subjects: unknown[]): boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const ask: unknown = runInThisContext(question);
    return (ask as (...subjects: unknown[]) => boolean)(...subjects);
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

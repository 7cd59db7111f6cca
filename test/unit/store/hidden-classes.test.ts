import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { readConsumerDocument, readEndpointDocument } from '../../../src/store/mongodb/mapping/records.ts';
import { joinSlice, sliceState } from '../../../src/store/file/portable-state.ts';
import type { Credential } from '../../../src/model/credential.ts';
import { Secret } from '../../../src/model/secret.ts';

const COUNT = 100;
const numbers = Array.from({ length: COUNT }, (_, at) => at);
const version = { revision: 1, createdAt: new Date(0), updatedAt: new Date(0) };

describe('the resources that checks read have one hidden class each', () => {
  it('distinguishes classes', () => {
    assert.equal(haveSameClass({ a: 1, b: 2 }, { b: 2, a: 1 }), false);
  });

  it('credentials of a declarative file', () => {
    const joined = { endpoints: [], consumers: [], credentials: [] as Credential[], grants: [] };
    const credentials = numbers.map(credentialOf);
    for (const slice of sliceState({ endpoints: [], consumers: [], credentials, grants: [] })) joinSlice(joined, slice);
    assertOneClass(joined.credentials);
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

function assertOneClass(objects: readonly object[]): void {
  const [first, ...others] = objects;
  assert.ok(first !== undefined);
  assert.equal(others.length, COUNT - 1);
  assert.deepEqual(
    others.filter((object) => !haveSameClass(first, object)),
    [],
  );
}

function credentialOf(at: number): Credential {
  const appSecret = at % 2 === 0 ? null : Secret.fromText(`secret ${String(at)}`);
  return {
    id: `credential-${String(at)}`,
    consumerId: `partner-${String(at)}`,
    methods: [at % 2 === 0 ? 'key' : 'hmac'],
    appKeyHash: String(at).padStart(64, '0'),
    appSecret,
    retiringSecret: at % 4 === 1 ? { appSecret: Secret.fromText('former'), expiresAt: 4_000_000_000 } : null,
    state: at % 3 === 0 ? 'active' : 'retiring',
    notBefore: at % 7 === 0 ? 1 : null,
    expiresAt: at % 3 === 0 ? null : 4_000_000_000,
  };
}

/**
 * Whether V8 gives both objects one hidden class, which is what makes reading their fields cheap on the check path. The
 * comparison has a syntax of its own, and V8 may drop and compile a function again at any time, so each call compiles it.
 */
function haveSameClass(one: object, other: object): boolean {
  setFlagsFromString('--allow-natives-syntax');
  try {
    const compare: unknown = runInThisContext('(one, other) => %HaveSameMap(one, other)');
    return (compare as (one: object, other: object) => boolean)(one, other);
  } finally {
    setFlagsFromString('--no-allow-natives-syntax');
  }
}

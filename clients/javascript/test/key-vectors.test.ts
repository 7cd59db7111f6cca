import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, PosternProblem, type ClientSettings, type SignedRequest } from '../src/index.ts';
import { cases, format, isVerified, type KeyVector, privateKeyOf } from './support/key-vectors.ts';
import { problemOf } from './support/problem.ts';

describe('public-key-vectors.json', () => {
  it('has the format that this test reads, and cases', () => {
    assert.equal(format, 1);
    assert.ok(cases.length >= 300);
  });
  for (const vector of cases) {
    it(vector.name, async () => {
      await check(vector);
    });
  }
});

async function check(vector: KeyVector): Promise<void> {
  const { client: given, now = 0, nonce, request, acceptSignature, signed, assertion, problem } = vector;
  const settings = {
    ...given,
    privateKey: privateKeyOf(vector),
    now: () => now * 1000,
    createNonce: () => nonce ?? assert.fail(),
  } as unknown as ClientSettings;
  if (assertion !== undefined) {
    const jwt = await createClient(settings).createAssertion();
    const at = jwt.lastIndexOf('.');
    assert.equal(jwt.slice(0, at), assertion.signingInput);
    assert.ok(isVerified(assertion, assertion.signingInput, Buffer.from(jwt.slice(at + 1), 'base64url')));
    if (assertion.jwt !== undefined) assert.equal(jwt, assertion.jwt);
    return;
  }
  if (request === undefined) {
    assert.throws(
      () => createClient(settings),
      (error) => error instanceof PosternProblem && error.code === problem,
    );
    return;
  }
  const client = createClient(settings);
  const unsigned = { ...request, body: bytesOf(request.body) };
  if (problem !== undefined) {
    assert.equal((await problemOf(client.sign(unsigned))).code, problem);
    return;
  }
  const made =
    acceptSignature === undefined ? await client.sign(unsigned) : await client.sign(unsigned, { acceptSignature });
  if (signed === null || made === null) {
    assert.equal(made, signed);
    return;
  }
  assertMade(made, vector);
}

function assertMade(made: SignedRequest, { request, signed, signature, stringToSign }: KeyVector): void {
  assert.ok(request !== undefined && signed && signature !== undefined && stringToSign !== undefined);
  assert.equal(made.stringToSign, stringToSign);
  assert.ok(made.url.endsWith(signed.target));
  const value = made.headers.find(([name]) => name === 'Signature')?.[1] ?? '';
  const text = value.slice(signature.label.length + 2, -1);
  assert.equal(value, `${signature.label}=:${text}:`);
  assert.ok(isVerified(signature, stringToSign, Buffer.from(text, 'base64')));
  const expected = signed.headers.some(([name]) => name === 'Signature')
    ? signed.headers
    : [...signed.headers, ['Signature', value] as const];
  const set = new Set(expected.map(([name]) => name.toLowerCase()));
  const kept = request.headers.filter(([name]) => !set.has(name.toLowerCase()));
  assert.deepEqual(comparable(made.headers), comparable([...kept, ...expected]));
  assert.ok(Buffer.from(made.body ?? []).equals(bytesOf(request.body)));
}

function comparable(headers: readonly (readonly [string, string])[]): string[] {
  return headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort();
}

function bytesOf({ text, base64, repeat, times }: NonNullable<KeyVector['request']>['body'] = {}): Buffer {
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  return Buffer.from(repeat === undefined ? (text ?? '') : repeat.repeat(times ?? 0));
}

import assert from 'node:assert/strict';
import { assertProblem } from '../../support/clients/calls.ts';
import { type Driver } from '../../support/clients/driver.ts';
import { type ClientSettings, type SignedRequest } from '../../support/clients/protocol.ts';
import {
  assertAssertion,
  assertVerified,
  bytesOfSignature,
  type PublicKeyVector,
  publicKeyVectors,
} from '../../support/clients/public-key-vectors.ts';
import { assertSigned } from './vectors.ts';

/** The client makes what every case of clients/public-key-vectors.json says. */
export function privateKeyVectorCases(driver: () => Driver): void {
  describe('signs as clients/public-key-vectors.json says', () => {
    for (const vector of publicKeyVectors()) it(vector.name, () => runVector(driver(), vector));

    it('makes no client of a signer without an algorithm, and none without a key', async () => {
      const settings = { method: 'http-message-signature', appKey: 'a' } as const;
      const tokens = { method: 'private-key-jwt', appKey: 'a', tokenUrl: 'https://api.example.com/t' } as const;
      for (const client of [settings, tokens]) {
        const signer = { ...client, privateKey: { signer: ['false'] } };
        for (const each of [client, signer, { ...signer, algorithm: 'none' }] satisfies readonly ClientSettings[]) {
          assertProblem((await driver().tryCreate(each)).answer, 'INVALID_CREDENTIAL');
        }
      }
    });
  });
}

async function runVector(driver: Driver, vector: PublicKeyVector): Promise<void> {
  const { name, client, now, nonce, request, acceptSignature, problem, assertion, signed } = vector;
  const settings = {
    ...client,
    ...(now === undefined ? {} : { now }),
    ...(nonce === undefined ? {} : { nonces: [nonce] }),
  };
  if (assertion !== undefined) {
    assertAssertion(await driver.assertion(await driver.create(settings)), assertion, name);
    return;
  }
  if (request === undefined) {
    const { answer } = await driver.tryCreate(settings);
    assertProblem(answer, problem ?? assert.fail());
    const text = JSON.stringify(answer);
    for (const secret of secretTexts(client)) assert.ok(!text.includes(secret), `shows the key: ${text}`);
    return;
  }
  const made = await driver.create(settings);
  const answer =
    acceptSignature === undefined
      ? await driver.sign(made, request)
      : await driver.signAgain(made, request, acceptSignature);
  if (problem !== undefined) {
    assertProblem(answer, problem);
    return;
  }
  assert.ok('signed' in answer, `not signed: ${JSON.stringify(answer)}`);
  if (signed === null || answer.signed === null) {
    assert.deepEqual(answer.signed, signed);
    return;
  }
  assertSignature(answer.signed, vector);
}

/** The request is the one of the case; a signature that is not the same each time verifies. */
function assertSignature(
  made: SignedRequest,
  { name, request, signed, signature, stringToSign }: PublicKeyVector,
): void {
  assert.ok(request !== undefined && signed !== undefined && signed !== null);
  assert.ok(signature !== undefined && stringToSign !== undefined);
  const values = made.headers.flatMap(([field, value]) => (field.toLowerCase() === 'signature' ? [value] : []));
  assert.equal(values.length, 1, 'one field Signature');
  const value = values[0] ?? '';
  assertVerified({ ...signature, text: stringToSign, bytes: bytesOfSignature(value, signature.label) }, name);
  const isThere = signed.headers.some(([field]) => field === 'Signature');
  const headers = isThere ? signed.headers : [...signed.headers, ['Signature', value] as const];
  assertSigned(made, { request, signed: { ...signed, headers } });
}

/** Parts of a private key as the settings have it. */
function secretTexts({ privateKey = { signer: [] } }: ClientSettings): readonly string[] {
  if ('pem' in privateKey) return privateKey.pem.split(/\s/).filter((line) => line.length > 30);
  return 'jwk' in privateKey
    ? Object.values(privateKey.jwk)
        .filter((each) => String(each).length > 30)
        .map(String)
    : [];
}

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execPath } from 'node:process';
import {
  assertAnswered,
  assertProblem,
  assertRefusal,
  call,
  type CallParts,
  createClient,
  newMark,
  type Subject,
} from '../../support/clients/calls.ts';
import { type Way } from '../../support/clients/protocol.ts';
import { testKeyNames, testKeys } from '../../support/clients/public-key-vectors.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const json = ['Content-Type', 'application/json'] as const;
const message = 'http-message-signature';
const tokens = 'private-key-jwt';
const signerProgram = [
  execPath,
  '--import',
  import.meta.resolve('tsx'),
  join(projectRoot, 'test/support/clients/signer.ts'),
];

/** Calls with private keys: message signatures, what a 401 asks for, assertions, and a key in another process. */
export function privateKeyCases(way: Way, subject: () => Subject): void {
  const codes = async (mark: string): Promise<readonly (string | null)[]> =>
    (await subject().gateway.decisions(mark)).map(({ code }) => code);

  describe('message signatures', () => {
    for (const key of testKeyNames) {
      for (const algorithm of key === 'rsa' ? ['rsa-pss-sha512', 'rsa-v1_5-sha256'] : [undefined]) {
        it(`pass with a key of the kind ${algorithm ?? key}`, async () => {
          const { partner } = subject();
          const client = await createClient(subject(), message, {
            appKey: partner.signers[key],
            privateKey: { jwk: testKeys()[key].jwk },
            coverAlso: ['content-type', '@target-uri'],
            ...(algorithm === undefined ? {} : { algorithm }),
          });
          const [mark, other] = [newMark(), newMark()];
          assertAnswered(await call(subject(), client, 'signed', mark, { rest: '?a=1&b=%C3%A4' }), way);
          const parts: CallParts = { method: 'POST', headers: [json], body: { text: '{"amount": 12}' } };
          assertAnswered(await call(subject(), client, 'signed', other, parts), way);
          const { headers, body } = assertOne(subject().gateway.received(other));
          assert.equal(fieldValue(headers, 'x-credential-identifier'), `${partner.id}-${key}`);
          assert.equal(body.toString(), '{"amount": 12}');
        });
      }
    }

    it('cover what was read from a stream', async () => {
      const [mark, client] = [newMark(), await createClient(subject(), message)];
      const parts = { method: 'PUT', headers: [json], body: { text: '[1]' } } as const;
      if (way.library?.isWithoutStreams === true) return;
      assertAnswered(await call(subject(), client, 'signed', mark, { ...parts, once: true }), way);
      assert.equal(assertOne(subject().gateway.received(mark)).body.toString(), '[1]');
    });

    it('have a nonce of their own, where a signature passes once', async () => {
      const [mark, client] = [newMark(), await createClient(subject(), message, { retries: 0 })];
      const sent = await Promise.all([1, 2, 3].map(() => call(subject(), client, 'signed-once', mark)));
      for (const each of sent) assertAnswered(each, way);
    });

    it('are made anew once with what a 401 asks for', async () => {
      const mark = newMark();
      const client = await createClient(subject(), message, { retries: 0 });
      const parts = { method: 'POST', headers: [['X-Tenant', 'blue'], json], body: { text: '{}' } } as const;
      assertAnswered(await call(subject(), client, 'signed-app', mark, parts), way);
      assert.deepEqual(await codes(mark), ['AUTHENTICATION_FAILED', 'ALLOWED']);
      const [bare, without] = [newMark(), await createClient(subject(), message, { nonce: false, retries: 0 })];
      assertAnswered(await call(subject(), without, 'signed-once', bare), way);
      assert.deepEqual(await codes(bare), ['CREDENTIALS_MALFORMED', 'ALLOWED']);
    });

    it('are not made anew when that asks for nothing more, or for what the request has not', async () => {
      const [first, second] = [newMark(), newMark()];
      const { partner } = subject();
      const stranger = await createClient(subject(), message, { appKey: partner.signers.p256 });
      assertRefusal(await call(subject(), stranger, 'signed', first), 401, 'AUTHENTICATION_FAILED');
      assert.deepEqual(await codes(first), ['AUTHENTICATION_FAILED']);
      const client = await createClient(subject(), message);
      assertRefusal(await call(subject(), client, 'signed-app', second), 401, 'AUTHENTICATION_FAILED');
      assert.deepEqual(await codes(second), ['AUTHENTICATION_FAILED']);
    });

    it('follow a corrected clock', async () => {
      const [mark, settings] = [newMark(), { clockOffset: -4000, clockCorrection: 7200, retries: 0 }];
      const client = await createClient(subject(), message, settings);
      assertAnswered(await call(subject(), client, 'signed', mark), way);
      assert.deepEqual(await codes(mark), ['REQUEST_EXPIRED', 'ALLOWED']);
    });

    it('are not sent for another spelling of the address', async () => {
      const client = await createClient(subject(), message);
      for (const rest of ['/a/../b', '/a/./b', '/%2e%2e/b', '/é', '?a=|']) {
        const mark = newMark();
        const sent = await call(subject(), client, 'signed', mark, { rest });
        if ('problem' in sent) assertProblem(sent, 'TARGET_NOT_SIGNABLE');
        else if ('response' in sent) assert.ok([200, 400].includes(sent.response.status), JSON.stringify(sent));
        if (!('response' in sent)) assert.deepEqual(await codes(mark), []);
      }
    });
  });

  describe('assertions', () => {
    it('get a token, once for several calls', async () => {
      const client = await createClient(subject(), tokens);
      for (const mark of [newMark(), newMark()]) {
        assertAnswered(await call(subject(), client, 'bearer', mark), way);
        const { headers } = assertOne(subject().gateway.received(mark));
        assert.equal(fieldValue(headers, 'x-credential-identifier'), `${subject().partner.id}-assertions`);
      }
    });

    it('are the whole authentication of the question, and another one each time', async () => {
      const { gateway, partner } = subject();
      const mark = newMark();
      const body = '{"access_token":"a-token-of.nobody","token_type":"Bearer","expires_in":600}';
      gateway.elsewhere.answer(mark, () => ({ status: 200, headers: { 'content-type': 'application/json' }, body }));
      const client = await createClient(subject(), tokens, { tokenUrl: `${gateway.elsewhere.url}/token/${mark}` });
      assertRefusal(await call(subject(), client, 'bearer', mark), 401, 'TOKEN_INVALID');
      const asked = gateway.elsewhere.received(mark);
      const ids = asked.map(({ headers, body: form }) => {
        assert.equal(fieldValue(headers, 'authorization'), null);
        const { client_assertion: assertion = '', ...rest } = Object.fromEntries(new URLSearchParams(form.toString()));
        assert.deepEqual(rest, {
          grant_type: 'client_credentials',
          client_id: partner.assertions,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        });
        const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as {
          jti: string;
        };
        return claims.jti;
      });
      assert.equal(new Set(ids).size, 2);
      assert.ok(ids.every((id) => /^[0-9a-f]{32}$/.test(id)));
    });

    it('of another key get no token', async () => {
      const [mark, privateKey] = [newMark(), { pem: testKeys().p256.pem }];
      const sent = await call(subject(), await createClient(subject(), tokens, { privateKey }), 'bearer', mark);
      assert.ok('error' in sent, JSON.stringify(sent));
      assert.match(sent.error, /invalid_client/);
    });

    it('follow a corrected clock', async () => {
      const settings = { clockOffset: -4000, clockCorrection: 7200, retries: 0 };
      const client = await createClient(subject(), tokens, settings);
      assertAnswered(await call(subject(), client, 'bearer', newMark()), way);
    });
  });

  describe('a key in another process', () => {
    for (const [key, algorithm, form, method, endpoint] of [
      ['ed25519', 'ed25519', 'ieee-p1363', message, 'signed'],
      ['p256', 'ecdsa-p256-sha256', 'der', message, 'signed'],
      ['p384', 'ecdsa-p384-sha384', 'ieee-p1363', message, 'signed'],
      ['ed25519', 'EdDSA', 'ieee-p1363', tokens, 'bearer'],
    ] as const) {
      it(`signs: ${algorithm}, ${form}`, async () => {
        await using directory = await temporaryDirectory();
        const file = join(directory.path, 'key.pem');
        await writeFile(file, testKeys()[key].pem, { mode: 0o600 });
        const { partner } = subject();
        const client = await createClient(subject(), method, {
          appKey: method === message ? partner.signers[key] : partner.assertions,
          algorithm,
          privateKey: { signer: [...signerProgram, file, algorithm, form] },
        });
        const parts = { method: 'POST', headers: [json], body: { text: '{}' } } as const;
        assertAnswered(await call(subject(), client, endpoint, newMark(), parts), way);
      });
    }

    it('that signs nothing, or nothing that can be right, is a problem, and nothing is sent', async () => {
      for (const script of ['process.exit(3)', 'process.stdout.write("short")', '']) {
        const settings = { algorithm: 'ecdsa-p256-sha256', privateKey: { signer: [execPath, '-e', script] } };
        const [mark, client] = [newMark(), await createClient(subject(), message, settings)];
        assertProblem(await call(subject(), client, 'signed', mark), 'SIGNER_FAILED');
        assert.deepEqual(await codes(mark), []);
      }
    });
  });

  describe('private keys', () => {
    for (const method of [message, tokens] as const) {
      it(`are not in what a client for ${method} prints`, async () => {
        for (const privateKey of [{ pem: testKeys().ed25519.pem }, { jwk: testKeys().ed25519.jwk }]) {
          const client = await createClient(subject(), method, { privateKey });
          const endpoint = method === message ? 'signed' : 'bearer';
          assertAnswered(await call(subject(), client, endpoint, newMark()), way);
          const text = await subject().driver.print(client);
          assert.match(text, /\[secret\]/);
          const { pem, jwk } = testKeys().ed25519;
          const secret = Buffer.from(jwk['d'] ?? '', 'base64url');
          const forms = [pem.split('\n')[1], jwk['d'], secret.toString('hex'), secret.toString('base64').slice(0, 40)];
          for (const form of forms) assert.ok(form !== undefined && !text.includes(form), 'the private key is printed');
          assert.doesNotMatch(text, /eyJ[\w-]{20}/, 'an assertion or token is printed');
        }
      });
    }
  });
}

import assert from 'node:assert/strict';
import { fieldValue } from '../../support/http/http-message.ts';
import { askSigner, type AskedRequest, type SentRequest } from '../../support/interop/ask-signer.ts';
import { readInteropTable, type SignerRow } from '../../support/interop/table.ts';
import { type Subject } from '../cases/use-programs.ts';

function rowOf(library: string): SignerRow {
  const row = readInteropTable().signers.find((each) => each.library === library && each.registry === 'npm');
  assert.ok(row !== undefined, library);
  return row;
}

/** The names in `sig1=("@method" "@path");created`. */
function componentsIn(acceptSignature: string): readonly string[] {
  return [...acceptSignature.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name);
}

/** What single libraries of npm show besides their rows of the table. */
export function particulars(subject: () => Subject): void {
  const ask = (library: string, asked: Pick<AskedRequest, 'kind'> & Partial<AskedRequest>): Promise<SentRequest> => {
    const { driver, gateway } = subject();
    const row = rowOf(library);
    const [algorithm = 'ed25519'] = row.algorithms;
    return askSigner(driver, gateway, {
      ...{ row, http: '1.1', known: gateway.keyOf(algorithm, row.keyid), covers: null },
      ...asked,
    });
  };

  describe('Accept-Signature', () => {
    for (const kind of ['GET', 'POST'] as const) {
      it(`tells http-message-signatures what to cover, and a ${kind} is verified`, async () => {
        const refused = await ask('http-message-signatures', { kind });
        const wanted = componentsIn(fieldValue(refused.headers, 'accept-signature') ?? '');
        const { outcome } = await ask('http-message-signatures', { kind, covers: wanted.join(' ') });
        assert.equal(outcome, 'verified');
      });
    }
  });

  describe('@fedify/fedify', () => {
    it('obeys Accept-Signature, signs @query without its question mark, and is refused', async () => {
      const refused = await ask('@fedify/fedify', { kind: 'GET', covers: '@authority' });
      const acceptSignature = fieldValue(refused.headers, 'accept-signature') ?? '';
      const { outcome, covers } = await ask('@fedify/fedify', { kind: 'GET', acceptSignature });
      assert.deepEqual(covers?.split(' '), componentsIn(acceptSignature));
      assert.match(outcome, /^AUTHENTICATION_FAILED: /);
    });

    it('covers the digest twice when Accept-Signature names it, and is refused', async () => {
      const refused = await ask('@fedify/fedify', { kind: 'POST', covers: '@authority' });
      const acceptSignature = fieldValue(refused.headers, 'accept-signature') ?? '';
      const { outcome, covers } = await ask('@fedify/fedify', { kind: 'POST', acceptSignature });
      assert.equal(covers?.split(' ').filter((name) => name === 'content-digest').length, 2);
      assert.match(outcome, /^CREDENTIALS_MALFORMED: /);
    });

    it('is refused where rsa-v1_5-sha256 is not listed, which is the default', async () => {
      const { outcome } = await ask('@fedify/fedify', { kind: 'GET', target: '/strict/orders' });
      assert.match(outcome, /^(CREDENTIALS_MALFORMED|AUTHENTICATION_FAILED): /);
    });
  });

  describe('@interledger/http-signature-utils', () => {
    it('makes the digest of JSON without its blanks, and is refused', async () => {
      const { outcome } = await ask('@interledger/http-signature-utils', { kind: 'POST', body: '{ "order": 17 }' });
      assert.match(outcome, /^DIGEST_MISMATCH: /);
    });
  });

  describe('openid-client', () => {
    it('introspects and revokes a token with its key', async () => {
      const { driver, gateway } = subject();
      const { key, appKey } = gateway.tokenKeyOf('ecdsa-p256-sha256');
      const answer = await driver.ask({
        op: 'tokenLife',
        http: '1.1',
        ca: gateway.ca,
        clientId: appKey,
        issuer: gateway.url,
        key: { ...key, alg: 'ES256' },
      });
      assert.deepEqual(answer['active'], [true, false], JSON.stringify(answer));
    });
  });
}

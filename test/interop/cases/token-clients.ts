import assert from 'node:assert/strict';
import { type Driver } from '../../support/clients/driver.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { interopConsumer, type InteropGateway, type KnownKey } from '../../support/interop/interop-gateway.ts';
import { makeSigningKey, type SignatureAlgorithm } from '../../support/interop/signing-keys.ts';
import { type TokenClientRow } from '../../support/interop/table.ts';
import { type Subject } from './use-programs.ts';

/** The signature algorithm whose keys an `alg` of RFC 7518 and RFC 9864 takes. */
const keysOf: Readonly<Record<string, SignatureAlgorithm>> = {
  EdDSA: 'ed25519',
  Ed25519: 'ed25519',
  ES256: 'ecdsa-p256-sha256',
  ES384: 'ecdsa-p384-sha384',
  PS256: 'rsa-pss-sha512',
  RS256: 'rsa-v1_5-sha256',
};

interface TokenAnswer {
  readonly token?: string;
  readonly refusal?: { readonly code: string; readonly description: string | null };
  readonly error?: string;
  readonly form: Readonly<Record<string, string>>;
  readonly requests?: number;
}

/** A token client, against its row of the table. */
export function tokenClientCases(row: TokenClientRow, subject: () => Subject): void {
  const name = row.setting === null ? row.library : `${row.library} ${row.setting}`;
  describe(`${name} ${row.version}`, () => {
    const ask = (alg: string, options: { known?: KnownKey; times?: number } = {}): Promise<TokenAnswer> => {
      const { driver, gateway } = subject();
      const { known = gateway.tokenKeyOf(keyOf(alg)), times = 1 } = options;
      return askForToken(driver, gateway, { name, alg, known, times });
    };
    for (const alg of row.algorithms) {
      it(`gets tokens that are taken, with ${alg}`, async () => {
        const { gateway } = subject();
        for (const attempt of ['first', 'second']) {
          const answer = await ask(alg);
          assert.ok(answer.token !== undefined, JSON.stringify(answer));
          assertAsWritten(row, answer, { alg, gateway });
          const headers = [['authorization', `Bearer ${answer.token}`]] as const;
          const { status } = await http1(portOf(gateway.plainUrl), { target: `/bearer/${attempt}`, headers });
          assert.equal(status, 200);
        }
        assert.deepEqual(
          gateway.backend.requests.map(({ headers }) => fieldValue(headers, 'x-consumer-id')),
          [interopConsumer, interopConsumer],
        );
      });
    }

    it('is refused with a key that is not the one of its client', async () => {
      const alg = row.algorithms[0] ?? '';
      const { appKey } = subject().gateway.tokenKeyOf(keyOf(alg));
      const { refusal } = await ask(alg, { known: { key: makeSigningKey(keyOf(alg)), appKey } });
      assert.equal(refusal?.code, 'invalid_client');
    });

    it(`gets, asked for a second token: ${row.again}`, async () => {
      const { token, refusal } = await ask(row.algorithms[0] ?? '', { times: 2 });
      const found = token === undefined ? `${String(refusal?.code)}: ${String(refusal?.description)}` : 'a token';
      assert.ok(found.startsWith(row.again), found);
    });
  });
}

function keyOf(alg: string): SignatureAlgorithm {
  const algorithm = keysOf[alg];
  assert.ok(algorithm !== undefined, alg);
  return algorithm;
}

async function askForToken(
  driver: Driver,
  gateway: InteropGateway,
  asked: { readonly name: string; readonly alg: string; readonly known: KnownKey; readonly times: number },
): Promise<TokenAnswer> {
  const { name, alg, known, times } = asked;
  const answer = await driver.ask({
    op: 'token',
    times,
    library: name,
    http: '1.1',
    ca: gateway.ca,
    clientId: known.appKey,
    issuer: gateway.url,
    tokenUrl: `${gateway.url}/oauth2/token`,
    key: { ...known.key, alg },
  });
  return answer as unknown as TokenAnswer;
}

/** Whether the assertion is as the table says. */
function assertAsWritten(
  row: TokenClientRow,
  { form, requests = 1 }: TokenAnswer,
  { alg, gateway }: { readonly alg: string; readonly gateway: InteropGateway },
): void {
  const [header, claims] = (form['client_assertion'] ?? '')
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Readonly<Record<string, unknown>>);
  const audience = assertOne([claims?.['aud']].flat());
  assert.deepEqual(
    {
      alg: header?.['alg'],
      audience:
        audience === gateway.url ? 'issuer' : audience === `${gateway.url}/oauth2/token` ? 'token endpoint' : audience,
      lifetime: Math.round((Number(claims?.['exp']) - Date.now() / 1000) / 10) * 10,
      sendsClientId: 'client_id' in form,
      requests,
    },
    {
      alg,
      audience: row.audience,
      lifetime: row.lifetime,
      sendsClientId: row.sendsClientId,
      requests: row.requests,
    },
  );
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

import { createPrivateKey } from 'node:crypto';
import fc from 'fast-check';
import { issuerToken } from '../../test/support/jwt/issuer-token.ts';
import { mutatedTokens } from '../../test/support/jwt/mutated-tokens.ts';
import { RawClient } from '../../test/support/grpc/raw-client.ts';
import { readAnswer } from '../../test/support/pipeline/answer.ts';
import { checkRequest } from '../../test/support/pipeline/check-request.ts';
import type { Attack } from '../framework/attack.ts';
import { issuer } from '../framework/document.ts';
import { checkPath } from '../framework/paths.ts';
import { prefixed } from '../framework/requests.ts';

const CONNECTIONS = 4;
const CALLS_AT_ONCE = 200;
/** Making some takes about as long as making one. */
const MADE_AT_ONCE = 2000;
const PREFIX_BYTES = 5;

function rightToken(claims: Readonly<Record<string, unknown>> = {}): string {
  const key = createPrivateKey({ key: issuer.jwk, format: 'jwk' });
  const iat = Math.floor(Date.now() / 1000);
  return issuerToken({ key, header: { kid: issuer.kid }, claims: { iat, exp: iat + 3600, ...claims } });
}

/** Tokens of issuers, over the checks of a method that takes them. */
export const issuerAttacks: readonly Attack[] = [
  {
    name: 'mutated-tokens',
    title: '100 000 tokens of an issuer, each changed in another way',
    run: async (assault) => {
      const { grpcPort: port, ca } = assault.target;
      const clients = await Promise.all(
        Array.from({ length: CONNECTIONS }, () =>
          RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port }, ca === null ? {} : { ca }),
        ),
      );
      assault.count(0, 0, CONNECTIONS);
      const outcomeOf = async (client: RawClient | undefined, token = ''): Promise<string> => {
        if (client === undefined) return 'no connection';
        const message = checkRequest({ path: '/issued/1', headers: [['authorization', `Bearer ${token}`]] });
        assault.count(prefixed(message).length, 2);
        const { grpcStatus, body } = await client.call(checkPath, message);
        if (grpcStatus !== 0) return `gRPC ${String(grpcStatus)}`;
        const answer = readAnswer(body.subarray(PREFIX_BYTES));
        return answer.kind === 'allowed' ? 'ALLOWED' : answer.body.code;
      };
      const right = [rightToken(), rightToken({ azp: 'another', sub: 'another' })];
      const before = await outcomeOf(clients[0], right[0]);
      assault.expect('the token itself is taken', before === 'ALLOWED', before);
      // Spaces before a token belong to the header (RFC 9110 §11.6.2).
      const changed = mutatedTokens(right).filter((text) => !right.includes(text.replace(/^ +/, '')));
      await assault.begin();
      const total = assault.amount(100_000, 2000);
      const outcomes = new Map<string, number>();
      for (let sent = 0; sent < total; sent += MADE_AT_ONCE) {
        const texts = fc.sample(changed, MADE_AT_ONCE);
        for (let at = 0; at < texts.length; at += CALLS_AT_ONCE) {
          const some = texts.slice(at, at + CALLS_AT_ONCE);
          const answers = await Promise.all(some.map((text, n) => outcomeOf(clients[n % CONNECTIONS], text)));
          for (const answer of answers) outcomes.set(answer, (outcomes.get(answer) ?? 0) + 1);
          const taken = some[answers.indexOf('ALLOWED')];
          if (taken !== undefined) assault.expect('is refused', false, JSON.stringify(taken));
        }
      }
      const shown = [...outcomes].map(([outcome, count]) => `${String(count)} × ${outcome}`).join(', ');
      const refusals = ['TOKEN_INVALID', 'CREDENTIALS_MALFORMED'];
      assault.expect(
        'no changed token is taken',
        [...outcomes.keys()].every((code) => refusals.includes(code)),
        shown,
      );
      for (const client of clients) await client[Symbol.asyncDispose]();
    },
  },
];

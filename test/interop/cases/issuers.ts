import assert from 'node:assert/strict';
import { type JwtAlgorithm, keyKindOf } from '../../../src/model/jwt-algorithms.ts';
import { AUDIENCE, IDP, jwtCatalog, withToken } from '../../support/jwt/issuer-token.ts';
import { partnerKey } from '../../support/oauth2/client-assertion.ts';
import { testGateway } from '../../support/pipeline/gateway.ts';
import { fixedClock, NOON } from '../../support/time/fixed-clock.ts';
import type { Subject } from './use-programs.ts';

/** Libraries that sign tokens as issuers do, by program, with the algorithms that each has. */
const issuers = {
  python: {
    PyJWT: ['ES256', 'ES384', 'EdDSA', 'RS256', 'RS512', 'PS256', 'PS384'],
    authlib: ['ES256', 'ES384', 'EdDSA', 'RS256', 'RS384', 'PS512'],
    joserfc: ['ES256', 'ES384', 'Ed25519', 'RS256', 'PS256'],
  },
  java: {
    'com.nimbusds:nimbus-jose-jwt': ['ES256', 'ES384', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly JwtAlgorithm[]>>>>;

/** Tokens of these libraries are taken, and are no longer when a claim of them was changed. */
export function issuerCases(program: keyof typeof issuers, subject: () => Subject): void {
  for (const [library, algorithms] of Object.entries<readonly JwtAlgorithm[]>(issuers[program])) {
    for (const alg of algorithms) {
      it(`takes tokens that ${library} signs by ${alg}`, async () => {
        const kind = keyKindOf(alg);
        const jwk = partnerKey(kind, 'idp').privateKey.export({ format: 'jwk' });
        const claims = { iss: IDP, aud: AUDIENCE, azp: 'acme-batch', iat: NOON, exp: NOON + 60 };
        const { token, error } = await subject().driver.ask({
          op: 'issue',
          library,
          kid: kind,
          key: { alg, jwk },
          claims,
        });
        assert.ok(typeof token === 'string', String(error));
        const catalog = jwtCatalog();
        const gateway = testGateway({ clock: fixedClock(), catalog: () => catalog });
        assert.equal((await gateway.send(withToken(token))).kind, 'allowed');
        const [header, , signature] = token.split('.');
        const payload = Buffer.from(JSON.stringify({ ...claims, sub: 'a' })).toString('base64url');
        assert.equal((await gateway.send(withToken([header, payload, signature].join('.')))).kind, 'refused');
      });
    }
  }
}

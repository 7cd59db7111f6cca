import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { derOf } from '../../../support/certificate/certificate-credential.ts';
import { makeCertificate } from '../../../support/grpc/certificate.ts';
import { acme, acmeOAuth2, oauth2Fixture, tokenRequest } from '../../../support/oauth2/oauth2-fixture.ts';
import { basic, form } from '../../../support/oauth2/oauth2-request.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import { partnerEndpoint } from '../../../support/pipeline/resources.ts';

const mine = makeCertificate('mine');
const other = makeCertificate('other');
const hashOf = (encoding: 'hex' | 'base64url'): string => hash('sha256', derOf(mine), encoding);

/** A token request of acme over a connection with its certificate, as Envoy hands it on. */
function overMutualTls(value = `By=;Hash=${hashOf('hex')};Subject="CN=mine"`) {
  const request = tokenRequest();
  return { ...request, headers: [...(request.headers ?? []), ['x-forwarded-client-cert', value] as const] };
}

describe('access tokens that are bound to a client certificate', () => {
  const endpoint = partnerEndpoint('oauth2');
  const bound = oauth2Fixture({ bindsTokens: true });

  async function tokenOf(fixture: typeof bound, request = overMutualTls()): Promise<string> {
    const answer = await fixture.send(request);
    assert.equal(answer.status, 200, answer.body);
    return (JSON.parse(answer.body) as { access_token: string }).access_token;
  }

  async function codeWith(token: string, certificate: string): Promise<unknown> {
    const { clock, tokens } = bound;
    const gateway = testGateway({ endpoints: [endpoint], credentials: [acmeOAuth2()], clock, tokens });
    const headers = [['authorization', `Bearer ${token}`]] as const;
    return (await gateway.send({ headers, ...(certificate === '' ? {} : { certificate }) })).metadata['code'];
  }

  it('work over connections with that certificate only', async () => {
    const token = await tokenOf(bound);
    assert.equal(await codeWith(token, mine.cert), 'ALLOWED');
    assert.equal(await codeWith(token, other.cert), 'TOKEN_INVALID');
    assert.equal(await codeWith(token, ''), 'TOKEN_INVALID');
    assert.equal(await codeWith(token, 'no certificate'), 'TOKEN_INVALID');
  });

  it('say so, also when they are looked at', async () => {
    const token = await tokenOf(bound);
    const cnf = { 'x5t#S256': hashOf('base64url') };
    const [, payload = ''] = token.split('.');
    assert.deepEqual((JSON.parse(Buffer.from(payload, 'base64url').toString()) as { cnf: unknown }).cnf, cnf);
    const { body } = await bound.send({
      target: '/oauth2/introspect',
      headers: [basic(acme.clientId, acme.secret)],
      body: form({ token }),
    });
    assert.deepEqual((JSON.parse(body) as { cnf: unknown }).cnf, cnf);
    const metadata = await bound.send({ method: 'GET', target: '/.well-known/oauth-authorization-server' });
    assert.equal(
      (JSON.parse(metadata.body) as Record<string, unknown>)['tls_client_certificate_bound_access_tokens'],
      true,
    );
  });

  it('are issued only where it is configured, and to clients with a certificate', async () => {
    for (const [fixture, request] of [
      [oauth2Fixture(), overMutualTls()],
      [bound, tokenRequest()],
      [bound, { ...overMutualTls(), isPeerTrusted: false }],
    ] as const) {
      const token = await tokenOf(fixture, request as ReturnType<typeof overMutualTls>);
      assert.equal(await codeWith(token, ''), 'ALLOWED');
    }
    const metadata = await oauth2Fixture().send({ method: 'GET', target: '/.well-known/oauth-authorization-server' });
    assert.doesNotMatch(metadata.body, /certificate/);
  });

  it('are not issued where the certificate cannot be told', async () => {
    const answer = await bound.send(overMutualTls(`Hash=${hashOf('hex')},Hash=${hashOf('hex')}`));
    assert.equal(answer.status, 400);
    assert.equal((JSON.parse(answer.body) as { error: string }).error, 'invalid_request');
  });
});

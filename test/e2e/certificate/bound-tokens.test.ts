import assert from 'node:assert/strict';
import {
  addMutualTlsListener,
  type MutualTlsAnswer,
  type MutualTlsRequest,
  sendOverMutualTls,
} from '../../support/certificate/mutual-tls.ts';
import { listenerPorts, TLS_LISTENER } from '../../support/clients/tls-listener.ts';
import { type JsonObject, listAt, objectAt } from '../../support/envoy/envoy-config.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { protocols } from '../../support/http/http-client.ts';
import { useStarted } from '../../support/lifetime/use-started.ts';
import { basic } from '../../support/oauth2/oauth2-request.ts';
import { startStack } from '../../support/stack/stack.ts';

const authority = makeCertificate('authority of partners');
const mine = makeCertificate('mine', authority, { names: ['mine.partner.example'] });
const other = makeCertificate('other', authority, { names: ['other.partner.example'] });

/** JSON is YAML. */
const document = JSON.stringify({
  version: 1,
  endpoints: [
    { id: 'api', scenario: 'partner-openapi', match: { paths: [{ prefix: '/api' }] }, authentication: 'oauth2' },
  ],
  consumers: [
    {
      id: 'acme',
      credentials: [{ id: 'acme-oauth2', method: 'oauth2', appKey: 'acme', appSecret: 'a secret of acme' }],
    },
  ],
});

/** Envoy names the certificate of its caller, and nothing that a caller wrote. */
function nameCertificates(config: JsonObject): void {
  for (const listener of listAt(config, 'static_resources', 'listeners')) {
    const settings = objectAt(listener, 'filter_chains', 0, 'filters', 0, 'typed_config');
    settings['forward_client_cert_details'] = 'SANITIZE_SET';
  }
}

describe('access tokens that are bound to client certificates, through Envoy', () => {
  const stack = useStarted(
    async () =>
      await startStack(document, {
        settings: { POSTERN_OAUTH2_CLIENT_CERTIFICATES: 'true' },
        edit: (config) => {
          addMutualTlsListener(config, makeCertificate('localhost', authority), authority);
          nameCertificates(config);
        },
      }),
  );

  async function call(
    protocol: (typeof protocols)[number],
    client: MutualTlsRequest['client'],
    parts: Omit<MutualTlsRequest, 'port' | 'ca' | 'client'>,
  ): Promise<MutualTlsAnswer> {
    const port = (await listenerPorts(stack.envoy.adminPort)).get(TLS_LISTENER) ?? 0;
    return await sendOverMutualTls(protocol, { port, ca: authority.cert, client, ...parts });
  }

  async function tokenOf(
    protocol: (typeof protocols)[number],
    client: MutualTlsRequest['client'],
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const [name, value] = basic('acme', 'a secret of acme');
    const answer = await call(protocol, client, {
      path: '/oauth2/token',
      method: 'POST',
      headers: { ...headers, [name]: value, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    });
    assert.equal(answer.status, 200, answer.body);
    return (JSON.parse(answer.body) as { access_token: string }).access_token;
  }

  async function statusOf(
    protocol: (typeof protocols)[number],
    client: MutualTlsRequest['client'],
    token: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<number> {
    const answer = await call(protocol, client, {
      path: '/api',
      headers: { ...headers, authorization: `Bearer ${token}` },
    });
    if (answer.status === 401) {
      assert.match(answer.body, /TOKEN_INVALID/);
      assert.match(String(answer.headers['www-authenticate']), /^Bearer .*error="invalid_token"/);
    }
    return answer.status;
  }

  for (const protocol of protocols) {
    it(`work with the certificate that they were issued for only, over ${protocol}`, async () => {
      const token = await tokenOf(protocol, mine);
      assert.equal(await statusOf(protocol, mine, token), 200);
      assert.equal(await statusOf(protocol, other, token), 401);
      assert.equal(await statusOf(protocol, null, token), 401);
      const forged = { 'x-forwarded-client-cert': `Cert="${encodeURIComponent(mine.cert)}"` };
      assert.equal(await statusOf(protocol, other, token, forged), 401);
    });

    it(`are not bound by what a client writes into a header, over ${protocol}`, async () => {
      const token = await tokenOf(protocol, null, { 'x-forwarded-client-cert': `Hash=${'ab'.repeat(32)}` });
      assert.equal(await statusOf(protocol, null, token), 200);
    });
  }
});

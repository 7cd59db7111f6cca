import assert from 'node:assert/strict';
import { envoyYaml } from '../../support/attachments/attachment.ts';
import { type JsonObject, routes } from '../../support/envoy/envoy-config.ts';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { fieldValue } from '../../support/http/http-message.ts';
import { type RefusedCode } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { hosts: [api.example.com], paths: [{ exact: /orders }], methods: [POST] }, authentication: key }
  - { id: public, scenario: open, match: { paths: [{ prefix: / }] } }
  - { id: sleeping, scenario: open, enabled: false, match: { paths: [{ exact: /sleeping }] } }
consumers:
  - { id: acme, credentials: [{ id: acme-key, method: key, appKey: key-of-acme }] }
`;

/** Paths and the endpoint that their Envoy route names. */
const named = {
  '/to-orders': 'orders',
  '/to-public': 'public',
  '/to-sleeping': 'sleeping',
  '/to-unknown': 'nowhere',
  '/to-empty': '',
  '/to-upper-case': 'ORDERS',
  '/to-padded': ' orders',
} as const;

function nameEndpoints(config: JsonObject): void {
  const list = routes(config);
  const added = Object.entries(named).map(([prefix, endpoint]) => ({
    match: { prefix },
    route: { cluster: 'backend' },
    typed_per_filter_config: {
      'envoy.filters.http.ext_authz': {
        '@type': 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute',
        check_settings: { context_extensions: { endpoint, team: 'any' } },
      },
    },
  }));
  list.splice(list.length - 1, 0, ...added);
}

const key = [['X-App-Key', 'key-of-acme']] as const;

const refused: Readonly<Record<string, readonly [PlainRequest, RefusedCode]>> = {
  'a caller without credentials': [{ target: '/to-orders' }, 'CREDENTIALS_MISSING'],
  'a wrong App Key': [{ target: '/to-orders?appKey=wrong' }, 'AUTHENTICATION_FAILED'],
  'an endpoint that is disabled': [{ target: '/to-sleeping', headers: key }, 'ENDPOINT_NOT_FOUND'],
  'an endpoint that does not exist': [{ target: '/to-unknown', headers: key }, 'ENDPOINT_NOT_FOUND'],
  'an endpoint without a name': [{ target: '/to-empty', headers: key }, 'ENDPOINT_NOT_FOUND'],
  'an endpoint in another case': [{ target: '/to-upper-case', headers: key }, 'ENDPOINT_NOT_FOUND'],
  'an endpoint with a blank': [{ target: '/to-padded', headers: key }, 'ENDPOINT_NOT_FOUND'],
  'a target that is not in normal form': [{ target: '/to-public/../x', headers: key }, 'PATH_NOT_NORMAL'],
  'a target that is not in normal form, of an unknown endpoint': [{ target: '/to-unknown//' }, 'PATH_NOT_NORMAL'],
  'an authority that is no host': [{ target: '/to-public', host: 'a,b' }, 'MALFORMED_REQUEST'],
};

describe('an Envoy route that names the endpoint', () => {
  const { stack, send, sendAllowed, sendRefused, logged } = useStack(document, {
    attachment: envoyYaml,
    edit: nameEndpoints,
  });

  for (const protocol of protocols) {
    it(`is followed whatever host, path and method are, over ${protocol}`, async () => {
      const forwarded = await sendAllowed(protocol, {
        target: '/to-orders/7?a&appKey=key-of-acme',
        method: 'DELETE',
        host: 'elsewhere.example.org',
      });
      assert.equal(forwarded.target, '/to-orders/7?a');
      assert.equal(fieldValue(forwarded.headers, 'x-consumer-id'), 'acme');
      const answer = await send(protocol, { target: '/to-public' });
      assert.equal((await logged(answer))['endpoint'], 'public');
    });

    for (const [kind, [request, code]] of Object.entries(refused)) {
      it(`refuses ${kind}, over ${protocol}`, async () => {
        await sendRefused(protocol, request, code);
      });
    }

    it(`does not matter to other routes, over ${protocol}`, async () => {
      const answer = await send(protocol, { target: '/elsewhere' });
      assert.equal((await logged(answer))['endpoint'], 'public');
      await sendRefused(protocol, { target: '/orders', method: 'POST' }, 'CREDENTIALS_MISSING');
    });
  }

  it('cannot be made by a caller', async () => {
    const headers = ['endpoint', 'x-endpoint', 'context_extensions', 'x-envoy-endpoint'].map(
      (name) => [name, 'public'] as const,
    );
    await sendRefused('HTTP/1.1', { target: '/to-orders?endpoint=public', headers }, 'CREDENTIALS_MISSING');
  });

  it('that does not exist is told in the log as a fault of the configuration', async () => {
    const answer = await send('HTTP/1.1', { target: '/to-unknown' });
    const requestId = fieldValue(answer.headers, 'x-request-id');
    const line = await stack().postern.logLine((entry) => entry['requestId'] === requestId);
    assert.equal(
      line['detail'],
      'configuration fault: the Envoy route names the endpoint "nowhere", which does not exist',
    );
  });
});

describe('without an endpoint for everything else', () => {
  const { sendRefused } = useStack(
    `
version: 1
endpoints:
  - { id: public, scenario: open, match: { hosts: [api.example.com], paths: [{ prefix: /public }] } }
`,
    'shared',
  );

  for (const protocol of protocols) {
    it(`a request that nothing matches is refused, over ${protocol}`, async () => {
      for (const request of [
        { target: '/' },
        { target: '/other' },
        { target: '/publicx' },
        { target: '/public', host: 'www.example.com' },
        { target: '/favicon.ico', method: 'POST', body: 'x' },
      ]) {
        await sendRefused(protocol, request, 'ENDPOINT_NOT_FOUND');
      }
    });
  }
});

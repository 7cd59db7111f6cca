import assert from 'node:assert/strict';
import { envoyYaml } from '../../support/attachments/attachment.ts';
import { connectionManager, httpFilters, type JsonObject, routes } from '../../support/envoy/envoy-config.ts';
import { http1, type Http1Request } from '../../support/http/http1-client.ts';
import { http2 } from '../../support/http/http2-client.ts';
import { type Protocol, protocols } from '../../support/http/http-client.ts';
import { type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';
import { assertSignedRefused } from '../../support/partner/assert-signed-refused.ts';
import { signedByHmac } from '../../support/partner/hmac.ts';
import { formRequest, withSign } from '../../support/partner/parameters.ts';
import { acme, type EndpointLine } from '../../support/partner/signature-document.ts';
import { useSignedStack } from '../../support/partner/use-signed-stack.ts';

const endpoints: readonly EndpointLine[] = [
  { id: 'hmac', authentication: 'hmac' },
  { id: 'parameters', authentication: 'parameter-signature' },
];
const authz = 'type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthzPerRoute';
const buffer = 'type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute';
const parameters = withSign(`appKey=${acme.appKey}`);

/** What an operator may switch on for other endpoints of the same Envoy: streaming routes, and web sockets. */
function streamAndUpgrade(config: JsonObject): void {
  const undeclared = ['/hmac/streamed', '/parameters/streamed'];
  const declared = ['/hmac/declared', '/parameters/declared'];
  for (const [index, prefix] of [...undeclared, ...declared].entries()) {
    const last = routes(config).at(-1);
    assert.ok(typeof last === 'object' && last !== null && !Array.isArray(last));
    routes(config).splice(index, 0, {
      ...last,
      match: { prefix },
      typed_per_filter_config: {
        'envoy.filters.http.buffer': { '@type': buffer, disabled: true },
        'envoy.filters.http.ext_authz': {
          '@type': authz,
          check_settings: {
            disable_request_body_buffering: true,
            ...(declared.includes(prefix) ? { context_extensions: { body: 'streamed' } } : {}),
          },
        },
      },
    });
  }
  const withoutBuffer = httpFilters(config).filter((filter) => !JSON.stringify(filter).includes('http.buffer.v3'));
  connectionManager(config)['upgrade_configs'] = [{ upgrade_type: 'websocket', filters: withoutBuffer }];
}

describe('a body that Postern does not see, where Envoy would pass it on', () => {
  const stack = useSignedStack('hmac', endpoints, { attachment: envoyYaml, edit: streamAndUpgrade });

  for (const protocol of protocols) {
    it(`is refused on a route without buffering, however well it is signed, over ${protocol}`, async () => {
      const signed = signedByHmac({ method: 'POST', target: '/hmac/streamed', body: 'unseen' });
      stack.assertRefused(await stack.send(protocol, signed), 'BODY_TOO_LARGE');
      // As if there were none: what a caller would sign to have one passed on unverified.
      const bare = signedByHmac({ method: 'POST', target: '/hmac/streamed' });
      stack.assertRefused(await stack.send(protocol, { ...bare, body: 'unseen' }), 'BODY_TOO_LARGE');
      const form = formRequest(`/parameters/streamed?${parameters}`, 'unseen');
      const answer = await stack.send(protocol, form);
      assertSignedRefused(answer, 'BODY_TOO_LARGE', 'parameter-signature');
      assert.equal(stack.running().backend.requests.length, 0);
    });

    it(`is no matter for a request without one, over ${protocol}`, async () => {
      stack.assertAllowed(await stack.send(protocol, signedByHmac({ target: '/hmac/streamed' })));
      stack.running().backend.reset();
      stack.assertAllowed(await stack.send(protocol, { target: `/parameters/streamed?${parameters}` }));
    });
  }

  /** A body that no length announces, on a request that is signed as if it had none. */
  async function sendHidden(protocol: Protocol, request: Http1Request): Promise<HttpAnswer> {
    const { port } = stack.running().envoy;
    if (protocol === 'HTTP/1.1') return await http1(port, { ...request, chunks: ['unseen'] });
    const { host, headers, ...rest } = request;
    const lines = (headers ?? []).map(([name, value]) => [name.toLowerCase(), value] as const);
    const authority = host == null ? {} : { authority: host };
    return await http2(port, { ...rest, ...authority, headers: lines, frames: ['unseen'], contentLength: false });
  }

  for (const protocol of protocols) {
    it(`is refused without a length too where the route says that it streams, over ${protocol}`, async () => {
      const signed = signedByHmac({ method: 'POST', target: '/hmac/declared' });
      stack.assertRefused(await sendHidden(protocol, signed), 'BODY_TOO_LARGE');
      const form = { method: 'POST', target: `/parameters/declared?${parameters}` };
      assertSignedRefused(await sendHidden(protocol, form), 'BODY_TOO_LARGE', 'parameter-signature');
      stack.assertRefused(await stack.send(protocol, signed), 'BODY_TOO_LARGE');
      assert.equal(stack.running().backend.requests.length, 0);
      const headers = [...signed.headers, ['content-length', '0']] as const;
      stack.assertAllowed(await stack.send(protocol, { ...signed, headers }));
    });

    it(`passes without a length where the route does not say so, which doctor tells, over ${protocol}`, async () => {
      const signed = signedByHmac({ method: 'POST', target: '/hmac/streamed' });
      const passed = stack.assertAllowed(await sendHidden(protocol, signed));
      assert.equal(passed.body.toString(), 'unseen');
    });
  }

  const upgrade = [
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
  ] as const;

  it('is refused after an upgrade, for which the request is well signed', async () => {
    const signed = signedByHmac();
    const port = stack.running().envoy.port;
    const answer = await http1(port, { ...signed, headers: [...signed.headers, ...upgrade] });
    stack.assertRefused(answer, 'BODY_TOO_LARGE');
    const other = await http1(port, { target: `/parameters?${parameters}`, headers: upgrade });
    assertSignedRefused(other, 'BODY_TOO_LARGE', 'parameter-signature');
    assert.equal(stack.running().backend.requests.length, 0);
  });
});

describe('an upgrade on a signed endpoint, with the committed configuration', () => {
  const stack = useSignedStack('hmac', endpoints, 'shared');

  it('is refused by Envoy itself: a web socket', async () => {
    const signed = signedByHmac();
    const headers = [...signed.headers, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']] as const;
    const answer = await http1(stack.running().envoy.port, { ...signed, headers });
    assert.deepEqual([answer.status, (jsonBody(answer) as { code: string }).code], [403, 'GATEWAY_ERROR']);
    assert.equal(stack.running().backend.requests.length, 0);
  });

  it('does not happen: h2c is ignored, and the body is verified', async () => {
    const signed = signedByHmac({ method: 'POST', body: 'verified' });
    const headers = [
      ...signed.headers,
      ['Connection', 'Upgrade, HTTP2-Settings'],
      ['Upgrade', 'h2c'],
      ['HTTP2-Settings', 'AAMAAABkAARAAAAAAAIAAAAA'],
    ] as const;
    const port = stack.running().envoy.port;
    assert.equal((await http1(port, { ...signed, headers, body: 'verified' })).status, 200);
    assert.equal((await http1(port, { ...signed, headers, body: 'modified' })).status, 401);
    assert.deepEqual(
      stack.running().backend.requests.map(({ body }) => body.toString()),
      ['verified'],
    );
  });
});

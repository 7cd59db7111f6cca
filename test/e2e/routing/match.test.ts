import assert from 'node:assert/strict';
import { type PlainRequest, protocols } from '../../support/http/http-client.ts';
import { http1 } from '../../support/http/http1-client.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const document = `
version: 1
endpoints:
  - { id: wide, scenario: open, match: { paths: [{ prefix: / }] } }
  - { id: orders, scenario: open, match: { paths: [{ prefix: /orders }], methods: [GET, POST] } }
  - { id: orders-returns, scenario: open, match: { paths: [{ prefix: /orders/returns/ }] } }
  - { id: status, scenario: open, match: { paths: [{ exact: /status }], methods: [GET] } }
  - { id: status-below, scenario: open, match: { paths: [{ prefix: /status }] } }
  - { id: exact-slash, scenario: open, match: { paths: [{ exact: /slash/ }] } }
  - { id: get-item, scenario: open, match: { paths: [{ exact: /item }], methods: [GET] } }
  - { id: put-item, scenario: open, match: { paths: [{ exact: /item }], methods: [PUT] } }
  - { id: other-item, scenario: open, match: { paths: [{ exact: /item }] } }
  - { id: encoded, scenario: open, match: { paths: [{ prefix: /b%C3%BCcher }] } }
  - { id: host-exact, scenario: open, match: { hosts: [API.example.com], paths: [{ prefix: /h }] } }
  - { id: host-exact-get, scenario: open, match: { hosts: [api.example.com], paths: [{ exact: /h/get }], methods: [GET] } }
  - { id: host-wildcard, scenario: open, match: { hosts: ["*.example.com"], paths: [{ prefix: /h }, { prefix: /w }] } }
  - { id: host-longer, scenario: open, match: { hosts: ["*.partners.example.com"], paths: [{ prefix: /h }] } }
  - { id: host-any, scenario: open, match: { paths: [{ prefix: /h }] } }
  - { id: host-address, scenario: open, match: { hosts: [127.0.0.1], paths: [{ prefix: /h }] } }
  - { id: off, scenario: open, enabled: false, match: { paths: [{ prefix: /off }] } }
  - { id: off-host, scenario: open, enabled: false, match: { hosts: [off.example.com], paths: [{ prefix: /h }] } }
`;

type Case = readonly [request: PlainRequest, endpoint: string];

/** A request of any host with this target. */
function to(target: string, method = 'GET'): PlainRequest {
  return { target, method, host: 'unlisted.example.org' };
}

/** A request to this authority. */
function at(host: string, target = '/h/x'): PlainRequest {
  return { target, host };
}

const paths: readonly Case[] = [
  [to('/'), 'wide'],
  [to('/orders'), 'orders'],
  [to('/orders/'), 'orders'],
  [to('/orders/7'), 'orders'],
  [to('/orders?a=/orders/returns/'), 'orders'],
  [to('/orders2'), 'wide'],
  [to('/order'), 'wide'],
  [to('/Orders'), 'wide'],
  [to('/a/orders'), 'wide'],
  [to('/%6Frders'), 'orders'],
  [to('/orders%20'), 'wide'],
  [to('/orders;v=1'), 'orders'],
  [to('/orders;v=1/7;w'), 'orders'],
  [to('/orders;/returns/1'), 'orders-returns'],
  [to('/orders/returns'), 'orders-returns'],
  [to('/orders/returns/'), 'orders-returns'],
  [to('/orders/returns;x'), 'orders-returns'],
  [to('/orders/return%73/1'), 'orders-returns'],
  [to('/orders/returnsx'), 'orders'],
  [to('/status'), 'status'],
  [to('/status?a=b'), 'status'],
  [to('/status?'), 'status'],
  [to('/status;v=2'), 'status'],
  [to('/%73tatus'), 'status'],
  [to('/status/'), 'status-below'],
  [to('/status/x'), 'status-below'],
  [to('/slash/'), 'exact-slash'],
  [to('/slash'), 'wide'],
  [to('/slash/x'), 'wide'],
  [to('/b%c3%bccher/1'), 'encoded'],
  [to('/b%C3%BCcher'), 'encoded'],
  [to('/b%FCcher'), 'wide'],
];

const hosts: readonly Case[] = [
  [at('api.example.com'), 'host-exact'],
  [at('API.Example.COM'), 'host-exact'],
  [at('api.example.com:8443'), 'host-exact'],
  [at('api.example.com.'), 'host-exact'],
  [at('API.EXAMPLE.COM.:443'), 'host-exact'],
  [at('api.example.com', '/h/get'), 'host-exact-get'],
  [at('api.example.com', '/w'), 'host-wildcard'],
  [at('api.example.com', '/elsewhere'), 'wide'],
  [at('www.example.com'), 'host-wildcard'],
  [at('a.b.example.com:80'), 'host-wildcard'],
  [at('WWW.EXAMPLE.COM.'), 'host-wildcard'],
  [at('partners.example.com'), 'host-wildcard'],
  [at('x.partners.example.com'), 'host-longer'],
  [at('x.y.partners.example.com'), 'host-longer'],
  [at('x.partners.example.com', '/w'), 'host-wildcard'],
  [at('example.com'), 'host-any'],
  [at('badexample.com'), 'host-any'],
  [at('api.example.com.evil.test'), 'host-any'],
  [at('xapi_example-com'), 'host-any'],
  [at('127.0.0.1:10000'), 'host-address'],
  [at('[::1]:10000'), 'host-any'],
];

const methods: readonly Case[] = [
  [to('/orders', 'POST'), 'orders'],
  [to('/item', 'GET'), 'get-item'],
  [to('/item', 'PUT'), 'put-item'],
  [to('/item', 'DELETE'), 'other-item'],
  [to('/item', 'HEAD'), 'other-item'],
  [to('/item', 'OPTIONS'), 'other-item'],
  [to('/orders/returns', 'PATCH'), 'orders-returns'],
  [to('/status/', 'POST'), 'status-below'],
];

/** Requests that no endpoint serves, though a wider and open one would take them. */
const unserved: Readonly<Record<string, PlainRequest>> = {
  'PUT where GET and POST are listed': to('/orders', 'PUT'),
  'DELETE where GET and POST are listed': to('/orders/7', 'DELETE'),
  'OPTIONS where GET and POST are listed': to('/orders', 'OPTIONS'),
  'PATCH with an encoded path': to('/%6frders', 'PATCH'),
  'TRACE where GET and POST are listed': to('/orders', 'TRACE'),
  'POST on an exact path with a wider prefix': to('/status', 'POST'),
  'POST on an exact path of an exact host': { ...at('api.example.com', '/h/get'), method: 'POST' },
  'a disabled endpoint': to('/off'),
  'a path below a disabled endpoint': to('/off/x;y', 'POST'),
  'the host of a disabled endpoint': at('off.example.com'),
};

describe('the endpoint of a request', () => {
  const { stack, send, sendAllowed, sendRefused, logged } = useStack(document, 'shared');

  for (const protocol of protocols) {
    for (const [request, endpoint] of [...paths, ...hosts, ...methods]) {
      const { method = 'GET', host = '', target = '' } = request;
      it(`is ${endpoint} for ${method} ${host}${target}, over ${protocol}`, async () => {
        const answer = await send(protocol, request);
        assert.equal(answer.status, 200, answer.body.toString());
        const [forwarded] = stack().backend.requests;
        assert.deepEqual([forwarded?.method, forwarded?.target], [method, target]);
        assert.equal((await logged(answer))['endpoint'], endpoint);
      });
    }

    for (const [kind, request] of Object.entries(unserved)) {
      it(`is none for ${kind}, over ${protocol}`, async () => {
        await sendRefused(protocol, request, 'ENDPOINT_NOT_FOUND');
      });
    }

    it(`is none for HEAD where GET is listed, over ${protocol}`, async () => {
      const answer = await send(protocol, to('/orders', 'HEAD'));
      assert.deepEqual([answer.status, answer.body.length], [404, 0]);
      assert.equal((await logged(answer))['code'], 'ENDPOINT_NOT_FOUND');
      assert.equal(stack().backend.requests.length, 0);
    });
  }

  it('is none for a method in lower case, which only HTTP/2 lets through', async () => {
    await sendRefused('HTTP/2', to('/orders', 'get'), 'ENDPOINT_NOT_FOUND');
    await sendRefused('HTTP/1.1', to('/orders', 'get'), 'GATEWAY_ERROR');
    const forwarded = await sendAllowed('HTTP/2', to('/item', 'get'));
    assert.equal(forwarded.method, 'get');
  });

  it('is that of an absolute target, not of the Host beside it', async () => {
    for (const [target, host, endpoint] of [
      ['http://api.example.com/h/x?a', 'www.example.com', 'host-exact'],
      ['http://www.example.com:81/h/x?a', 'api.example.com', 'host-wildcard'],
      ['http://API.example.com./h/x?a', 'off.example.com', 'host-exact'],
    ] as const) {
      stack().backend.reset();
      const answer = await http1(stack().envoy.port, { target, host });
      assert.equal(answer.status, 200, answer.body.toString());
      assert.equal(stack().backend.requests[0]?.target, '/h/x?a');
      assert.equal((await logged(answer))['endpoint'], endpoint);
    }
  });
});

import assert from 'node:assert/strict';
import { envoyConfig } from '../../../bench/envoy/chain.ts';
import { partnerRequest, writeHttpRequest } from '../../../bench/requests/http-request.ts';
import { at, cluster, httpFilters, listAt, routes } from '../../support/envoy/envoy-config.ts';

describe('the Envoy of the bench', () => {
  const ports = { services: ['127.0.0.1:1'], posternHttp: 2, backend: 3 };

  it('has all filters of envoy.yaml', () => {
    const names = httpFilters(envoyConfig('committed', ports)).map((filter) => at(filter, 'name'));
    assert.ok(names.includes('envoy.filters.http.ext_authz'));
    assert.ok(names.includes('postern.guard'));
  });

  it('knows every process of the service', () => {
    const config = envoyConfig('committed', { ...ports, services: ['127.0.0.1:1', '127.0.0.1:4'] });
    const endpoints = listAt(cluster(config, 'postern'), 'load_assignment', 'endpoints', 0, 'lb_endpoints');
    const listening = endpoints.map((each) => at(each, 'endpoint', 'address', 'socket_address', 'port_value'));
    assert.deepEqual(listening, [1, 4]);
  });

  it('reaches a service on a Unix socket', () => {
    const postern = cluster(envoyConfig('committed', { ...ports, services: ['unix:/run/postern'] }), 'postern');
    assert.equal(postern['type'], 'STATIC');
    const address = at(postern, 'load_assignment', 'endpoints', 0, 'lb_endpoints', 0, 'endpoint', 'address');
    assert.deepEqual(address, { pipe: { path: '/run/postern' } });
  });

  it('only forwards to the back end when it is plain', () => {
    const config = envoyConfig('plain', ports);
    const names = httpFilters(config).map((filter) => at(filter, 'name'));
    assert.deepEqual(names, ['envoy.filters.http.router']);
    assert.equal(routes(config).length, 1);
    assert.deepEqual(listAt(config, 'static_resources', 'clusters'), [cluster(config, 'backend')]);
  });
});

describe('HTTP requests of the bench', () => {
  it('differ from the request of a partner in what is asked for only', () => {
    const request = writeHttpRequest({ path: '/orders/1?appKey=k', headers: { accept: 'text/plain', date: 'now' } });
    const headers = partnerRequest.headers
      .filter(([name]) => name !== 'Accept')
      .map(([name, value]) => `${name}: ${value}`);
    const lines = [
      'GET /orders/1?appKey=k HTTP/1.1',
      'Host: api.example.com',
      ...headers,
      'accept: text/plain',
      'date: now',
    ];
    assert.equal(request.toString('latin1'), `${lines.join('\r\n')}\r\n\r\n`);
  });

  it('end with the body and have its length', () => {
    const body = Buffer.from([0, 0xff, 0x0a]);
    const request = writeHttpRequest({ method: 'POST', path: '/orders', body });
    const text = request.toString('latin1');
    assert.ok(text.startsWith('POST /orders HTTP/1.1\r\n'));
    assert.ok(text.includes('\r\nContent-Length: 3\r\n'));
    assert.ok(text.endsWith('\r\n\r\n\0ÿ\n'));
  });
});

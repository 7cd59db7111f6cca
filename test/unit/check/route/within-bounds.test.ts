import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileEndpointTable } from '../../../../src/check/route/endpoint-table.ts';
import { isWithinBounds } from '../../../../src/check/route/within-bounds.ts';
import { keyEndpoint } from '../../../support/pipeline/resources.ts';

const hosts = fc.constantFrom('example.com', '*.example.com', 'a.example.com', '*.a.example.com', 'example.org');
const paths = fc.constantFrom('/', '/pay', '/pay/in', '/payments', '/pay/in/deep');
const rules = fc.oneof(
  paths.map((prefix) => ({ prefix })),
  paths.map((exact) => ({ exact })),
);

describe('the bounds of an operator', () => {
  it('hold every request that an endpoint within them can take', () => {
    const someHosts = fc.uniqueArray(hosts, { maxLength: 2 });
    const match = fc.record({ hosts: someHosts, paths: fc.array(rules, { minLength: 1, maxLength: 2 }) });
    const bounds = fc.record({ hosts: someHosts, pathPrefixes: fc.uniqueArray(paths, { maxLength: 2 }) });
    let within = 0;
    fc.assert(
      fc.property(match, bounds, (matched, bound) => {
        if (!isWithinBounds(matched, bound)) return;
        within += 1;
        const own = compileEndpointTable([keyEndpoint({ id: 'own', ...matched })]);
        const prefixes = bound.pathPrefixes.length === 0 ? ['/'] : bound.pathPrefixes;
        const allowed = compileEndpointTable([
          keyEndpoint({ id: 'bound', hosts: bound.hosts, paths: prefixes.map((prefix) => ({ prefix })) }),
        ]);
        for (const host of ['example.com', 'a.example.com', 'b.a.example.com', 'example.org', 'other.net']) {
          for (const path of ['/', '/pay', '/pay/', '/pay/in', '/pay/in/deep/er', '/payments', '/other']) {
            if (own.find(host, path, 'GET') === null) continue;
            assert.notEqual(allowed.find(host, path, 'GET'), null, `${host}${path}`);
          }
        }
      }),
      { numRuns: 2000 },
    );
    assert.ok(within > 100, String(within));
  });
});

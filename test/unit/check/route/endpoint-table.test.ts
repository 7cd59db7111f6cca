import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Endpoint, type PathRule } from '../../../../src/model/endpoint.ts';
import { findMatchCollisions } from '../../../../src/check/route/collisions.ts';
import { compileEndpointTable } from '../../../../src/check/route/endpoint-table.ts';
import type { EndpointTable } from '../../../../src/check/store/check-store.ts';
import { normalizeHost, parseAuthority } from '../../../../src/check/receive/host.ts';
import { parsePathRule, parseTarget } from '../../../../src/check/receive/path.ts';
import { keyEndpoint, openEndpoint } from '../../../support/pipeline/resources.ts';

/** The endpoint of a request as text, `-` for none. */
function choose(table: EndpointTable, method: string, authority: string, path: string): string {
  const host = parseAuthority(authority);
  const target = parseTarget(path);
  assert.ok(host !== null && !('reason' in target), `${authority} ${path} is not normal`);
  return table.find(host, target.comparable, method)?.id ?? '-';
}

describe('the endpoint of a request', () => {
  const table = compileEndpointTable([
    keyEndpoint({ id: 'any', paths: [{ prefix: '/' }] }),
    keyEndpoint({ id: 'orders', paths: [{ prefix: '/orders' }] }),
    keyEndpoint({ id: 'order-list', paths: [{ exact: '/orders' }], methods: ['GET'] }),
    keyEndpoint({ id: 'deep', paths: [{ prefix: '/orders/eu/' }], methods: ['GET', 'POST'] }),
    keyEndpoint({ id: 'spaced', paths: [{ prefix: '/a%20b' }] }),
    keyEndpoint({ id: 'exact-slash', paths: [{ exact: '/exact/' }] }),
    keyEndpoint({ id: 'exact-root', hosts: ['root.example.com'], paths: [{ exact: '/' }] }),
    openEndpoint({ id: 'star', hosts: ['*.example.com'], paths: [{ prefix: '/orders' }] }),
    openEndpoint({ id: 'longer-star', hosts: ['*.eu.example.com'], paths: [{ prefix: '/orders' }] }),
    keyEndpoint({ id: 'exact-host', hosts: ['API.example.com.'], paths: [{ prefix: '/orders' }] }),
    keyEndpoint({ id: 'patch', hosts: ['m.example.com'], paths: [{ prefix: '/orders' }], methods: ['PATCH'] }),
    keyEndpoint({ id: 'rest', hosts: ['m.example.com'], paths: [{ prefix: '/orders' }] }),
    keyEndpoint({ id: 'off', hosts: ['off.example.com'], enabled: false }),
  ]);

  for (const [method, authority, path, id] of [
    ['GET', 'x', '/', 'any'],
    ['GET', 'x', '/else', 'any'],
    ['GET', 'x', '/orders', 'order-list'],
    ['GET', 'x', '/orders?a=b', 'order-list'],
    ['GET', 'x', '/orders;v=1', 'order-list'],
    ['GET', 'x', '/%6frders', 'order-list'],
    ['GET', 'x', '/orders/', 'orders'],
    ['GET', 'x', '/orders/1', 'orders'],
    ['GET', 'x', '/ordersx', 'any'],
    ['GET', 'x', '/orders%20', 'any'],
    ['GET', 'x', '/Orders', 'any'],
    // The exact path is the best one: a method it does not list is not found, and falls through to nothing wider.
    ['PUT', 'x', '/orders', '-'],
    ['PUT', 'x', '/orders/1', 'orders'],
    ['GET', 'x', '/orders/eu', 'deep'],
    ['GET', 'x', '/orders/eu/', 'deep'],
    ['GET', 'x', '/orders/eu/1', 'deep'],
    ['GET', 'x', '/orders/eux', 'orders'],
    ['PUT', 'x', '/orders/eu', '-'],
    ['PUT', 'x', '/orders/eu/1', '-'],
    ['HEAD', 'x', '/orders/eu', '-'],
    ['get', 'x', '/orders/eu', '-'],
    ['GET', 'x', '/a%20b', 'spaced'],
    ['GET', 'x', '/a%20b/c', 'spaced'],
    ['GET', 'x', '/exact/', 'exact-slash'],
    ['GET', 'x', '/exact', 'any'],
    ['GET', 'x', '/exact/a', 'any'],
    ['GET', 'api.example.com', '/orders', 'exact-host'],
    ['GET', 'API.EXAMPLE.COM:8443', '/orders', 'exact-host'],
    ['GET', 'api.example.com.', '/orders', 'exact-host'],
    ['GET', 'b.example.com', '/orders', 'star'],
    ['GET', 'a.b.example.com', '/orders', 'star'],
    ['GET', 'example.com', '/orders/1', 'orders'],
    ['GET', 'eu.example.com', '/orders', 'star'],
    ['GET', 'a.eu.example.com', '/orders', 'longer-star'],
    ['GET', 'a.b.eu.example.com', '/orders', 'longer-star'],
    ['GET', 'notexample.com', '/orders/1', 'orders'],
    // No path of the better host matches: the next host is asked.
    ['GET', 'api.example.com', '/else', 'any'],
    ['GET', 'root.example.com', '/', 'exact-root'],
    ['GET', 'root.example.com', '/orders', 'star'],
    ['PATCH', 'm.example.com', '/orders', 'patch'],
    ['GET', 'm.example.com', '/orders', 'rest'],
    ['GET', 'off.example.com', '/orders', 'off'],
    ['GET', '[::1]:80', '/orders/1', 'orders'],
  ] as const) {
    it(`of ${method} ${authority} ${path} is ${id}`, () => {
      assert.equal(choose(table, method, authority, path), id);
    });
  }

  it('is found by id whether it is enabled or not', () => {
    assert.equal(table.findById('off')?.id, 'off');
    for (const id of ['', 'nothing', '__proto__', 'constructor']) assert.equal(table.findById(id), null);
  });

  it('is none without endpoints', () => {
    assert.equal(choose(compileEndpointTable([]), 'GET', 'x', '/'), '-');
  });

  it('is not chosen by names that JavaScript objects have', () => {
    const plain = compileEndpointTable([keyEndpoint({ hosts: ['a'], paths: [{ prefix: '/a' }], methods: ['GET'] })]);
    for (const word of ['__proto__', 'constructor', 'toString']) {
      assert.equal(plain.find(word, '/a', 'GET'), null);
      assert.equal(plain.find('a', `/${word}`, 'GET'), null);
      assert.equal(plain.find('a', '/a', word), null);
    }
  });

  it('cannot be compiled from a path that is not in normal form', () => {
    assert.throws(() => compileEndpointTable([keyEndpoint({ paths: [{ prefix: '/a/../b' }] })]), /endpoint orders/);
  });

  it('is the one that a list in the order of the specification gives', () => {
    const host = fc.constantFrom('a', 'b.a', 'c.b.a', '*.a', '*.b.a', 'A.', '*.A');
    const segment = fc.constantFrom('x', 'y', '%78', 'x%20');
    const path = fc.array(segment, { maxLength: 3 }).map((segments) => `/${segments.join('/')}`);
    const trailing = fc.constantFrom('', '/');
    const rule: fc.Arbitrary<PathRule> = fc.oneof(
      fc.tuple(path, trailing).map(([text, end]) => ({ prefix: text === '/' ? text : text + end })),
      fc.tuple(path, trailing).map(([text, end]) => ({ exact: text === '/' ? text : text + end })),
    );
    const method = fc.constantFrom('GET', 'POST', 'get');
    const endpoint = fc.record({
      hosts: fc.uniqueArray(host, { maxLength: 2 }),
      paths: fc.array(rule, { minLength: 1, maxLength: 2 }),
      methods: fc.uniqueArray(method, { maxLength: 2 }),
      enabled: fc.boolean(),
    });
    const request = fc.record({
      method: fc.constantFrom('GET', 'POST', 'PUT', 'get'),
      authority: fc.constantFrom('a', 'A:80', 'a.', 'b.a', 'x.a', 'c.b.a', 'd.c.b.a', 'z', '[::1]'),
      path: fc
        .tuple(path, fc.constantFrom('', '/', ';v', '?q', '/;v'))
        .map(([text, end]) => (text === '/' ? text : text + end)),
    });
    fc.assert(
      fc.property(
        fc.array(endpoint, { maxLength: 8 }),
        fc.array(request, { minLength: 1, maxLength: 8 }),
        (all, requests) => {
          const endpoints: Endpoint[] = [];
          for (const [index, parts] of all.entries()) {
            const candidate = keyEndpoint({ id: `e${String(index)}`, ...parts });
            if (findMatchCollisions([...endpoints, candidate]).length === 0) endpoints.push(candidate);
          }
          const compiled = compileEndpointTable(endpoints);
          for (const { method: verb, authority, path: target } of requests) {
            const expected = chooseFromList(endpoints, verb, authority, target);
            assert.equal(choose(compiled, verb, authority, target), expected, `${verb} ${authority} ${target}`);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('costs as many look-ups among 10 000 endpoints as among 10', () => {
    const many = compileEndpointTable(
      Array.from({ length: 10_000 }, (_, index) =>
        keyEndpoint({ id: `e${String(index)}`, paths: [{ prefix: `/api/e${String(index)}` }] }),
      ),
    );
    const few = compileEndpointTable(
      Array.from({ length: 10 }, (_, index) =>
        keyEndpoint({ id: `e${String(index)}`, paths: [{ prefix: `/api/e${String(index)}` }] }),
      ),
    );
    assert.equal(countLookups(many, '/api/e7/x'), countLookups(few, '/api/e7/x'));
  });

  it('is sought no further than the first segment that no rule knows', () => {
    assert.equal(countLookups(table, `/unknown${'/x'.repeat(30_000)}`), countLookups(table, '/unknown/x'));
  });
});

/** How often a look-up asks a map. */
function countLookups(table: EndpointTable, path: string): number {
  const original = Object.getOwnPropertyDescriptor(Map.prototype, 'get');
  assert.ok(original);
  const get = original.value as (this: Map<unknown, unknown>, key: unknown) => unknown;
  let count = 0;
  Object.defineProperty(Map.prototype, 'get', {
    ...original,
    value(this: Map<unknown, unknown>, key: unknown) {
      count += 1;
      return get.call(this, key);
    },
  });
  try {
    table.find('api.example.com', path, 'GET');
  } finally {
    Object.defineProperty(Map.prototype, 'get', original);
  }
  return count;
}

/** Spec §2.3 as a list: every rule that matches, the best first, then the methods of those that are as good. */
function chooseFromList(endpoints: readonly Endpoint[], method: string, authority: string, path: string): string {
  const host = authority.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  const [withoutQuery = ''] = path.split('?');
  const segments = withoutQuery.split('/').map((segment) => decodeURIComponent(segment.replace(/;.*$/, '')));
  const candidates: { endpoint: Endpoint; rank: readonly number[] }[] = [];
  for (const endpoint of endpoints) {
    for (const hostRank of rankHosts(endpoint, host)) {
      for (const rule of endpoint.match.paths) {
        const pathRank = rankPath(rule, segments);
        if (pathRank !== null) candidates.push({ endpoint, rank: [hostRank, pathRank] });
      }
    }
  }
  candidates.sort((a, b) => compareRanks(b.rank, a.rank));
  const [first] = candidates;
  if (first === undefined) return '-';
  const best = candidates.filter(({ rank }) => compareRanks(rank, first.rank) === 0).map(({ endpoint }) => endpoint);
  const chosen =
    best.find((endpoint) => endpoint.match.methods.includes(method)) ??
    best.find((endpoint) => endpoint.match.methods.length === 0);
  return chosen?.id ?? '-';
}

/** Exact before the longest wildcard before any. */
function rankHosts({ match }: Endpoint, host: string): number[] {
  if (match.hosts.length === 0) return [0];
  return match.hosts.flatMap((pattern) => {
    const name = pattern.toLowerCase().replace(/\.$/, '');
    if (name === host) return [1000];
    return name.startsWith('*.') && host.endsWith(name.slice(1)) && host.length > name.length - 1 ? [name.length] : [];
  });
}

/** Exact before the longest prefix. */
function rankPath(rule: PathRule, segments: readonly string[]): number | null {
  const own = ('prefix' in rule ? rule.prefix.replace(/\/$/, '') : rule.exact).split('/').map(decodeURIComponent);
  const isBelow = own.every((segment, index) => segments[index] === segment);
  if ('exact' in rule) return isBelow && own.length === segments.length ? 1000 : null;
  return isBelow ? own.length : null;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, rank] of a.entries()) {
    const difference = rank - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

describe('endpoints that claim the same requests', () => {
  for (const [first, second, collides] of [
    [{}, {}, true],
    [{ paths: [{ prefix: '/orders' }] }, { paths: [{ prefix: '/orders/' }] }, true],
    [{ paths: [{ prefix: '/orders' }] }, { paths: [{ prefix: '/%6Frders' }] }, true],
    [{ paths: [{ prefix: '/orders' }] }, { paths: [{ exact: '/orders' }] }, false],
    [{ paths: [{ exact: '/orders' }] }, { paths: [{ exact: '/orders/' }] }, false],
    [{ paths: [{ exact: '/orders' }] }, { paths: [{ exact: '/orders' }] }, true],
    [{ paths: [{ prefix: '/' }] }, { paths: [{ exact: '/' }] }, false],
    [{ paths: [{ prefix: '/orders' }] }, { paths: [{ prefix: '/Orders' }] }, false],
    [{ hosts: ['a.example.com'] }, { hosts: ['A.EXAMPLE.com.'] }, true],
    [{ hosts: ['a'] }, { hosts: ['*.a'] }, false],
    [{ hosts: ['a'] }, { hosts: [] }, false],
    [{ hosts: ['a', 'b'] }, { hosts: ['c', 'b'] }, true],
    [{ methods: ['GET'] }, { methods: [] }, false],
    [{ methods: ['GET'] }, { methods: ['get'] }, false],
    [{ methods: ['GET', 'PUT'] }, { methods: ['POST', 'PUT'] }, true],
    [{ enabled: false }, {}, true],
  ] as const) {
    it(`${JSON.stringify(first)} and ${JSON.stringify(second)} do ${collides ? '' : 'not '}collide`, () => {
      const endpoints = [keyEndpoint({ id: 'one', ...first }), keyEndpoint({ id: 'two', ...second })];
      const collisions = findMatchCollisions(endpoints);
      assert.deepEqual(
        collisions.map((each) => [each.first.id, each.second.id]),
        collides ? [['one', 'two']] : [],
      );
    });
  }

  it('are reported once for each pair, with the rule that they share', () => {
    const paths = [{ prefix: '/a' }, { prefix: '/b' }];
    const endpoints = ['one', 'two', 'three'].map((id) => keyEndpoint({ id, paths, hosts: ['h'], methods: ['GET'] }));
    assert.deepEqual(
      findMatchCollisions(endpoints).map(({ first, second, rule }) => `${first.id} ${second.id} ${rule}`),
      ['one two host "h", prefix "/a", method "GET"', 'one three host "h", prefix "/a", method "GET"'],
    );
  });

  it('are not an endpoint and itself', () => {
    const paths = [{ prefix: '/a' }, { prefix: '/a/' }];
    assert.deepEqual(findMatchCollisions([keyEndpoint({ paths, hosts: ['a', 'A'], methods: ['GET', 'GET'] })]), []);
  });

  it('are found without looking at paths that are faults of their own', () => {
    const paths = [{ prefix: '/a/../b' }];
    assert.ok('reason' in parsePathRule({ prefix: '/a/../b' }));
    assert.deepEqual(findMatchCollisions([keyEndpoint({ id: 'one', paths }), keyEndpoint({ id: 'two', paths })]), []);
  });

  it('compare hosts as requests do', () => {
    assert.equal(normalizeHost('A.b.'), 'a.b');
  });
});

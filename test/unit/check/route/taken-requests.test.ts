import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Endpoint, PathRule } from '../../../../src/model/endpoint.ts';
import { findMatchCollisions } from '../../../../src/check/route/collisions.ts';
import { compileEndpointTable } from '../../../../src/check/route/endpoint-table.ts';
import { findTakenRequests } from '../../../../src/check/route/taken-requests.ts';
import { keyEndpoint } from '../../../support/pipeline/resources.ts';

const isTheirs = ({ id }: Endpoint): boolean => id.startsWith('their');
const theirs = (parts: Parameters<typeof keyEndpoint>[0] = {}): Endpoint => keyEndpoint({ id: 'theirs', ...parts });
const mine = (parts: Parameters<typeof keyEndpoint>[0] = {}): Endpoint => keyEndpoint({ id: 'mine', ...parts });

describe('requests that an endpoint would take from those of others', () => {
  const wide = theirs({ paths: [{ prefix: '/orders' }] });

  for (const [what, own, example] of [
    ['a narrower prefix', mine({ paths: [{ prefix: '/orders/1' }] }), 'GET /orders/1'],
    ['an exact path', mine({ paths: [{ exact: '/orders' }] }), 'GET /orders'],
    ['one method of a narrower path', mine({ paths: [{ prefix: '/orders/1' }], methods: ['PUT'] }), 'GET /orders/1'],
    ['a wider path of a host', mine({ hosts: ['a.example'], paths: [{ prefix: '/' }] }), 'GET /orders on a.example'],
    ['a pattern of hosts', mine({ hosts: ['*.example'], paths: [{ prefix: '/' }] }), 'GET /orders'],
  ] as const) {
    it(`are found: ${what}`, () => {
      const taken = findTakenRequests([own], [wide], isTheirs);
      assert.ok(taken !== 'too-many');
      assert.deepEqual([taken?.by.id, taken?.from.id, taken?.example], ['mine', 'theirs', example]);
    });
  }

  it('are none beside, around, and where it has them already', () => {
    for (const own of [
      mine({ paths: [{ prefix: '/invoices' }] }),
      mine({ paths: [{ prefix: '/' }] }),
      mine({ paths: [{ prefix: '/ordersx' }] }),
    ]) {
      assert.equal(findTakenRequests([own], [wide], isTheirs), null);
    }
    const former = mine({ paths: [{ prefix: '/orders/1' }] });
    assert.equal(findTakenRequests([{ ...former, description: 'changed' }], [wide, former], isTheirs), null);
  });

  it('also of one that is disabled, which keeps its requests', () => {
    const taken = findTakenRequests(
      [mine({ paths: [{ prefix: '/orders/1' }] })],
      [{ ...wide, enabled: false }],
      isTheirs,
    );
    assert.ok(taken !== 'too-many');
    assert.equal(taken?.from.id, 'theirs');
  });

  it('are looked for where rules meet, however many endpoints and methods there are', () => {
    const methods = Array.from({ length: 32 }, (_, at) => `M${String(at)}`);
    const elsewhere = Array.from({ length: 3000 }, (_, at) =>
      theirs({ id: `their-${String(at)}`, hosts: ['b.example'], paths: [{ prefix: `/p/${String(at)}` }], methods }),
    );
    const hosts = Array.from({ length: 100 }, (_, at) => `h${String(at)}.example`);
    const paths = Array.from({ length: 100 }, (_, at): PathRule => ({ prefix: `/q/${String(at)}` }));
    assert.equal(findTakenRequests([mine({ hosts, paths, methods })], elsewhere, isTheirs), null);
    assert.equal(findTakenRequests([mine({ hosts, paths: [{ prefix: '/' }], methods })], elsewhere, isTheirs), null);
    const met = [...elsewhere.slice(0, 1000), theirs({ id: 'their-wide', paths: [{ prefix: '/q' }] })];
    const taken = findTakenRequests([mine({ hosts, paths, methods })], met, isTheirs);
    assert.notEqual(taken, 'too-many');
    assert.equal(taken === 'too-many' ? null : taken?.from.id, 'their-wide');
  });

  it('are refused to be looked for where that takes too long', () => {
    const methods = (from: number): readonly string[] => Array.from({ length: 32 }, (_, at) => `M${String(from + at)}`);
    const hosts = Array.from({ length: 100 }, (_, at) => `h${String(at)}.example`);
    const wide = { paths: [{ prefix: '/' }] } as const;
    // Theirs are behind an endpoint of hers on each host, so that she takes nothing.
    const own = hosts.map((host, at) => mine({ ...wide, id: `mine-${String(at)}`, hosts: [host] }));
    const many = Array.from({ length: 400 }, (_, at) =>
      theirs({ ...wide, id: `their-${String(at)}`, methods: methods(32 * at) }),
    );
    const changed = mine({ id: 'mine', hosts, paths: [{ prefix: '/a' }] });
    assert.equal(findTakenRequests([changed], [...own, ...many], isTheirs), 'too-many');
    assert.equal(findTakenRequests([changed], [...own, ...many.slice(0, 10)], isTheirs), null);
  });

  const segments = ['', '/a', '/a/b', '/a/b/c', '/d'];
  const hostNames = ['a.test', '*.test', '*.b.test', 'x.b.test'];
  const methodNames = ['GET', 'PUT'];
  const path = fc
    .tuple(fc.constantFrom(...segments), fc.boolean())
    .map(([text, isExact]): PathRule => (isExact ? { exact: text || '/' } : { prefix: text || '/' }));
  const parts = fc.record({
    hosts: fc.uniqueArray(fc.constantFrom(...hostNames), { maxLength: 2 }),
    paths: fc.array(path, { minLength: 1, maxLength: 2 }),
    methods: fc.uniqueArray(fc.constantFrom(...methodNames), { maxLength: 1 }),
  });

  it('are found whenever a request of others would go elsewhere, and only then', () => {
    fc.assert(
      fc.property(
        fc.array(parts, { minLength: 1, maxLength: 3 }),
        fc.array(parts, { maxLength: 2 }),
        parts,
        (a, b, c) => {
          const others = a.map((each, index) => theirs({ ...each, id: `their-${String(index)}` }));
          const own = b.map((each, index) => mine({ ...each, id: `mine-${String(index)}` }));
          const stored = [...others, ...own];
          const changed = mine({ ...c, id: 'mine-0' });
          const after = [...stored.filter(({ id }) => id !== changed.id), changed];
          fc.pre(findMatchCollisions(stored).length === 0 && findMatchCollisions(after).length === 0);
          const [then, now] = [compileEndpointTable(stored), compileEndpointTable(after)];
          let isMoved = false;
          for (const host of ['a.test', 'c.test', 'x.b.test', 'y.b.test', 'else']) {
            for (const at of ['/', '/a', '/a/b', '/a/b/c', '/a/b/c/d', '/a/x', '/a/b/x', '/d', '/d/e', '/else']) {
              for (const method of ['GET', 'PUT', 'DELETE']) {
                const from = then.find(host, at, method);
                if (from !== null && isTheirs(from) && now.find(host, at, method)?.id !== from.id) isMoved = true;
              }
            }
          }
          assert.equal(findTakenRequests([changed], stored, isTheirs) !== null, isMoved);
        },
      ),
      { numRuns: 600 },
    );
  });
});

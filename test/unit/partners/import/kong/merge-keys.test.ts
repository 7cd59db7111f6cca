import assert from 'node:assert/strict';
import fc from 'fast-check';
import { importKong } from '../../../../../src/partners/import/kong/import-kong.ts';
import { endpointOf, importText, linesOf, undecided } from './import-text.ts';

type Keys = Readonly<Record<string, unknown>>;

/** What a service, a route or a consumer may take over from another. */
const shared: fc.Arbitrary<Keys> = fc.record(
  {
    plugins: fc.constantFrom<readonly object[]>(
      [{ name: 'key-auth' }],
      [{ name: 'hmac-auth' }, { name: 'acl', config: { deny: ['blocked'] } }],
      [{ name: 'request-termination' }],
    ),
    enabled: fc.boolean(),
    hosts: fc.constantFrom(['x.com'], ['*.x.com']),
    methods: fc.constantFrom(['GET'], ['GET', 'POST']),
    acls: fc.constantFrom([{ group: 'blocked' }], [{ group: 'gold' }]),
  },
  { requiredKeys: [] },
);
const kinds = {
  services: ['plugins', 'enabled'],
  routes: ['plugins', 'hosts', 'methods'],
  consumers: ['plugins', 'acls'],
} as const;

/** The keys that an entity of this kind has in Kong. */
function only(keys: Keys, kind: keyof typeof kinds): Keys {
  return Object.fromEntries(Object.entries(keys).filter(([key]) => (kinds[kind] as readonly string[]).includes(key)));
}

describe('merge keys in a configuration of Kong', () => {
  it('keep what is inherited', () => {
    const imported = importText(`_format_version: "3.0"
services:
  - &protected { name: parcels, url: "http://parcels.internal", plugins: [{ name: key-auth }], routes: [{ name: a, paths: [/parcels] }] }
  - { <<: *protected, name: pallets, routes: [{ name: b, paths: [/pallets] }] }
`);
    assert.deepEqual(linesOf(imported.findings, 'error'), []);
    for (const id of ['a', 'b']) assert.equal(endpointOf(imported, id)['authentication'], 'key', id);
  });

  it('import as the same file written out', () => {
    fc.assert(
      fc.property(
        fc.array(shared, { minLength: 1, maxLength: 3 }),
        fc.record({ services: shared, routes: shared, consumers: shared }),
        fc.boolean(),
        (sources, own, isOneByOne) => {
          const bases = (kind: keyof typeof kinds): readonly Keys[] => sources.map((source) => only(source, kind));
          const fileOf = (entity: (kind: keyof typeof kinds, keys: Keys) => string): string => `_format_version: "3.0"
services: [${entity('services', { ...own.services, name: 's' })}]
routes: [${entity('routes', { ...own.routes, name: 'r', paths: ['/a'], service: 's' })}, { name: all, paths: [/] }]
consumers: [${entity('consumers', { ...own.consumers, username: 'c', keyauth_credentials: [{ key: 'the-key' }] })}]
`;
          const ownOf = (kind: keyof typeof kinds, keys: Keys): Keys => ({
            ...only(keys, kind),
            ...Object.fromEntries(
              Object.entries(keys).filter(([key]) =>
                ['name', 'paths', 'service', 'username', 'keyauth_credentials'].includes(key),
              ),
            ),
          });
          const written = fileOf((kind, keys) =>
            JSON.stringify(Object.assign({}, ...[...bases(kind)].reverse(), ownOf(kind, keys))),
          );
          const merged = fileOf((kind, keys) => {
            const texts = bases(kind).map((base) => JSON.stringify(base));
            const merge = isOneByOne
              ? texts.reduceRight((inner, text) => {
                  const fields = text.slice(1, -1);
                  return `{ ${fields}${fields === '' ? '' : ', '}<<: ${inner} }`;
                }, '{}')
              : `[${texts.join(', ')}]`;
            return `{ <<: ${merge}, ${JSON.stringify(ownOf(kind, keys)).slice(1)}`;
          });
          const [one, other] = [merged, written].map((text) => {
            const result = importKong({ file: 'kong.yaml', text }, undecided);
            if ('problems' in result) return result.problems.map(({ path, message }) => [path, message]);
            const { findings, ...rest } = result.imported;
            return { ...rest, findings: findings.map(({ path, what }) => `${path} ${what}`).sort() };
          });
          assert.deepEqual(one, other, merged);
        },
      ),
    );
  });
});

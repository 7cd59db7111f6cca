import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findAppKey } from '../../../../../src/check/methods/key/carriers.ts';
import type { KeyCarrier } from '../../../../../src/model/options/key-carrier.ts';
import { httpRequest } from '../../../../support/pipeline/check-request.ts';
import { importText, linesOf } from './import-text.ts';

/** One consumer for each key, named after where it stands, and a route that takes keys from one header. */
function fileWith(keys: readonly string[], config = 'key_names: [authorization], key_in_query: false') {
  return importText(`_format_version: "3.0"
routes: [{ name: a, paths: [/a], plugins: [{ name: key-auth, config: { ${config} } }] }]
consumers:
${keys.map((key, index) => `  - { username: c${String(index)}, keyauth_credentials: [{ key: ${JSON.stringify(key)} }] }`).join('\n')}
`);
}

type Imported = ReturnType<typeof fileWith>;

function carriersOf({ endpoints }: Imported): readonly KeyCarrier[] {
  return (endpoints[0]?.['options'] as { readonly keyNames: readonly KeyCarrier[] }).keyNames;
}

/** The consumers by their App Keys. */
function holdersOf({ consumers }: Imported): ReadonlyMap<string, unknown> {
  return new Map(
    consumers.flatMap(({ id, credentials }) =>
      ((credentials ?? []) as readonly { readonly appKey: string }[]).map(({ appKey }) => [appKey, id] as const),
    ),
  );
}

const keysOf = (imported: Imported): readonly string[] => [...holdersOf(imported).keys()];

describe('a key with a scheme word', () => {
  it('loses the word, which becomes part of the carrier', () => {
    const all = fileWith(['Bearer one', 'bearer two']);
    assert.deepEqual(keysOf(all), ['one', 'two']);
    assert.deepEqual(carriersOf(all), [{ header: 'authorization', scheme: 'Bearer' }]);
    assert.deepEqual([all.counts.error, all.counts.warning], [0, 1], 'the warning is of ids');
    assert.match(
      linesOf(all.findings, 'note').join('\n'),
      /takes keys after the word "Bearer" as it is written; here its case does not matter/,
    );
    const inQuery = fileWith(['Bearer one'], 'key_names: [authorization]');
    assert.deepEqual(carriersOf(inQuery), [{ header: 'authorization', scheme: 'Bearer' }]);
    assert.match(
      linesOf(inQuery.findings, 'warning').join('\n'),
      /takes keys with the word "Bearer" before them from the query too/,
    );
  });

  it('is imported only where most keys have that word: an endpoint would take it without, too', () => {
    for (const [keys, kept, carrier] of [
      [['Bearer one', 'two'], ['two'], { header: 'authorization' }],
      [['Bearer one', 'one'], ['one'], { header: 'authorization' }],
      [['Bearer one', 'Bearer two', 'three'], ['one', 'two'], { header: 'authorization', scheme: 'Bearer' }],
      [['Bearer one', 'Token two', 'token three'], ['two', 'three'], { header: 'authorization', scheme: 'Token' }],
      [['Bearer one', 'Token one'], ['one'], { header: 'authorization', scheme: 'Bearer' }],
    ] as const) {
      const imported = fileWith(keys);
      assert.deepEqual(keysOf(imported), kept, keys.join());
      assert.deepEqual(carriersOf(imported), [carrier], keys.join());
      assert.equal(imported.counts.error, keys.length - kept.length, keys.join());
      const [error] = imported.findings.filter(({ level }) => level === 'error');
      assert.match(
        error?.what ?? '',
        /has a "key" of another form than most keys of the file \(with a word before it, as in "Bearer abc", or without\), and an endpoint takes one form: it was left out$/,
      );
      assert.equal(error?.instead, 'issue another one: postern credential issue --method key');
    }
  });

  it('is left out where another one differs only in the case of the word', () => {
    const imported = fileWith(['Bearer one', 'bearer one', 'Bearer two']);
    assert.deepEqual(keysOf(imported), ['two']);
    assert.equal(imported.counts.error, 2);
    assert.match(
      linesOf(imported.findings, 'error').join('\n'),
      /differs from another one only in the case of its word/,
    );
  });

  it('does not count for the form when it cannot be an App Key', () => {
    const imported = fileWith(['Bearer one', 'a+b', 'c d e', '${KEY}']);
    assert.deepEqual(keysOf(imported), ['one']);
    assert.deepEqual(carriersOf(imported), [{ header: 'authorization', scheme: 'Bearer' }]);
  });

  it('lets nobody in with what Kong would not take, whatever the keys', () => {
    const key = fc
      .tuple(fc.constantFrom('', '', 'Bearer ', 'bearer ', 'Token '), fc.constantFrom('one', 'two', 'three', 'four'))
      .map(([word, bare]) => word + bare);
    fc.assert(
      fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 6 }), key, (keys, sent) => {
        const imported = fileWith(keys);
        const appKey = findAppKey(httpRequest({ headers: [['authorization', sent]] }), null, carriersOf(imported));
        const holder = typeof appKey === 'string' ? holdersOf(imported).get(appKey) : undefined;
        if (holder === undefined) return;
        const letIn = keys.flatMap((each, index) =>
          each.toLowerCase() === sent.toLowerCase() ? [`c${String(index)}`] : [],
        );
        assert.deepEqual([holder], letIn, `${keys.join()} <- ${sent}`);
      }),
    );
  });
});

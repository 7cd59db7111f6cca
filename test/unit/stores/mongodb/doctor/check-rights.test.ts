import assert from 'node:assert/strict';
import fc from 'fast-check';
import { checkRights } from '../../../../../src/stores/mongodb/doctor/check-rights.ts';
import { neededRights, type RightsUse } from '../../../../../src/stores/mongodb/rights.ts';

interface Privilege {
  readonly resource: Readonly<Record<string, unknown>>;
  readonly actions: readonly string[];
}

describe('the rights of a MongoDB user', () => {
  const here = { database: 'postern', isFixing: false };
  const privilegesOf = (use: RightsUse): readonly Privilege[] =>
    neededRights[use].map(({ collection, actions }) => ({ resource: { db: 'postern', collection }, actions }));

  function found(
    privileges: readonly Privilege[] | null,
    roles: readonly string[] = [],
    within = here,
  ): readonly string[] {
    return checkRights({ user: 'u', roles, privileges }, within).map(({ level, message }) => `${level}: ${message}`);
  }

  it('are looked at by what the user may do when its roles have other names', () => {
    const serve = 'ok: the user u has all for "postern serve"';
    const commands = 'ok: the user u has all for commands and "postern manage"';
    assert.deepEqual(found(privilegesOf('service'), ['ours']), [serve]);
    assert.deepEqual(found(privilegesOf('operator'), ['ours']), [commands]);
    assert.deepEqual(found([...privilegesOf('service'), ...privilegesOf('operator')]), [serve, commands]);
    const onAll = { resource: { anyResource: true }, actions: ['anyAction'] };
    assert.deepEqual(found([onAll]), [serve, commands]);
    assert.deepEqual(
      found([onAll], [], { ...here, isFixing: true }).at(-1),
      'ok: the user u has all for "postern doctor --fix"',
    );
  });

  it('of another database, or of other collections, do not count', () => {
    const elsewhere = privilegesOf('service').map((each) => ({ ...each, resource: { ...each.resource, db: 'other' } }));
    const missing = neededRights.service.length;
    for (const privileges of [[], elsewhere, [{ resource: { cluster: true }, actions: ['find'] }]]) {
      assert.equal(found(privileges).filter((line) => line.startsWith('fault: for "postern serve"')).length, missing);
    }
  });

  it('that a server does not tell are a warning', () => {
    assert.deepEqual(found(null), [
      'warning: the server does not say what the user u may do, so its rights were not compared',
    ]);
  });

  it('that are missing are named, whichever they are', () => {
    const actionsOf = neededRights.service.flatMap(({ collection, actions }) =>
      actions.map((action) => ({ collection, action })),
    );
    fc.assert(
      fc.property(fc.subarray(actionsOf), (given) => {
        const privileges = given.map(({ collection, action }) => ({
          resource: { db: 'postern', collection },
          actions: [action],
        }));
        const said = found(privileges, ['posternService']).join('\n');
        for (const { collection, action } of actionsOf) {
          const isGiven = given.some((each) => each.collection === collection && each.action === action);
          const named = new RegExp(`lacks [^:]*\\b${action}\\b[^:]* on ${collection}:`);
          assert.equal(named.test(said), !isGiven, `${action} on ${collection}`);
        }
      }),
      { numRuns: 50 },
    );
  });
});

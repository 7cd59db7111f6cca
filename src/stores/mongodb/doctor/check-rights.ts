import { fault, fine, type Finding, warning } from '../../../base/finding.ts';
import { printable } from '../../../base/text/printable.ts';
import { describeRight, missingRights, neededRights, type RightsUse, roleNames, type UserRights } from '../rights.ts';

const SUBJECT = 'rights';
const ADVICE =
  'as an administrator, run deploy/mongodb/roles.js of this version again: it updates the roles; or give your own role these rights';

const needs = {
  service: '"postern serve"',
  operator: 'commands and "postern manage"',
  migrator: '"postern doctor --fix"',
} as const satisfies Record<RightsUse, string>;

/**
 * Compares what a user may do in a database with what this version needs: one fault for each collection. What the user
 * is for follows from its roles or, for roles of the operator's own, from what it may do.
 */
export function checkRights(
  rights: UserRights,
  { database, isFixing }: { readonly database: string; readonly isFixing: boolean },
): readonly Finding[] {
  const user = printable(rights.user);
  if (rights.privileges === null) {
    const message = `the server does not say what the user ${user} may do, so its rights were not compared`;
    return [warning(SUBJECT, message, 'compare them with deploy/mongodb/roles.js')];
  }
  return usesOf(rights, database, isFixing).flatMap((use) => {
    const missing = missingRights(use, database, rights);
    if (missing.length === 0) return [fine(SUBJECT, `the user ${user} has all for ${needs[use]}`)];
    return missing.map((each) =>
      fault(SUBJECT, `for ${needs[use]} the user ${user} lacks ${describeRight(each)}`, ADVICE),
    );
  });
}

function usesOf(rights: UserRights, database: string, isFixing: boolean): readonly RightsUse[] {
  const all = Object.keys(neededRights) as RightsUse[];
  const named = all.filter((use) => rights.roles.includes(roleNames[use]));
  const held = named.length > 0 ? named : usesByRights(rights, database);
  return all.filter((use) => held.includes(use) || (use === 'migrator' && isFixing));
}

/** Only `serve` follows endpoints, and only operators change them. */
function usesByRights(rights: UserRights, database: string): readonly RightsUse[] {
  const lacks = (use: RightsUse, action: string): boolean =>
    missingRights(use, database, rights).some(
      ({ collection, actions }) => collection === 'endpoints' && actions.includes(action),
    );
  const changes = !lacks('operator', 'insert');
  const follows = !lacks('service', 'changeStream');
  return [...(follows || !changes ? (['service'] as const) : []), ...(changes ? (['operator'] as const) : [])];
}

import type { Credential } from '../../model/credential.ts';
import { type CompiledIssuer, compiledIssuer, type Issuer } from '../../model/issuer.ts';
import type { IssuerTable } from './check-store.ts';

/** The names of the claims that credentials have, each set once, by the id of their issuer. */
export type ClaimNames = ReadonlyMap<string, CompiledIssuer['claimNames']>;

/** The names of the claims of some credentials, for all of their issuers. */
export function claimNamesIn(credentials: readonly Pick<Credential, 'material'>[]): ClaimNames {
  const found = new Map<string, Map<string, readonly string[]>>();
  for (const { material } of credentials) {
    if (material.kind !== 'token-claims') continue;
    const names = Object.keys(material.claims).sort();
    const ofIssuer = found.get(material.issuerId) ?? new Map<string, readonly string[]>();
    found.set(material.issuerId, ofIssuer.set(JSON.stringify(names), names));
  }
  return new Map([...found].map(([id, sets]) => [id, [...sets.values()]]));
}

/** Of a store without issuers: every token of one is unknown. */
export const noIssuers: IssuerTable = { find: () => null, all: [] };

/**
 * Compiles issuers for look-ups by `iss`. Disabled ones are left out, so that their tokens are unknown. One of which
 * nothing changed since `former` is the same object again: tokens that were verified by it stay so.
 */
export function compileIssuers(
  issuers: readonly Issuer[],
  claimNames: ClaimNames,
  former: IssuerTable = noIssuers,
): IssuerTable {
  const all = issuers.filter(({ enabled }) => enabled);
  if (all.length === 0) return noIssuers;
  const compiled = all.map((issuer) => {
    const made = compiledIssuer(issuer, claimNames.get(issuer.id) ?? []);
    const known = former.find(made.issuer);
    return known !== null && isSame(known, made) ? known : made;
  });
  const byIssuer = new Map(compiled.map((each) => [each.issuer, each]));
  return { find: (issuer) => byIssuer.get(issuer) ?? null, all: compiled };
}

/** By the same record: keys that are read anew count as others. Names of claims are equal texts in the same order. */
function isSame(one: CompiledIssuer, other: CompiledIssuer): boolean {
  const { claimNames: names, ...fields } = one;
  return (
    JSON.stringify(names) === JSON.stringify(other.claimNames) &&
    Object.entries(fields).every(([name, value]) => value === other[name as keyof typeof fields])
  );
}

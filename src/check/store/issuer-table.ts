import { type CompiledIssuer, compiledIssuer, type Issuer } from '../../model/issuer.ts';
import type { IssuerTable } from './check-store.ts';

/** The names of the claims that credentials have, each set once, by the id of their issuer. */
export type ClaimNames = ReadonlyMap<string, CompiledIssuer['claimNames']>;

/** Of a store without issuers: every token of one is unknown. */
export const noIssuers: IssuerTable = { find: () => null, all: [] };

/** Compiles issuers for look-ups by `iss`. Disabled ones are left out, so that their tokens are unknown. */
export function compileIssuers(issuers: readonly Issuer[], claimNames: ClaimNames): IssuerTable {
  const all = issuers.filter(({ enabled }) => enabled);
  if (all.length === 0) return noIssuers;
  const compiled = all.map((issuer) => compiledIssuer(issuer, claimNames.get(issuer.id) ?? []));
  const byIssuer = new Map(compiled.map((each) => [each.issuer, each]));
  return { find: (issuer) => byIssuer.get(issuer) ?? null, all: compiled };
}

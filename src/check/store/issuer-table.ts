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

/** Compiles issuers for look-ups by `iss`. Disabled ones are left out, so that their tokens are unknown. */
export function compileIssuers(issuers: readonly Issuer[], claimNames: ClaimNames): IssuerTable {
  const all = issuers.filter(({ enabled }) => enabled);
  if (all.length === 0) return noIssuers;
  const compiled = all.map((issuer) => compiledIssuer(issuer, claimNames.get(issuer.id) ?? []));
  const byIssuer = new Map(compiled.map((each) => [each.issuer, each]));
  return { find: (issuer) => byIssuer.get(issuer) ?? null, all: compiled };
}

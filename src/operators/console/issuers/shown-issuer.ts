import { url } from '../frame/html.ts';
import type { Shown, Visit } from '../frame/page.ts';

/** An issuer as `GET /v1/issuers/ID` shows it. */
export interface ShownIssuer {
  readonly id: string;
  readonly description?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly issuer: string;
  readonly jwksUri?: string;
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  readonly audiences: readonly string[];
  readonly algorithms?: readonly string[];
  readonly clockSkewSeconds?: number;
  readonly requiredClaims?: Readonly<Record<string, string | readonly string[]>>;
  readonly enabled: boolean;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The issuer that the path names (`:id`). Throws `ProblemAnswer`. */
export async function readIssuer({ api, param }: Visit): Promise<ShownIssuer> {
  return await api.get<ShownIssuer>(url`/v1/issuers/${param('id')}`);
}

/** The way from the list to an issuer, for pages below it. */
export function issuerTrail(id: string): NonNullable<Shown['trail']> {
  return [
    { href: '/issuers', text: 'Issuers' },
    { href: url`/issuers/${id}`, text: id },
  ];
}

/** Required claims, one on each line: `tenant=acme`; a name has a line for each value. */
export function claimLines(claims: ShownIssuer['requiredClaims']): readonly string[] {
  return Object.entries(claims ?? {}).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : value).map((each) => `${name}=${each}`),
  );
}

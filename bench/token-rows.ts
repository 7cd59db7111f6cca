import { allowedByToken } from './expectations.ts';
import { tokenEndpoint } from './fixtures/document.ts';
import { tokenRequest } from './requests/token-requests.ts';
import type { Row } from './row.ts';

/** Tokens in turn: so few that all are remembered, or more than are. */
const variety = { known: 1000, fresh: 25_000 } as const;

/** A prime: requests go all over the list of partners. */
const STRIDE = 7919;

/** Access tokens, compared like the key checks. */
export const tokenRows: readonly Row[] = [
  tokenRow('bearer', 'Postern: access token, seen before', variety.known),
  { ...tokenRow('bearer-new', 'Postern: access token, new each time', variety.fresh), isSlow: true },
];

function tokenRow(name: string, title: string, count: number): Row {
  return {
    name,
    title,
    peer: 'postern-tokens',
    messages: ({ partners, edit }) =>
      Array.from({ length: count }, (_, at) => partners[(at * STRIDE) % partners.length])
        .filter((partner) => partner !== undefined)
        .map((partner) => edit(tokenRequest(partner))),
    expect: allowedByToken(tokenEndpoint.id),
  };
}

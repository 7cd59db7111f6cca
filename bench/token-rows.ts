import { allowedByToken } from './expectations.ts';
import { issuerEndpoint, issuerPair, tokenEndpoint } from './fixtures/document.ts';
import type { PeerName } from './peers/peers.ts';
import { issuerTokenRequest } from './requests/issuer-tokens.ts';
import { tokenRequest } from './requests/token-requests.ts';
import type { Row } from './row.ts';

/** Tokens in turn: so few that all are remembered, or more than are, and more than a load sends. */
const variety = { known: 1000, fresh: 25_000 } as const;

const fresh = { isNewEachLoad: true, isSlow: true } as const;

/** A prime: requests go all over the list of partners. */
const STRIDE = 7919;

/** Access tokens, compared like the key checks. */
export const tokenRows: readonly Row[] = [
  tokenRow('bearer', 'Postern: access token, seen before', variety.known),
  { ...tokenRow('bearer-new', 'Postern: access token, new each time', variety.fresh), ...fresh },
  issuerRow('jwt-remembered', 'Postern: token of an issuer, seen before', 'postern-tokens', variety.known),
  {
    ...issuerRow('jwt-new', 'Postern: token of an issuer by ES256, new each time', 'postern-new-tokens', variety.fresh),
    ...fresh,
  },
];

/** Tokens of an issuer: what is new of them is verified by ES256. */
function issuerRow(name: string, title: string, peer: PeerName, count: number): Row {
  return {
    name,
    title,
    peer,
    baselines: { grpcGo: 'grpc-go-key', key: 'key', verifyNode: 'verify-node-p256' },
    messages: ({ partners, keyPairs, edit }) => {
      const pair = issuerPair(keyPairs);
      return Array.from({ length: count }, (_, at) => partners[(at * STRIDE) % partners.length])
        .filter((partner) => partner !== undefined)
        .map((partner) => edit(issuerTokenRequest(partner, pair)));
    },
    expect: allowedByToken(issuerEndpoint.id),
  };
}

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

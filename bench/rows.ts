import { endpoints, fillerCount, fillerPath } from './fixtures/document.ts';
import { endpointCounts } from './fixtures/files.ts';
import { type Partner, spread } from './fixtures/partners.ts';
import { allowedAs, allowedWithinLimit, anyAllow, refusedWith } from './expectations.ts';
import { type PeerName } from './peers/peers.ts';
import { type Baselines, type Expectation, type RequestPorts, type Row } from './row.ts';
import { signatureRows } from './signature-rows.ts';
import { tokenRows } from './token-rows.ts';

/** What rows are compared with unless they name others; the baselines of a row are measured whenever it is. */
const keyBaselines: Baselines = { grpcJs: 'grpc-js-full', grpcGo: 'grpc-go-key' };

/** How many different messages a row sends in turn. */
const VARIETY = 1000;
/** Has the form of an App Key, and nobody holds it. */
const UNKNOWN_KEY = 'ffffffffffffffffffffffffffffffff';

/** Every row, in the order in which they are measured and shown. */
export const rows: readonly Row[] = [
  keyRow('grpc-js-full', 'grpc-js-full', 'grpc-js, empty handler, full ts-proto decoding', anyAllow),
  slow(keyRow('grpc-js-lazy', 'grpc-js-lazy', "grpc-js, empty handler, Postern's lazy decoding", anyAllow)),
  slow(keyRow('grpc-go-empty', 'grpc-go-empty', 'grpc-go, empty handler', anyAllow)),
  { ...keyRow('grpc-go-key', 'grpc-go-key', 'grpc-go, the same key check', allowedAs('orders')), sameAnswerAs: 'key' },
  keyRow('key', 'postern', 'Postern: key, allowed', allowedAs('orders')),
  {
    name: 'key-refused',
    title: 'Postern: key, refused',
    peer: 'postern',
    messages: ({ edit }) => [edit({ path: target(endpoints.orders.path, UNKNOWN_KEY) })],
    expect: refusedWith('AUTHENTICATION_FAILED'),
  },
  limitRow('limit', 'postern', 'Postern: key, two limits in process'),
  slow(limitRow('limit-service', 'postern-rate-limits', 'Postern: key, two limits over the rate limit service')),
  slow(endpointsRow('endpoints-10', 'postern', endpointCounts.few)),
  slow(endpointsRow('endpoints-10000', 'postern-endpoints', endpointCounts.many)),
  slow(keyRow('key-grpc-js', 'postern-grpc-js', 'Postern: key, grpc-js transport', allowedAs('orders'))),
  ...tokenRows,
  ...signatureRows,
];

/** The names of the rows that a row is compared with. */
export function baselinesOf(row: Row): Baselines {
  return row.baselines ?? keyBaselines;
}

/**
 * Rows with the same baselines are measured together, round after round; groups one after the other, so that few
 * services run at a time and signatures are fresh.
 */
export function groupRows(list: readonly Row[]): readonly (readonly Row[])[] {
  const groups = new Map<string, Row[]>();
  for (const row of list) {
    const { grpcGo } = baselinesOf(row);
    const group = groups.get(grpcGo);
    if (group === undefined) groups.set(grpcGo, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

function slow(row: Row): Row {
  return { ...row, isSlow: true };
}

/** Partners with good keys ask for one endpoint. */
function keyRow(name: string, peer: PeerName, title: string, expect: Expectation): Row {
  const messages = ({ partners, edit }: RequestPorts): readonly Buffer[] =>
    spread(partners, VARIETY).map(({ appKey }) => edit({ path: target(endpoints.orders.path, appKey) }));
  return { name, title, peer, messages, expect };
}

/** Partners with good keys ask for an endpoint with a limit for each of them and one for all. */
function limitRow(name: string, peer: PeerName, title: string): Row {
  const messages = ({ partners, edit }: RequestPorts): readonly Buffer[] =>
    spread(partners, VARIETY).map(({ appKey }) => edit({ path: target(endpoints.limited.path, appKey) }));
  return { name, title, peer, messages, expect: allowedWithinLimit('limited') };
}

/** Partners with good keys ask for endpoints all over a table of this size. */
function endpointsRow(name: string, peer: PeerName, endpointCount: number): Row {
  const fillers = fillerCount(endpointCount);
  return {
    name,
    title: `Postern: key, any of ${String(endpointCount)} endpoints`,
    peer,
    messages: ({ partners, edit }) =>
      spread(partners, VARIETY).map(({ appKey }: Partner, at) =>
        edit({ path: target(fillerPath(Math.floor((at * fillers) / VARIETY)), appKey) }),
      ),
    expect: allowedAs('filler-0'),
  };
}

function target(path: string, appKey: string): string {
  return `${path}/2026-1042?appKey=${appKey}&page=2&fields=id%2Cstatus`;
}

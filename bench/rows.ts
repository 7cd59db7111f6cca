import { envoyRows } from './envoy-rows.ts';
import { certificateCallers, certificateEndpoint, endpoints, fillerCount, fillerPath } from './fixtures/document.ts';
import { endpointCounts } from './fixtures/files.ts';
import { partnerCount } from './fixtures/partners.ts';
import { allowedAs, allowedByCertificate, allowedWithinLimit, anyAllow, refusedWith } from './expectations.ts';
import { messageRows } from './message-rows.ts';
import { type PeerName } from './peers/peers.ts';
import { keyMessages, keyTarget, partnerMessages } from './requests/key-requests.ts';
import { type Baselines, type Expectation, type Row } from './row.ts';
import { signatureRows } from './signature-rows.ts';
import { tokenRows } from './token-rows.ts';

/** What rows are compared with unless they name others; the baselines of a row are measured whenever it is. */
const keyBaselines: Baselines = { grpcJs: 'grpc-js-full', grpcGo: 'grpc-go-key', tonic: 'tonic-key' };

/** Has the form of an App Key, and is that of no credential. */
const UNKNOWN_KEY = 'ffffffffffffffffffffffffffffffff';
/** One function, so that the messages are written once. */
const orders = keyMessages(endpoints.orders.path);

/** Every row, in the order in which they are measured and shown. */
export const rows: readonly Row[] = [
  keyRow('grpc-js-full', 'grpc-js-full', 'grpc-js, empty handler, full ts-proto decoding', anyAllow),
  slow(keyRow('grpc-js-lazy', 'grpc-js-lazy', "grpc-js, empty handler, Postern's lazy decoding", anyAllow)),
  slow(keyRow('grpc-go-empty', 'grpc-go-empty', 'grpc-go, empty handler', anyAllow)),
  { ...keyRow('grpc-go-key', 'grpc-go-key', 'grpc-go, the same key check', allowedAs('orders')), sameAnswerAs: 'key' },
  { ...keyRow('tonic-key', 'tonic-key', 'tonic, the same key check', allowedAs('orders')), sameAnswerAs: 'key' },
  keyRow('key', 'postern', 'Postern: key, allowed', allowedAs('orders')),
  {
    name: 'key-refused',
    title: 'Postern: key, refused',
    peer: 'postern',
    messages: ({ edit }) => [edit({ path: keyTarget(endpoints.orders.path, UNKNOWN_KEY) })],
    expect: refusedWith('AUTHENTICATION_FAILED'),
  },
  limitRow('limit', endpoints.limited, 'postern', 'Postern: key, two limits in process'),
  slow(
    limitRow(
      'limit-service',
      endpoints.limited,
      'postern-rate-limits',
      'Postern: key, two questions to the rate limit service',
    ),
  ),
  slow(
    limitRow(
      'limit-service-once',
      endpoints.limitedOnce,
      'postern-rate-limits',
      'Postern: key, one question to the rate limit service',
    ),
  ),
  slow(endpointsRow('endpoints-10', 'postern', endpointCounts.few)),
  slow(endpointsRow('endpoints-10000', 'postern-endpoints', endpointCounts.many)),
  slow(keyRow('key-grpc-js', 'postern-grpc-js', 'Postern: key, grpc-js transport', allowedAs('orders'))),
  ...everyCallerRows(),
  ...tokenRows,
  {
    name: 'certificate',
    title: 'Postern: client certificate, seen before',
    peer: 'postern-certificates',
    messages: ({ partners, keyPairs, edit }) =>
      certificateCallers(partners).map((partner) =>
        edit({ path: keyTarget(certificateEndpoint.path, null), certificate: keyPairs.certificateOf(partner) }),
      ),
    expect: allowedByCertificate(certificateEndpoint.id),
  },
  ...signatureRows,
  ...messageRows,
  ...envoyRows,
];

/** The names of the rows that a row is compared with. */
export function baselinesOf(row: Row): Baselines {
  return row.baselines ?? keyBaselines;
}

/**
 * The rows of a group are measured together, round after round; groups one after the other, so that few services run at
 * a time and signatures are fresh.
 */
export function groupRows(list: readonly Row[]): readonly (readonly Row[])[] {
  const groups = new Map<string, Row[]>();
  for (const row of list) {
    const name = row.group ?? baselinesOf(row).grpcGo ?? row.name;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

function slow(row: Row): Row {
  return { ...row, isSlow: true };
}

/** Partners with good keys ask for one endpoint. */
function keyRow(name: string, peer: PeerName, title: string, expect: Expectation): Row {
  return { name, title, peer, messages: orders, expect };
}

/** Every partner asks for one endpoint, at random: what records cost that are in no cache of the processor. */
function everyCallerRows(): readonly Row[] {
  const messages = keyMessages(endpoints.orders.path, partnerCount);
  const baselines: Baselines = { grpcGo: 'grpc-go-key-10k', tonic: 'tonic-key-10k' };
  const rowOf = (name: string, peer: PeerName, who: string): Row =>
    slow({
      ...keyRow(`${name}-10k`, peer, `${who}, 10 000 callers at random`, allowedAs('orders')),
      messages,
      baselines,
      ...(name === 'key' ? {} : { sameAnswerAs: 'key-10k' }),
    });
  return [
    rowOf('grpc-go-key', 'grpc-go-key', 'grpc-go: key'),
    rowOf('tonic-key', 'tonic-key', 'tonic: key'),
    rowOf('key', 'postern', 'Postern: key'),
  ];
}

/** Partners with good keys ask for an endpoint with limits. */
function limitRow(
  name: string,
  { id, path }: (typeof endpoints)[keyof typeof endpoints],
  peer: PeerName,
  title: string,
): Row {
  return { name, title, peer, messages: keyMessages(path), expect: allowedWithinLimit(id) };
}

/** Partners with good keys ask for endpoints all over a table of this size. */
function endpointsRow(name: string, peer: PeerName, endpointCount: number): Row {
  const fillers = fillerCount(endpointCount);
  return {
    name,
    title: `Postern: key, any of ${String(endpointCount)} endpoints`,
    peer,
    messages: partnerMessages(({ appKey }, at) => keyTarget(fillerPath(Math.floor(at * fillers)), appKey)),
    expect: allowedAs('filler-0'),
  };
}

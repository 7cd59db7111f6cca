import { forwarded, forwardedAs } from './expectations.ts';
import { endpoints } from './fixtures/document.ts';
import type { PeerName } from './peers/peers.ts';
import { keyMessages, keyTarget, partnerMessages } from './requests/key-requests.ts';
import type { Row } from './row.ts';
import { hmacMessages, hmacSizes, signedRow } from './signature-rows.ts';

/** The baseline of the key rows, and the name of their group. */
const KEY_GROUP = 'envoy-grpc-go-key';
const key = { messages: keyMessages(endpoints.orders.path), expect: forwardedAs('first partner') } as const;
const open = {
  messages: partnerMessages(() => keyTarget(endpoints.status.path, null)),
  expect: forwardedAs('anonymous'),
} as const;

/** HTTP requests through a real Envoy; the figure is the CPU time of the service behind it for one request. */
export const envoyRows: readonly Row[] = [
  ...rowsOf('open', { ...open, title: 'open', own: 'postern', unix: 'postern-unix', grpcGo: 'grpc-go-open' }),
  ...rowsOf('key', {
    ...key,
    title: 'key',
    own: 'postern',
    unix: 'postern-unix',
    grpcGo: 'grpc-go-key',
    tonic: 'tonic-key',
  }),
  {
    ...key,
    name: 'envoy-key-two',
    title: 'two processes of Postern behind Envoy: key',
    peer: 'postern',
    through: 'committed',
    processes: 2,
    baselines: { grpcGo: KEY_GROUP },
    sameAnswerAs: 'envoy-key',
    isSlow: true,
  },
  {
    ...key,
    name: 'envoy-plain',
    title: 'Envoy itself, with no filter but the router',
    peer: 'backend',
    through: 'plain',
    baselines: {},
    group: KEY_GROUP,
    expect: forwarded,
  },
  ...hmacSizes.flatMap((size) => {
    const isSmall = size.bodyBytes === 0;
    const rows = rowsOf(`hmac${size.suffix}`, {
      messages: hmacMessages(size),
      isSigned: true,
      expect: forwardedAs('first partner'),
      title: `hmac, ${size.title}`,
      own: 'postern-signatures',
      grpcGo: 'grpc-go-hmac',
      tonic: 'tonic-hmac',
    });
    // Bodies do not come 1000 a second.
    return isSmall
      ? rows
      : rows.map((row): Row => ({ ...row, ...signedRow(size), isSlow: true, loads: ['saturated'] }));
  }),
];

/** What the rows of Postern and its peers have in common, and which services they are about. */
interface Alike extends Pick<Row, 'title' | 'messages' | 'isSigned' | 'expect'> {
  readonly own: PeerName;
  /** The same, with a Unix socket between Envoy and Postern. */
  readonly unix?: PeerName;
  readonly grpcGo: PeerName;
  readonly tonic?: PeerName;
}

/** The row of Postern and those of its peers, which are sent the same requests. */
function rowsOf(name: string, { title, own, unix, grpcGo, tonic, ...alike }: Alike): readonly Row[] {
  const sameAnswerAs = `envoy-${name}`;
  const baselines = {
    grpcGo: `envoy-grpc-go-${name}`,
    ...(tonic === undefined ? {} : { tonic: `envoy-tonic-${name}` }),
  };
  const row = (rowName: string, peer: PeerName, who: string): Row => ({
    ...alike,
    name: rowName,
    title: `${who} behind Envoy: ${title}`,
    peer,
    through: 'committed',
    baselines,
    ...(rowName === sameAnswerAs ? {} : { sameAnswerAs }),
  });
  const slowRow = (rowName: string, peer: PeerName | undefined, who: string): readonly Row[] =>
    peer === undefined ? [] : [{ ...row(rowName, peer, who), isSlow: true }];
  return [
    row(baselines.grpcGo, grpcGo, 'grpc-go'),
    ...slowRow(`envoy-tonic-${name}`, tonic, 'tonic'),
    row(sameAnswerAs, own, 'Postern'),
    ...slowRow(`envoy-${name}-unix`, unix, 'Postern on a Unix socket'),
  ];
}

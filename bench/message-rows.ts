import { allowedBySignature, anyAllow } from './expectations.ts';
import { messageEndpoint } from './fixtures/document.ts';
import { type KeyKind, keyKinds, keyTitles } from './fixtures/key-pairs.ts';
import { spread } from './fixtures/partners.ts';
import type { PeerName } from './peers/peers.ts';
import { type SignedMessage, signMessage } from './requests/message-requests.ts';
import { octets } from './requests/signed-requests.ts';
import type { Baselines, RequestPorts, Row } from './row.ts';

const VARIETY = 1000;
const KIB = 1024;
/** Measured with the key checks, which are a part of what these cost. */
const GROUP = 'grpc-go-key';

interface Size {
  /** What row names end with. */
  readonly suffix: string;
  readonly title: string;
  readonly bodyBytes: number;
}

const sizes: readonly Size[] = [
  { suffix: '', title: 'no body', bodyBytes: 0 },
  { suffix: '-1k', title: '1 KiB', bodyBytes: KIB },
];

/** Names of rows with message signatures: method, kind of key and size of the body. */
export const messageRowNames = keyKinds.flatMap((kind) => sizes.map(({ suffix }) => ({ kind, suffix })));

/** What a row of message signatures is compared with. */
export function messageBaselines(
  kind: KeyKind,
  suffix: string,
): Required<Pick<Baselines, 'grpcGo' | 'key' | 'verifyNode' | 'verifyGo'>> {
  return {
    grpcGo: `grpc-go-${messageRowName(kind, suffix)}`,
    key: 'key',
    verifyNode: `verify-node-${kind}`,
    verifyGo: `verify-go-${kind}`,
  };
}

/** The name of Postern's row. */
export function messageRowName(kind: KeyKind, suffix: string): string {
  return `http-message-signature-${kind}${suffix}`;
}

/** Requests that are signed with private keys (RFC 9421), and their signatures alone. */
export const messageRows: readonly Row[] = keyKinds.flatMap((kind) => [
  ...sizes.flatMap((size) => signedRows(kind, size)),
  verifyRow(kind, 'verify-node', 'node:crypto: the signature alone'),
  verifyRow(kind, 'verify-go', "Go's standard library: the signature alone"),
]);

/** Requests without a body, signed with keys of a kind. */
export function messagesToSign(kind: KeyKind): Row['messages'] {
  return (ports) => signAll(ports, kind, 0).map(({ request }) => ports.edit(request));
}

/** Postern and its peer are sent the same messages and must answer the same. */
function signedRows(kind: KeyKind, { suffix, title, bodyBytes }: Size): readonly Row[] {
  const name = messageRowName(kind, suffix);
  const baselines = messageBaselines(kind, suffix);
  const messages: Row['messages'] = (ports) =>
    signAll(ports, kind, bodyBytes).map(({ request }) => ports.edit(request));
  const rowOf = (rowName: string, peer: PeerName, what: string): Row => ({
    name: rowName,
    title: `${what}, ${keyTitles[kind]}, ${title}`,
    peer,
    messages,
    isSigned: true,
    baselines,
    group: GROUP,
    isSlow: true,
    expect: allowedBySignature(messageEndpoint.id, { bodyIs: 'original' }),
  });
  return [
    { ...rowOf(baselines.grpcGo, `grpc-go-${kind}`, 'grpc-go, message signature'), sameAnswerAs: name },
    rowOf(name, `postern-${kind}`, 'Postern: message signature'),
  ];
}

/** Signatures of requests without a body; one line more of the base changes nothing that can be measured. */
function verifyRow(kind: KeyKind, peer: 'verify-node' | 'verify-go', what: string): Row {
  return {
    name: `${peer}-${kind}`,
    title: `${what}, ${keyTitles[kind]}`,
    peer,
    isAlone: true,
    messages: (ports) => signAll(ports, kind, 0).map(({ alone }) => Buffer.from(JSON.stringify(alone))),
    baselines: {},
    group: GROUP,
    isSlow: true,
    expect: anyAllow,
  };
}

function signAll({ partners, keyPairs }: RequestPorts, kind: KeyKind, bodyBytes: number): readonly SignedMessage[] {
  return spread(partners, VARIETY).map((partner, at) => {
    const content = bodyBytes === 0 ? null : octets(bodyBytes, at);
    return signMessage(partner, at, content, { kind, pair: keyPairs.of(kind, partner) });
  });
}

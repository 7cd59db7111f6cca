import { allowedBySignature, anyAllow } from './expectations.ts';
import { signedEndpoints } from './fixtures/document.ts';
import { callersOf, type Partner, partnerCount } from './fixtures/partners.ts';
import type { PeerName } from './peers/peers.ts';
import type { CheckEdit } from './requests/edit-check.ts';
import { type Content, form, hmacRequest, json, octets, parametersRequest } from './requests/signed-requests.ts';
import type { Baselines, RequestPorts, Row } from './row.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** How rows of one size of body are measured: large messages are few, so that a run stays short and fits into memory. */
export interface Size {
  /** What row names end with. */
  readonly suffix: string;
  /** In a table. */
  readonly title: string;
  readonly bodyBytes: number;
  readonly variety: number;
  readonly atMost: { readonly callsAtOnce: number; readonly checks: number };
  readonly isInQuick: boolean;
}

const none: Size = {
  suffix: '',
  title: 'no body',
  bodyBytes: 0,
  variety: 1000,
  atMost: { callsAtOnce: 100, checks: 8000 },
  isInQuick: true,
};
const oneKiB: Size = { ...none, suffix: '-1k', title: '1 KiB', bodyBytes: KIB, isInQuick: false };
const wrapperSizes: readonly Size[] = [
  {
    suffix: '-100k',
    title: '100 KiB',
    bodyBytes: 100 * KIB,
    variety: 100,
    atMost: { callsAtOnce: 20, checks: 1000 },
    isInQuick: true,
  },
  {
    suffix: '-1m',
    title: '1 MiB',
    bodyBytes: MIB,
    variety: 20,
    atMost: { callsAtOnce: 8, checks: 150 },
    isInQuick: false,
  },
];
/** The largest body that Postern takes. */
export const tenMiB: Size = {
  suffix: '-10m',
  title: '10 MiB',
  bodyBytes: 10 * MIB,
  variety: 4,
  atMost: { callsAtOnce: 4, checks: 24 },
  isInQuick: false,
};

/** No body, and every partner signs, in an order that no cache of the processor can foresee. */
const everyCaller: Size = {
  ...none,
  suffix: '-10k',
  title: 'no body, 10 000 callers at random',
  variety: partnerCount,
  atMost: { callsAtOnce: 100, checks: 20_000 },
  isInQuick: false,
};

/** Bodies of hmac rows. */
export const hmacSizes: readonly Size[] = [none, oneKiB, ...wrapperSizes, tenMiB];

/** Signed requests, by the size of their bodies. Wrappers, which no peer reads, are compared with plain bodies of their size. */
export const signatureRows: readonly Row[] = [
  ...[...hmacSizes, everyCaller].flatMap(hmacRows),
  ...parametersRows('parameters-url', none, 'in the URL', () => null),
  ...parametersRows('parameters-form', oneKiB, 'in a form of 1 KiB', form),
  ...[oneKiB, ...wrapperSizes].flatMap((size) => [wrapperRow(size), sha512Row(size)]),
];

/** Requests that partners sign by hmac. */
export function hmacMessages(size: Size): Row['messages'] {
  const { bodyBytes } = size;
  return messagesOf(size, (partner, at) => hmacRequest(partner, at, bodyBytes === 0 ? null : octets(bodyBytes, at)));
}

/** What rows of signed requests have in common, and what the size of their bodies decides. */
export function signedRow({ atMost, isInQuick }: Size): Pick<Row, 'isSigned' | 'atMost' | 'isSlow'> {
  return { isSigned: true, atMost, ...(isInQuick ? {} : { isSlow: true }) };
}

/** Postern and its peers are sent the same messages and must answer the same. */
function hmacRows(size: Size): readonly Row[] {
  const { suffix, title } = size;
  const messages = hmacMessages(size);
  const rowOf = (name: string, peer: PeerName, what: string): Row => ({
    ...signedRow(size),
    name: `${name}${suffix}`,
    title: `${what}, ${title}`,
    peer,
    messages,
    baselines: hmacBaselines(size),
    expect: allowedBySignature(signedEndpoints.hmac.id, { bodyIs: 'original' }),
    ...(name === 'hmac' ? {} : { sameAnswerAs: `hmac${suffix}` }),
  });
  return [
    rowOf('grpc-js-hmac', 'grpc-js-hmac', 'grpc-js, full decoding, hmac'),
    rowOf('grpc-go-hmac', 'grpc-go-hmac', 'grpc-go, hmac'),
    { ...rowOf('tonic-hmac', 'tonic-hmac', 'tonic, hmac'), isSlow: true },
    rowOf('hmac', 'postern-signatures', 'Postern: hmac'),
  ];
}

/** Parameters that the peer on grpc-go checks too. */
function parametersRows(
  name: string,
  size: Size,
  where: string,
  contentOf: (at: number) => Content | null,
): readonly Row[] {
  const grpcGo = `grpc-go-${name}`;
  const own: Row = {
    ...signedRow(size),
    name,
    title: `Postern: parameters ${where}`,
    peer: 'postern-signatures',
    messages: messagesOf(size, (partner, at) => parametersRequest(partner, at, contentOf(at))),
    baselines: { grpcGo },
    expect: allowedBySignature(signedEndpoints.parameters.id, { bodyIs: 'original' }),
  };
  const peer: Row = {
    ...own,
    name: grpcGo,
    title: `grpc-go, parameters ${where}`,
    peer: 'grpc-go-parameters',
    sameAnswerAs: name,
  };
  return [peer, own];
}

function wrapperRow(size: Size): Row {
  return {
    ...signedRow(size),
    name: `parameters-json${size.suffix}`,
    title: `Postern: parameters in a wrapper, ${size.title}`,
    peer: 'postern-signatures',
    messages: messagesOf(size, (partner, at) => parametersRequest(partner, at, json(size.bodyBytes, at))),
    baselines: { ...hmacBaselines(size), bare: `sha512${size.suffix}` },
    expect: allowedBySignature(signedEndpoints.parameters.id, { bodyIs: 'pending' }),
  };
}

/** SHA-512 of the JSON that a wrapper of this size holds, and nothing else. */
function sha512Row({ suffix, title, bodyBytes, variety, atMost }: Size): Row {
  return {
    name: `sha512${suffix}`,
    title: `node:crypto: SHA-512 alone, ${title}`,
    peer: 'sha512-node',
    isAlone: true,
    messages: () => Array.from({ length: variety }, (_, at) => json(bodyBytes, at).body),
    atMost,
    baselines: {},
    group: `grpc-go-hmac${suffix}`,
    isSlow: true,
    expect: anyAllow,
  };
}

function hmacBaselines({ suffix }: Size): Baselines {
  return {
    grpcJs: `grpc-js-hmac${suffix}`,
    grpcGo: `grpc-go-hmac${suffix}`,
    tonic: `tonic-hmac${suffix}`,
  };
}

function messagesOf({ variety }: Size, request: (partner: Partner, at: number) => CheckEdit): Row['messages'] {
  return ({ partners, edit }: RequestPorts) =>
    callersOf(partners, variety).map((partner, at) => edit(request(partner, at)));
}

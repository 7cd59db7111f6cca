import { allowedBySignature } from './expectations.ts';
import { signedEndpoints } from './fixtures/document.ts';
import { type Partner, spread } from './fixtures/partners.ts';
import type { PeerName } from './peers/peers.ts';
import type { CheckEdit } from './requests/edit-check.ts';
import { type Content, form, hmacRequest, json, octets, parametersRequest } from './requests/signed-requests.ts';
import type { RequestPorts, Row } from './row.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** How rows of one size of body are measured: large messages are few, so that a run stays short and fits into memory. */
interface Size {
  /** What row names end with. */
  readonly suffix: string;
  readonly bodyBytes: number;
  readonly variety: number;
  readonly atMost: { readonly streams: number; readonly checks: number };
  readonly isInQuick: boolean;
}

const none: Size = { suffix: '', bodyBytes: 0, variety: 1000, atMost: { streams: 25, checks: 8000 }, isInQuick: true };
const oneKiB: Size = { ...none, suffix: '-1k', bodyBytes: KIB, isInQuick: false };
const sizes: readonly Size[] = [
  none,
  oneKiB,
  { suffix: '-100k', bodyBytes: 100 * KIB, variety: 100, atMost: { streams: 5, checks: 1000 }, isInQuick: true },
  { suffix: '-1m', bodyBytes: MIB, variety: 20, atMost: { streams: 2, checks: 150 }, isInQuick: false },
  { suffix: '-10m', bodyBytes: 10 * MIB, variety: 4, atMost: { streams: 1, checks: 24 }, isInQuick: false },
];
/** JSON with its wrapper may have 2 MiB. */
const jsonSizes = sizes.filter(({ bodyBytes }) => bodyBytes > 0 && bodyBytes <= MIB);

/** Signed requests, by the size of their bodies; the rows of a size are compared with the hmac services on grpc-js and grpc-go. */
export const signatureRows: readonly Row[] = sizes.flatMap((size) => [
  ...hmacRows(size),
  ...(size === none ? [parametersRow('parameters-url', size, 'in the URL', () => null)] : []),
  ...(size === oneKiB ? [parametersRow('parameters-form', size, 'in a form of 1 KiB', form)] : []),
  ...(jsonSizes.includes(size)
    ? [
        parametersRow(`parameters-json${size.suffix}`, size, `in a wrapper, ${shown(size)}`, (at) =>
          json(size.bodyBytes, at),
        ),
      ]
    : []),
]);

/** Postern and both baselines are sent the same messages and must answer the same. */
function hmacRows(size: Size): readonly Row[] {
  const { suffix, bodyBytes } = size;
  const own = `hmac${suffix}`;
  const messages = messagesOf(size, (partner, at) =>
    hmacRequest(partner, at, bodyBytes === 0 ? null : octets(bodyBytes, at)),
  );
  const rowOf = (name: string, peer: PeerName, title: string): Row => ({
    ...common(size),
    name,
    title: `${title}, ${shown(size)}`,
    peer,
    messages,
    expect: allowedBySignature(signedEndpoints.hmac.id, { bodyIs: 'original' }),
    ...(name === own ? {} : { sameAnswerAs: own }),
  });
  const { grpcJs, grpcGo } = baselines(size);
  return [
    rowOf(grpcJs, 'grpc-js-hmac', 'grpc-js, full decoding, hmac'),
    rowOf(grpcGo, 'grpc-go-hmac', 'grpc-go, hmac'),
    rowOf(own, 'postern-signatures', 'Postern: hmac'),
  ];
}

function parametersRow(name: string, size: Size, where: string, contentOf: (at: number) => Content | null): Row {
  const isJson = name.startsWith('parameters-json');
  return {
    ...common(size),
    name,
    title: `Postern: parameters ${where}`,
    peer: 'postern-signatures',
    messages: messagesOf(size, (partner, at) => parametersRequest(partner, at, contentOf(at))),
    expect: allowedBySignature(signedEndpoints.parameters.id, { bodyIs: isJson ? 'pending' : 'original' }),
  };
}

function common(size: Size): Pick<Row, 'atMost' | 'baselines' | 'isSlow'> {
  return { atMost: size.atMost, baselines: baselines(size), ...(size.isInQuick ? {} : { isSlow: true }) };
}

function baselines({ suffix }: Size): { readonly grpcJs: string; readonly grpcGo: string } {
  return { grpcJs: `grpc-js-hmac${suffix}`, grpcGo: `grpc-go-hmac${suffix}` };
}

function messagesOf({ variety }: Size, request: (partner: Partner, at: number) => CheckEdit): Row['messages'] {
  return ({ partners, edit }: RequestPorts) =>
    spread(partners, variety).map((partner, at) => edit(request(partner, at)));
}

function shown({ bodyBytes }: Size): string {
  if (bodyBytes === 0) return 'no body';
  return bodyBytes < MIB ? `${String(bodyBytes / KIB)} KiB` : `${String(bodyBytes / MIB)} MiB`;
}

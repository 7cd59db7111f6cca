import { groupOfAddress } from '../net/address-group.ts';
import type { OAuth2Refusal } from './oauth2-refusal.ts';

/** A request to an OAuth2 endpoint, read whole. */
export interface OAuth2Request {
  readonly method: string;
  /** The target as received. */
  readonly target: string;
  /** Every value of a header in the order received; names are lower case. */
  readonly headerValues: (name: string) => readonly string[];
  readonly body: Buffer;
  /** Address of the TCP peer; null on a Unix socket. */
  readonly peerAddress: string | null;
  /** Whether the peer is known as an Envoy, so that what it says about the caller is believed. */
  readonly isPeerTrusted: boolean;
}

/** The answer to one. */
export interface OAuth2Answer {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Who is counted for a request (spec §3.4): `x-envoy-external-address` of a peer that is known as an Envoy, or the
 * TCP peer; an IPv6 address counts as its /64.
 */
export function sourceOf(request: Pick<OAuth2Request, 'headerValues' | 'peerAddress' | 'isPeerTrusted'>): string {
  const { headerValues, peerAddress, isPeerTrusted } = request;
  const [external = '', ...more] = isPeerTrusted ? headerValues('x-envoy-external-address') : [];
  return (more.length === 0 ? groupOfAddress(external) : null) ?? groupOfAddress(peerAddress ?? '') ?? 'local';
}

/** Answers of these endpoints hold tokens, or what became of them: nobody may keep them (RFC 6749 §5.1). */
const notStored = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** An answer with a JSON object. */
export function jsonAnswer(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): OAuth2Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...notStored, ...headers },
    body: JSON.stringify(body),
  };
}

/** An answer that says nothing but that it is done. */
export const emptyAnswer: OAuth2Answer = { status: 200, headers: notStored, body: '' };

/** The answer to a request that is refused (RFC 6749 §5.2). */
export function refusalAnswer({ status, error, description, headers }: OAuth2Refusal): OAuth2Answer {
  return jsonAnswer(status, { error, error_description: description }, headers);
}

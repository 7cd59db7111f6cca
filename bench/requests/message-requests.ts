import { createHash, sign } from 'node:crypto';
import { systemClock } from '../../src/base/clock.ts';
import { messageEndpoint } from '../fixtures/document.ts';
import type { KeyKind, KeyPair } from '../fixtures/key-pairs.ts';
import type { Partner } from '../fixtures/partners.ts';
import { messageAlgorithms, type SignatureCase } from '../verify/signature-case.ts';
import type { CheckEdit } from './edit-check.ts';
import { partnerRequest } from './http-request.ts';
import type { Content } from './signed-requests.ts';

/** A request that a partner signed, and the signature by itself. */
export interface SignedMessage {
  readonly request: CheckEdit;
  readonly alone: SignatureCase;
}

/**
 * Signs a request now, as a partner's program does: RFC 9421 over method, authority, path and query, and over the
 * digest of a body (RFC 9530), with `node:crypto` and no code of the product.
 */
export function signMessage(
  { appKey }: Partner,
  at: number,
  content: Content | null,
  { kind, pair }: { readonly kind: KeyKind; readonly pair: KeyPair },
): SignedMessage {
  const method = content === null ? 'GET' : 'POST';
  const path = `${messageEndpoint.path}/2026-${String(at)}`;
  const query = '?page=2&fields=id%2Cstatus';
  const digest = content === null ? null : `sha-256=:${createHash('sha256').update(content.body).digest('base64')}:`;
  const components: (readonly [string, string])[] = [
    ['@method', method],
    ['@authority', partnerRequest.host],
    ['@path', path],
    ['@query', query],
  ];
  if (digest !== null) components.push(['content-digest', digest]);
  const created = systemClock.nowSeconds();
  const list = components.map(([name]) => `"${name}"`).join(' ');
  const input = `(${list});created=${String(created)};keyid="${appKey}"`;
  const lines = components.map(([name, value]) => `"${name}": ${value}\n`).join('');
  const base = Buffer.from(`${lines}"@signature-params": ${input}`, 'latin1');
  const algorithm = messageAlgorithms[kind];
  const signature = sign(algorithm.hash, base, { ...algorithm.options, key: pair.privateKey }).toString('base64');
  const fields = { 'signature-input': `sig1=${input}`, signature: `sig1=:${signature}:` };
  return {
    request: {
      method,
      path: `${path}${query}`,
      headers:
        content === null || digest === null
          ? fields
          : { 'content-type': content.type, 'content-digest': digest, ...fields },
      ...(content === null ? {} : { body: content.body }),
    },
    alone: { algorithm, key: pair.der.toString('base64'), base: base.toString('base64'), signature },
  };
}

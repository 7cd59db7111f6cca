import { systemClock } from '../../src/base/clock.ts';
import { Secret } from '../../src/model/secret.ts';
import { isRefusal } from '../../src/check/refusal.ts';
import type { ClientRequest } from '../../src/check/signing/client-request.ts';
import { signHmac } from '../../src/check/methods/hmac/sign.ts';
import { signParameters } from '../../src/check/methods/parameter-signature/sign.ts';
import { signedEndpoints } from '../fixtures/document.ts';
import type { Partner } from '../fixtures/partners.ts';
import type { CheckEdit } from './edit-check.ts';

/** A body of a request, with its media type. */
export interface Content {
  readonly type: string;
  readonly body: Buffer;
}

const KIB = 1024;

/** The request line of order number `at`, with a query as partners send it. */
function requestOf(path: string, at: number, content: Content | null): ClientRequest {
  return {
    method: content === null ? 'GET' : 'POST',
    path: `${path}/2026-${String(at)}${content === null ? '?page=2&fields=id%2Cstatus' : ''}`,
    authority: 'api.example.com',
    headers: content === null ? [] : [['content-type', content.type]],
    body: content?.body ?? Buffer.alloc(0),
  };
}

/** A request that a partner signs now, by hmac over date, request line and the digest of the body. */
export function hmacRequest(partner: Partner, at: number, content: Content | null): CheckEdit {
  return editOf(
    signHmac(requestOf(signedEndpoints.hmac.path, at, content), {
      appKey: partner.appKey,
      secret: Secret.fromText(partner.appSecret),
      algorithm: 'hmac-sha256',
      alsoSigned: [],
      nowSeconds: systemClock.nowSeconds(),
    }),
  );
}

/** A request that a partner signs now, over its parameters: in the URL, in a form, or with a wrapper around JSON. */
export function parametersRequest(partner: Partner, at: number, content: Content | null): CheckEdit {
  return editOf(
    signParameters(requestOf(signedEndpoints.parameters.path, at, content), {
      appKey: partner.appKey,
      secret: Secret.fromText(partner.appSecret),
      timestampSeconds: systemClock.nowSeconds(),
      options: {
        parameterEncoding: 'decoded',
        strictParameters: true,
        unsignedQuery: 'refuse',
        unsignedBody: 'refuse',
      },
    }),
  );
}

/** Bytes that are no text. */
export function octets(size: number, at: number): Content {
  const body = Buffer.alloc(size, Buffer.from([0, 0xff, at, at >> 8, 0x80, 0x7f, 0x0a]));
  return { type: 'application/octet-stream', body };
}

/** A form of 1 KiB with ten parameters, one byte in ten of them encoded. */
export function form(at: number): Content {
  const value = 'Gro%C3%9Fe+Stra%C3%9Fe+und+noch+etwas+Text+ohne+Zeichen+die+Prozent+brauchen-';
  const pairs = Array.from({ length: 10 }, (_, index) => `field-${String(index)}=${value}${String(at)}`);
  return { type: 'application/x-www-form-urlencoded', body: Buffer.from(pairs.join('&').padEnd(KIB, 'x')) };
}

/** A list of orders as JSON, a little above `size`; a wrapper escapes its quotes. */
export function json(size: number, at: number): Content {
  const order = JSON.stringify({ id: `2026-${String(at)}`, customer: 'Müller & Söhne', total: 1042.5, note: 'a\nb' });
  const count = Math.ceil(size / (Buffer.byteLength(order) + 1));
  return { type: 'application/json', body: Buffer.from(`[${Array<string>(count).fill(order).join(',')}]`) };
}

function editOf(signed: ReturnType<typeof signHmac>): CheckEdit {
  if (isRefusal(signed)) throw new Error(`the request cannot be signed: ${signed.detail}`);
  const { method, path, headers, body } = signed;
  const lowerCase = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
  return { method, path, headers: lowerCase, ...(body.length > 0 ? { body } : {}) };
}

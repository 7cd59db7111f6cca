import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { systemClock } from '../../../src/base/clock.ts';
import { HeaderValueOption_HeaderAppendAction } from '../../../src/gen/envoy/config/core/v3/base.ts';
import type { AttributeContext_HttpRequest } from '../../../src/gen/envoy/service/auth/v3/attribute_context.ts';
import { type CheckRequest, CheckResponse } from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import type { Partner } from '../../fixtures/partners.ts';

const AUTHORIZATION =
  /^hmac appkey="([\w.-]{1,128})", *algorithm="hmac-sha256", *headers="([\w -]+)", *signature="([\w+/]+=*)"$/;
const MAX_BODY_BYTES = 10_485_760;
const CLOCK_SKEW_SECONDS = 300;
const PATH_PREFIX = '/signed/';
const ENDPOINT = 'signed';

const denied = CheckResponse.fromPartial({
  status: { code: 16 },
  httpResponse: { $case: 'deniedResponse', value: { status: { code: 401 } } },
});

/**
 * Makes a handler that verifies an hmac signature in the obvious way: from the decoded message, all at once.
 * What it allows it answers as Postern does; refusals, which the bench does not ask for, it only marks as such.
 */
export function createHmacCheck(partners: readonly Partner[]): (check: CheckRequest) => CheckResponse {
  const byAppKey = new Map(partners.map((partner) => [partner.appKey, partner]));
  return ({ attributes }) => {
    const http = attributes?.request?.http;
    if (http === undefined) return denied;
    const caller = findCaller(http, byAppKey);
    return caller === null ? denied : allow(caller);
  };
}

function findCaller(http: AttributeContext_HttpRequest, byAppKey: ReadonlyMap<string, Partner>): Partner | null {
  const { rawBody: body, size } = http;
  const headers = groupHeaders(http);
  if (!http.path.startsWith(PATH_PREFIX)) return null;
  if (size !== body.length || size > MAX_BODY_BYTES || headers.get('x-envoy-auth-partial-body')?.[0] === 'true')
    return null;
  const [, appKey = '', list = '', signature = ''] = AUTHORIZATION.exec(single(headers, 'authorization')) ?? [];
  const names = list.split(' ');
  if (!names.includes('date') || !names.includes('request-line')) return null;
  const digest = single(headers, 'digest');
  if (body.length > 0 && (digest === '' || !names.includes('digest'))) return null;
  const text = names
    .map((name) => {
      if (name === 'request-line') return `${http.method} ${http.path} HTTP/1.1`;
      return `${name}: ${name === 'host' ? http.host : (headers.get(name)?.join(', ') ?? '')}`;
    })
    .join('\n');
  const caller = byAppKey.get(appKey);
  if (caller === undefined) return null;
  const right = createHmac('sha256', caller.appSecret).update(text, 'latin1').digest();
  if (!isEqual(right, Buffer.from(signature, 'base64'))) return null;
  const dateSeconds = Date.parse(single(headers, 'date')) / 1000;
  if (!(Math.abs(systemClock.nowSeconds() - dateSeconds) <= CLOCK_SKEW_SECONDS)) return null;
  if (digest === '') return caller;
  const rightDigest = `SHA-256=${createHash('sha256').update(body).digest('base64')}`;
  return isEqual(Buffer.from(rightDigest), Buffer.from(digest)) ? caller : null;
}

function groupHeaders({ headerMap }: AttributeContext_HttpRequest): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { key, rawValue } of headerMap?.headers ?? []) {
    const value = Buffer.from(rawValue.buffer, rawValue.byteOffset, rawValue.length).toString('latin1');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

/** The value of a header that stands once; `''` for any other. */
function single(headers: ReadonlyMap<string, readonly string[]>, name: string): string {
  const values = headers.get(name) ?? [];
  return values.length === 1 ? (values[0] ?? '') : '';
}

function isEqual(right: Buffer, given: Buffer): boolean {
  return right.length === given.length && timingSafeEqual(right, given);
}

function allow({ id, consumer, name }: Partner): CheckResponse {
  const header = (key: string, value: string) => ({
    header: { key, value },
    appendAction: HeaderValueOption_HeaderAppendAction.OVERWRITE_IF_EXISTS_OR_ADD,
  });
  return CheckResponse.fromPartial({
    status: { code: 0 },
    httpResponse: {
      $case: 'okResponse',
      value: {
        headers: [
          header('x-consumer-id', consumer),
          header('x-consumer-username', name),
          header('x-credential-identifier', id),
        ],
        headersToRemove: ['authorization'],
      },
    },
    dynamicMetadata: {
      code: 'ALLOWED',
      endpoint: ENDPOINT,
      authentication: 'hmac',
      consumer,
      credential: id,
      'postern.body': 'original',
    },
  });
}

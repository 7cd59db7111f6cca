import assert from 'node:assert/strict';
import { assertOne } from '../assertions/assert-one.ts';
import { type Driver } from '../clients/driver.ts';
import { fieldValue, type Fields } from '../http/http-message.ts';
import { interopConsumer, type InteropGateway, type KnownKey } from './interop-gateway.ts';
import { type HttpVersion, type Outcome, type RequestKind, type SignerRow } from './table.ts';

/** What a signing program is asked to sign and send. */
export interface AskedRequest {
  readonly row: SignerRow;
  readonly kind: RequestKind;
  readonly http: HttpVersion;
  readonly known: KnownKey;
  /** Components, separated by blanks; null leaves them to the library. */
  readonly covers: string | null;
  /** What the library is to obey, where it can. */
  readonly acceptSignature?: string;
  /** `/signed/…`, `/strict/…` or `/once/…`. */
  readonly target?: string;
  readonly body?: string;
}

/** What became of a request. */
export interface SentRequest {
  readonly outcome: Outcome;
  /** The covered components as they were sent, separated by blanks; null where there are none. */
  readonly covers: string | null;
  /** Of the answer; empty where nothing was sent. */
  readonly headers: Fields;
}

const jsonBody = '{"order":17}';
const query = '?limit=2&name=a%20b';

/** Has a request signed and sent by a library, and finds out what became of it at caller, gateway and back end. */
export async function askSigner(driver: Driver, gateway: InteropGateway, asked: AskedRequest): Promise<SentRequest> {
  const { row, kind, http, known, covers, acceptSignature, target = `/signed/orders${query}`, body = jsonBody } = asked;
  const before = gateway.backend.requests.length;
  const url = `${row.client === 'hyper' ? gateway.plainUrl : gateway.url}${target}`;
  const answer = await driver.ask({
    op: 'sign',
    library: row.library,
    http,
    ca: gateway.ca,
    keyid: row.keyid === 'own' && covers === null ? null : known.appKey,
    covers: covers?.split(' ') ?? null,
    acceptSignature,
    created: Math.floor(Date.now() / 1000),
    key: known.key,
    request: {
      method: kind,
      url,
      headers: kind === 'POST' ? [['content-type', 'application/json']] : [],
      body: kind === 'POST' ? body : null,
    },
  });
  if (typeof answer['error'] === 'string')
    return { outcome: `not signed: ${answer['error'].replaceAll(url, 'URL')}`, covers: null, headers: [] };

  const { status, headers, signatureInput } = answer as unknown as {
    readonly status: number;
    readonly headers: Fields;
    readonly signatureInput: string | null;
  };
  const requestId = fieldValue(headers, 'x-request-id') ?? '';
  const logged = await gateway.envoy.accessLogEntry(requestId);
  assert.equal(logged['protocol'], http === '2' ? 'HTTP/2' : 'HTTP/1.1');
  const arrived = gateway.backend.requests.slice(before);
  const sent = { covers: coveredBy(signatureInput), headers };
  if (status === 200) {
    const request = assertOne(arrived);
    assert.equal(fieldValue(request.headers, 'x-consumer-id'), interopConsumer);
    assert.equal(request.target, target);
    assert.equal(request.body.toString(), kind === 'POST' ? body : '');
    return { outcome: 'verified', ...sent };
  }
  assert.deepEqual(arrived, [], 'a refused request reached the back end');
  const { code, message } = JSON.parse(String(answer['body'])) as { readonly code: string; readonly message: string };
  const line = await gateway.postern.logLine((each) => each['requestId'] === requestId && each['code'] === code);
  assert.equal(typeof message, 'string');
  return { outcome: `${code}: ${String(line['detail'])}`, ...sent };
}

/** `"@method" "@path"` of a Signature-Input with one signature as `@method @path`. */
function coveredBy(signatureInput: string | null): string | null {
  const list = signatureInput === null ? null : /^[^=]+=\(([^)]*)\)/.exec(signatureInput)?.[1];
  return list === null || list === undefined ? null : list.replaceAll('"', '');
}

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PlainRequest, send } from '../http/http-client.ts';
import { jsonBody } from '../http/http-message.ts';
import { type Load, type LoadRequest, startLoad } from '../load/open-load.ts';
import { basic, form } from '../oauth2/oauth2-request.ts';
import { signedByHmac } from '../partner/hmac.ts';
import { type Fleet } from './fleet.ts';

/** What `credential issue` and `credential rotate` hand over; of method key without an App Secret. */
export interface HandedOver {
  readonly id: string;
  readonly appKey: string;
  readonly appSecret: string | null;
}

/** The endpoints `/keyed` (key), `/signed` (hmac) and `/stock` (oauth2), and the consumer `acme`. */
export const fleetDocument = `version: 1
endpoints:
  - { id: keyed, scenario: partner-openapi, match: { paths: [{ prefix: /keyed }] }, authentication: key }
  - { id: signed, scenario: partner-openapi, match: { paths: [{ prefix: /signed }] }, authentication: hmac }
  - { id: stock, scenario: partner-openapi, match: { paths: [{ prefix: /stock }] }, authentication: oauth2 }
consumers:
  - { id: acme, name: Acme Ltd }
`;

/** Applies {@link fleetDocument}. */
export async function makeEndpoints({ postern, folder }: Pick<Fleet, 'postern' | 'folder'>): Promise<void> {
  const path = join(folder, 'postern.yaml');
  await writeFile(path, fleetDocument);
  await postern('apply', '-f', path);
}

/** Issues or rotates a credential. */
export async function handOver({ postern }: Pick<Fleet, 'postern'>, command: string): Promise<HandedOver> {
  const answer = JSON.parse(await postern(...command.split(' '), '-o', 'json')) as Omit<HandedOver, 'appSecret'>;
  return { appSecret: null, ...answer };
}

/** The credentials of one partner, one of each method. */
export interface Partner {
  readonly key: HandedOver;
  readonly hmac: HandedOver;
  readonly oauth2: HandedOver;
}

/** Issues a credential of each method to `acme`. */
export async function makePartner(fleet: Pick<Fleet, 'postern'>): Promise<Partner> {
  const issue = async (method: string): Promise<HandedOver> =>
    await handOver(fleet, `credential issue --consumer acme --method ${method} --id acme-${method}`);
  const [key, hmac, oauth2] = await Promise.all([issue('key'), issue('hmac'), issue('oauth2')]);
  return { key, hmac, oauth2 };
}

/** A request to `/keyed` with the App Key. */
export function keyed({ appKey }: HandedOver): PlainRequest {
  return { target: '/keyed', headers: [['x-app-key', appKey]] };
}

/** A request to `/signed`, signed now. */
export function signed({ appKey, appSecret }: HandedOver, body?: Buffer): PlainRequest {
  assert.ok(appSecret !== null);
  const parts = { target: '/signed/orders?page=2', appKey, secret: appSecret };
  return signedByHmac(body === undefined ? parts : { ...parts, method: 'POST', body });
}

/** A request for an access token. */
export function tokenRequest({ appKey, appSecret }: HandedOver): PlainRequest {
  assert.ok(appSecret !== null);
  return {
    method: 'POST',
    target: '/oauth2/token',
    headers: [
      ['authorization', basic(appKey, appSecret)[1]],
      ['content-type', 'application/x-www-form-urlencoded'],
    ],
    body: Buffer.from(form({ grant_type: 'client_credentials' })),
  };
}

/** An access token. */
export async function getToken(port: number, client: HandedOver): Promise<string> {
  const answer = await send('HTTP/1.1', port, tokenRequest(client));
  assert.equal(answer.status, 200, answer.body.toString());
  return (jsonBody(answer) as { readonly access_token: string }).access_token;
}

/** A request to `/stock` with an access token. */
export function withToken(token: string): PlainRequest {
  return { target: '/stock/levels', headers: [['authorization', `Bearer ${token}`]] };
}

const SMALL_BODY = Buffer.from(JSON.stringify({ sku: 'a-1', quantity: 7, note: 'x'.repeat(2000) }));
const LARGE_BODY = Buffer.alloc(40_000, 'order line\n');
/**
 * One request in so many asks for a token: five a second at 500, less than the limit of 600 a minute for one address.
 */
const TOKEN_EVERY = 100;

/**
 * What a partner sends, in turn: with an App Key, signed by hmac without and with bodies of 2 and 40 kB, with an access
 * token, and now and then a request for one.
 */
export function mixedRequests({ key, hmac, oauth2 }: Partner, token: string): () => LoadRequest {
  const kinds: readonly (() => LoadRequest)[] = [
    () => ({ kind: 'key', request: keyed(key) }),
    () => ({ kind: 'hmac', request: signed(hmac) }),
    () => ({ kind: 'oauth2', request: withToken(token) }),
    () => ({ kind: 'hmac, 2 kB', request: signed(hmac, SMALL_BODY) }),
    () => ({ kind: 'key', request: keyed(key) }),
    () => ({ kind: 'hmac', request: signed(hmac) }),
    () => ({ kind: 'oauth2', request: withToken(token) }),
    () => ({ kind: 'hmac, 40 kB', request: signed(hmac, LARGE_BODY) }),
  ];
  let count = 0;
  return () => {
    count += 1;
    if (count % TOKEN_EVERY === 0) return { kind: 'token', request: tokenRequest(oauth2) };
    const make = kinds[count % kinds.length];
    assert.ok(make);
    return make();
  };
}

/** Gets a token for the partner, and gives what starts a load of {@link mixedRequests} at so many a second. */
export async function mixedTraffic(
  { envoy: { port } }: Pick<Fleet, 'envoy'>,
  partner: Partner,
): Promise<(perSecond: number) => Load> {
  const token = await getToken(port, partner.oauth2);
  return (perSecond) => startLoad({ port, perSecond, next: mixedRequests(partner, token) });
}

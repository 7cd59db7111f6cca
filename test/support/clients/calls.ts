import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type ClientGateway, PUBLIC_URL } from './client-gateway.ts';
import { type Driver } from './driver.ts';
import { type EndpointName, type Partner } from './partner-document.ts';
import { testKeys } from './public-key-vectors.ts';
import {
  type BodyText,
  type ClientRequest,
  type ClientResponse,
  type ClientSettings,
  type Refusal,
  type Sent,
  type Way,
} from './protocol.ts';

/** One adapter over one version of HTTP, with a partner of its own. */
export interface Subject {
  readonly driver: Driver;
  readonly gateway: ClientGateway;
  readonly way: Way;
  readonly partner: Partner;
}

type Method = ClientSettings['method'];

/** What a test says of a client besides its method; credentials of the partner unless given. */
export type ClientParts = Partial<ClientSettings>;

/** What a test says of a request: a GET of the path `/ENDPOINT/MARK` unless given. */
export interface CallParts {
  readonly method?: string;
  /** What follows the path: a rest of the path, a query, a fragment. */
  readonly rest?: string;
  readonly headers?: ClientRequest['headers'];
  readonly body?: BodyText;
  readonly once?: boolean;
  readonly follow?: boolean;
}

/** A text that no other request has in its path. */
export function newMark(): string {
  return `m${randomUUID()}`;
}

/** The settings of a client that is right for the partner. */
export function settingsFor(
  { partner, gateway }: Pick<Subject, 'partner' | 'gateway'>,
  method: Method,
): ClientSettings {
  const { ca, tokenUrl } = gateway;
  switch (method) {
    case 'key':
      return { method, appKey: partner.key, ca };
    case 'hmac':
      return { method, ...partner.hmac, ca };
    case 'parameter-signature':
      return { method, ...partner.parameters, ca };
    case 'oauth2':
      return { method, ...partner.oauth2, tokenUrl, ca };
    case 'http-message-signature':
      return { method, appKey: partner.signers.ed25519, privateKey: { pem: testKeys().ed25519.pem }, ca };
    case 'private-key-jwt':
      return {
        method,
        appKey: partner.assertions,
        privateKey: { pem: testKeys().ed25519.pem },
        tokenUrl,
        audience: PUBLIC_URL,
        ca,
      };
  }
}

/** Makes a client of a subject. */
export function createClient(subject: Subject, method: Method, parts: ClientParts = {}): Promise<string> {
  return subject.driver.create({ ...settingsFor(subject, method), ...parts });
}

/** A request to an endpoint of the gateway. */
export function requestTo(url: string, endpoint: EndpointName, mark: string, parts: CallParts = {}): ClientRequest {
  const { method = 'GET', rest = '', headers = [], body, once, follow } = parts;
  return {
    method,
    url: `${url}/${endpoint}/${mark}${rest}`,
    headers,
    ...(body === undefined ? {} : { body: once === true ? { ...body, once } : body }),
    ...(follow === undefined ? {} : { follow }),
  };
}

/** Sends a request to the gateway by a client that is there. */
export function call(
  { driver, gateway, way }: Subject,
  client: string,
  endpoint: EndpointName,
  mark: string,
  parts: CallParts = {},
): Promise<Sent> {
  return driver.send(client, way, requestTo(gateway.url, endpoint, mark, parts));
}

/** An answer that must be no refusal and have this status, over the version of HTTP that was asked for. */
export function assertAnswered(sent: Sent, way: Way, status = 200): ClientResponse {
  assert.ok('response' in sent, `no answer: ${JSON.stringify(sent)}`);
  const { response, refusal } = sent;
  assert.deepEqual([response.status, refusal], [status, null], Buffer.from(response.body, 'base64').toString());
  assert.equal(response.http, way.http, 'the version of HTTP');
  return response;
}

/** An answer that must be read as a refusal with this status and code. */
export function assertRefusal(sent: Sent, status: number, code: string): Refusal {
  assert.ok('response' in sent, `no answer: ${JSON.stringify(sent)}`);
  const { response, refusal } = sent;
  const body = Buffer.from(response.body, 'base64').toString();
  assert.ok(refusal !== null, `not read as a refusal: ${String(response.status)} ${body}`);
  assert.deepEqual([response.status, refusal.status, refusal.code], [status, status, code]);
  return refusal;
}

/** An answer that must be a problem with this code, found before anything was sent. */
export function assertProblem(answer: object, code: string): void {
  assert.ok('problem' in answer, `no problem: ${JSON.stringify(answer).slice(0, 1000)}`);
  const { code: found, message } = answer.problem as { code: unknown; message: unknown };
  assert.equal(found, code, String(message));
  assert.ok(typeof message === 'string' && message !== '', 'a problem has a message');
}

/** Runs a check for every way at once; one failure names its way, several are named together. */
export async function forEveryWay(
  subjects: readonly Subject[],
  check: (subject: Subject) => Promise<void>,
): Promise<void> {
  const results = await Promise.allSettled(subjects.map(check));
  const failures = results.flatMap((result, index) => {
    const way = subjects[index]?.way;
    if (result.status === 'fulfilled' || way === undefined) return [];
    const reason: unknown = result.reason;
    const text = reason instanceof Error ? reason.message : String(reason);
    return [{ reason, title: `${way.adapter}, HTTP/${way.http}: ${text}` }];
  });
  if (failures.length === 0) return;
  throw new Error(failures.map(({ title }) => title).join('\n'), { cause: failures[0]?.reason });
}

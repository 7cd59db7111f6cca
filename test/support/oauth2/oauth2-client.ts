import assert from 'node:assert/strict';
import { type Protocol, send } from '../http/http-client.ts';
import { fieldValue, fieldValues, type HttpAnswer, jsonBody } from '../http/http-message.ts';
import { basic, form } from './oauth2-request.ts';
import { demoClient } from './oauth2-stack.ts';

/** A client's own names. */
export interface Client {
  readonly clientId: string;
  readonly secret: string;
}

const formType = ['content-type', 'application/x-www-form-urlencoded'] as const;
type HeaderList = readonly (readonly [name: string, value: string])[];

/** Posts a form to one of the OAuth2 addresses, with the client in the header. */
export async function post(
  port: number,
  target: string,
  fields: Readonly<Record<string, string>>,
  {
    client = demoClient,
    protocol = 'HTTP/1.1',
    headers = [],
  }: { client?: Client; protocol?: Protocol; headers?: HeaderList } = {},
): Promise<HttpAnswer> {
  const [name, value] = basic(client.clientId, client.secret);
  return await send(protocol, port, {
    method: 'POST',
    target,
    headers: [[name, value], formType, ...headers],
    body: form(fields),
  });
}

/** Asks for a token. */
export async function requestToken(port: number, options?: Parameters<typeof post>[3]): Promise<HttpAnswer> {
  return await post(port, '/oauth2/token', { grant_type: 'client_credentials' }, options);
}

/** A token, which must be given. */
export async function getToken(port: number, client: Client = demoClient): Promise<string> {
  const answer = await requestToken(port, { client });
  assert.equal(answer.status, 200, answer.body.toString());
  return String((jsonBody(answer) as Record<string, unknown>)['access_token']);
}

/** An answer that must be a refusal in the form of RFC 6749 §5.2. */
export function assertOAuth2Refusal(answer: HttpAnswer, status: number, error: string): void {
  const body = jsonBody(answer) as Record<string, unknown>;
  assert.deepEqual([answer.status, body['error'], Object.keys(body)], [status, error, ['error', 'error_description']]);
  assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
  assert.equal(fieldValue(answer.headers, 'cache-control'), 'no-store');
  const challenge = status === 401 ? ['Basic realm="postern"'] : [];
  assert.deepEqual(fieldValues(answer.headers, 'www-authenticate'), challenge);
}

/** `Authorization` with a token. */
export function bearer(token: string): readonly [name: string, value: string] {
  return ['authorization', `Bearer ${token}`];
}

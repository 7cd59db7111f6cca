import { isUtf8 } from 'node:buffer';
import { decodeCanonicalBase64 } from '../../base/text/encodings.ts';
import { decodeFormText } from '../../base/text/form-decoding.ts';
import { Secret } from '../../model/secret.ts';
import { ASSERTION_TYPE, type NamedAssertion, readAssertion } from './assertion/read-assertion.ts';
import { invalidClient, invalidRequest, type OAuth2Refusal, type OAuth2Request } from './messages.ts';
import type { Parameters } from './parameters.ts';

/** How clients authenticate (RFC 8414 §2, `token_endpoint_auth_methods_supported`). */
export const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
export type ClientAuthenticationMethod = (typeof clientAuthenticationMethods)[number];

/** A client id and secret (RFC 6749 §2.3.1). */
export interface SecretCredentials {
  readonly method: 'client_secret_basic' | 'client_secret_post';
  readonly clientId: string;
  readonly secret: Secret;
}

/** A client assertion (RFC 7523 §2.2). */
export interface AssertionCredentials extends NamedAssertion {
  readonly method: 'private_key_jwt';
}

/** What a client of OAuth2 sent to prove who it is. */
export type ClientCredentials = SecretCredentials | AssertionCredentials;

const BASIC = /^basic +([^ ].*)$/i;
const ONE_WAY = 'The client must authenticate in one way only.';

/**
 * Finds the credentials of a client: in `Authorization: Basic`, form-encoded (RFC 6749 §2.3.1), or in the body, as a
 * secret or as an assertion. Refuses two ways at once with `invalid_request`, and none, or another way to authenticate,
 * with `invalid_client`.
 */
export function findClientCredentials(
  { headerValues }: Pick<OAuth2Request, 'headerValues'>,
  parameters: Parameters,
): ClientCredentials | OAuth2Refusal {
  const authorization = headerValues('authorization');
  const [header] = authorization;
  if (authorization.length > 1) return invalidRequest('The Authorization header appears more than once.');
  if (parameters.has('client_assertion') || parameters.has('client_assertion_type')) {
    return findAssertion(header, parameters);
  }
  const clientId = parameters.get('client_id');
  const secretText = parameters.get('client_secret');
  if (header === undefined) {
    if (clientId === undefined || secretText === undefined) {
      return invalidClient(false, 'the request has no client_id and client_secret, and no client_assertion');
    }
    return { method: 'client_secret_post', clientId, secret: Secret.fromText(secretText) };
  }
  if (secretText !== undefined) return invalidRequest(ONE_WAY);
  const credentials = readBasic(header);
  if (credentials === null) return invalidClient(true, 'the Authorization header has no client id and secret');
  if (clientId !== undefined && clientId !== credentials.clientId) {
    return invalidRequest('The client_id of the body is not that of the Authorization header.');
  }
  return credentials;
}

/**
 * An empty secret beside an assertion is none: clients that try the header first send the assertion alone after a 401
 * (spec §3.4).
 */
function findAssertion(header: string | undefined, parameters: Parameters): AssertionCredentials | OAuth2Refusal {
  if (parameters.has('client_secret')) return invalidRequest(ONE_WAY);
  if (header !== undefined) {
    const basic = readBasic(header);
    return basic?.secret.reveal().length === 0
      ? invalidClient(true, 'the Authorization header has an empty secret, beside an assertion')
      : invalidRequest(ONE_WAY);
  }
  const text = parameters.get('client_assertion');
  if (text === undefined) return invalidRequest('The parameter client_assertion is missing.');
  if (parameters.get('client_assertion_type') !== ASSERTION_TYPE) {
    return invalidRequest(`The parameter client_assertion_type must be ${ASSERTION_TYPE}.`);
  }
  const named = readAssertion(text);
  if ('fault' in named) return invalidClient(false, named.fault);
  const clientId = parameters.get('client_id');
  if (clientId !== undefined && clientId !== named.clientId) {
    return invalidRequest('The client_id of the body is not that of the assertion.');
  }
  return { method: 'private_key_jwt', clientId: named.clientId, assertion: named.assertion };
}

function readBasic(header: string): SecretCredentials | null {
  const bytes = decodeCanonicalBase64(BASIC.exec(header)?.[1] ?? '');
  if (bytes === null || !isUtf8(bytes)) return null;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  if (colon === -1) return null;
  const clientId = decodeFormText(text.slice(0, colon));
  const secretText = decodeFormText(text.slice(colon + 1));
  if (clientId === null || secretText === null) return null;
  return { method: 'client_secret_basic', clientId, secret: Secret.fromText(secretText) };
}

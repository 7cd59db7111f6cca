import { isUtf8 } from 'node:buffer';
import { decodeFormText } from '../signing/form-decoding.ts';
import { Secret } from '../model/secret.ts';
import { decodeCanonicalBase64 } from '../signing/encodings.ts';
import { invalidClient, invalidRequest, type OAuth2Refusal } from './oauth2-refusal.ts';
import type { OAuth2Request } from './oauth2-request.ts';
import type { Parameters } from './parameters.ts';

/** What a client says about itself. */
export interface ClientCredentials {
  /** Whatever the client sent. */
  readonly clientId: string;
  readonly secret: Secret;
  /** `client_secret_basic`; else `client_secret_post`. */
  readonly isHeaderUsed: boolean;
}

const BASIC = /^basic +([^ ].*)$/i;

/**
 * Finds the credentials of a client: in `Authorization: Basic`, form-encoded in there (RFC 6749 §2.3.1), or in the body.
 * Refuses both at once with `invalid_request`, and none, or another way to authenticate, with `invalid_client`.
 */
export function findClientCredentials(
  { headerValues }: Pick<OAuth2Request, 'headerValues'>,
  parameters: Parameters,
): ClientCredentials | OAuth2Refusal {
  const [header, ...more] = headerValues('authorization');
  const clientId = parameters.get('client_id');
  const secretText = parameters.get('client_secret');
  if (header === undefined) {
    if (clientId === undefined || secretText === undefined) {
      return invalidClient(false, 'the request has no client_id and client_secret');
    }
    return { clientId, secret: Secret.fromText(secretText), isHeaderUsed: false };
  }
  if (more.length > 0) return invalidRequest('The Authorization header stands more than once.');
  if (secretText !== undefined) return invalidRequest('The client must authenticate in one way only.');
  const credentials = readBasic(header);
  if (credentials === null) return invalidClient(true, 'the Authorization header has no client id and secret');
  if (clientId !== undefined && clientId !== credentials.clientId) {
    return invalidRequest('The client_id of the body is not that of the Authorization header.');
  }
  return credentials;
}

function readBasic(header: string): ClientCredentials | null {
  const bytes = decodeCanonicalBase64(BASIC.exec(header)?.[1] ?? '');
  if (bytes === null || !isUtf8(bytes)) return null;
  const text = bytes.toString('latin1');
  const colon = text.indexOf(':');
  if (colon === -1) return null;
  const clientId = decodeFormText(text.slice(0, colon));
  const secretText = decodeFormText(text.slice(colon + 1));
  if (clientId === null || secretText === null) return null;
  return { clientId, secret: Secret.fromText(secretText), isHeaderUsed: true };
}

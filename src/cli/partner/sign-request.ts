import { gatewayRequest } from '../../check/methods/explanation/gateway-request.ts';
import type { Signing } from '../../check/methods/method.ts';
import { methods } from '../../check/methods/methods.ts';
import type { AuthenticationMethod, Endpoint, PartnerEndpointOf } from '../../model/endpoint.ts';
import { Secret } from '../../model/secret.ts';
import { receive } from '../../check/receive/receive.ts';
import { isRefusal, type Refusal } from '../../check/refusal.ts';
import type { ClientRequest } from '../../check/signing/client-request.ts';
import { UsageError } from '../failure.ts';

interface GivenCredentials extends Pick<Signing, 'alsoSigned' | 'nowSeconds'> {
  /** Null for `key` endpoints, where the App Key is the secret. */
  readonly appKey: string | null;
  readonly secret: string;
}

/**
 * Gives a request the credentials that an endpoint wants, as a partner would. A refusal is what the gateway would say
 * to it. Throws {@link UsageError} where there is nothing to sign: open and oauth2 endpoints, or a missing App Key.
 */
export function signRequest(
  request: ClientRequest,
  endpoint: Endpoint,
  given: GivenCredentials,
): ClientRequest | Refusal {
  if (endpoint.authentication === null) {
    throw new UsageError(`the endpoint ${endpoint.id} is open: it takes requests without credentials`);
  }
  const signed = signFor(endpoint, request, given);
  if (isRefusal(signed)) return signed;
  const received = receive(gatewayRequest(signed));
  return isRefusal(received) ? received : signed;
}

function signFor<M extends AuthenticationMethod>(
  { id, authentication, options }: PartnerEndpointOf<M>,
  request: ClientRequest,
  given: GivenCredentials,
): ClientRequest | Refusal {
  const { proof, sign } = methods[authentication];
  if (sign === null) {
    const why =
      proof === 'token'
        ? 'takes access tokens, which are fetched, not signed'
        : 'takes signatures that are not made here';
    throw new UsageError(`the endpoint ${id} ${why}`);
  }
  const appKey = proof === 'app-key' ? given.secret : given.appKey;
  if (appKey === null) throw new UsageError('--app-key is missing: signatures name the App Key they belong to');
  const alsoSigned = given.alsoSigned.map((name) => name.toLowerCase());
  const { secret, nowSeconds } = given;
  return sign(request, options, { appKey, secret: Secret.fromText(secret), alsoSigned, nowSeconds });
}

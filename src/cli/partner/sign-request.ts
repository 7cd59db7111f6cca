import { gatewayRequest } from '../../check/methods/explanation/gateway-request.ts';
import type { Signing } from '../../check/methods/method.ts';
import { methods } from '../../check/methods/methods.ts';
import type { AuthenticationMethod, Endpoint, PartnerEndpointOf } from '../../model/endpoint.ts';
import { Secret } from '../../model/secret.ts';
import { receive } from '../../check/receive/receive.ts';
import { isRefusal, type Refusal } from '../../check/refusal.ts';
import type { ClientRequest } from '../../check/signing/client-request.ts';
import type { PrivateKey } from '../../check/signing/private-key.ts';
import { UsageError } from '../failure.ts';

interface GivenCredentials extends Pick<Signing, 'alsoSigned' | 'nowSeconds'> {
  /** Null for `key` endpoints, where the App Key is the secret. */
  readonly appKey: string | null;
  /** Null where none was given, as for the private key. */
  readonly secret: string | null;
  readonly privateKey: PrivateKey | null;
}

/**
 * Gives a request the credentials that an endpoint wants, as a partner would. A refusal is what the gateway would say
 * to it. Throws {@link UsageError} where there is nothing to sign, as at open endpoints, and where what the
 * endpoint is signed for with is missing, or something else was given.
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
  const { proof, signer } = methods[authentication];
  const { secret, privateKey, nowSeconds } = given;
  const alsoSigned = given.alsoSigned.map((name) => name.toLowerCase());
  const appKey = proof === 'app-key' ? secret : given.appKey;
  switch (signer.takes) {
    case 'nothing':
      throw new UsageError(`the endpoint ${id} ${signer.instead}`);
    case 'secret': {
      if (privateKey !== null) throw new UsageError(`--private-key has no use: ${id} takes ${authentication}`);
      if (secret === null) throw new UsageError(`--secret-from is missing: ${id} takes ${authentication}`);
      if (appKey === null) throw new UsageError(NO_APP_KEY);
      return signer.sign(request, options, { appKey, secret: Secret.fromText(secret), alsoSigned, nowSeconds });
    }
    case 'private-key': {
      if (secret !== null) throw new UsageError(`--secret-from has no use: ${id} takes ${authentication}`);
      if (privateKey === null) throw new UsageError(`--private-key is missing: ${id} takes ${authentication}`);
      if (appKey === null) throw new UsageError(NO_APP_KEY);
      return signer.sign(request, options, { appKey, privateKey, alsoSigned, nowSeconds });
    }
  }
}

const NO_APP_KEY = '--app-key is missing: signatures name the App Key they belong to';

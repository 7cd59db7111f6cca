import type { AuthenticationMethod } from '../model/endpoint.ts';
import { authenticateByHmac, concealHmac } from './hmac/authenticate.ts';
import { kongHmacAuth } from './hmac/kong.ts';
import { hmacOptions } from './hmac/options.ts';
import { signHmac } from './hmac/sign.ts';
import { authenticateByKey, concealKey } from './key/authenticate.ts';
import { carryKey } from './key/carriers.ts';
import { kongKeyAuth } from './key/kong.ts';
import { keyOptions } from './key/options.ts';
import type { Method } from './method.ts';
import { authenticateByOAuth2, bearerErrors, concealToken } from './oauth2/authenticate.ts';
import { kongOAuth2 } from './oauth2/kong.ts';
import { oauth2Options } from './oauth2/options.ts';
import { authenticateByParameterSignature, concealReadParameters } from './parameter-signature/authenticate.ts';
import { parameterSignatureOptions } from './parameter-signature/options.ts';
import { signParameters } from './parameter-signature/sign.ts';

/** Every method of authentication. One that is missing does not compile. */
export const methods: { readonly [M in AuthenticationMethod]: Method<M> } = {
  key: {
    authenticate: authenticateByKey,
    conceal: concealKey,
    sign: (request, { keyNames }, { appKey }) => carryKey(request, keyNames, appKey),
    challenge: { scheme: 'Key', errors: {} },
    options: keyOptions,
    kong: kongKeyAuth,
  },
  hmac: {
    authenticate: authenticateByHmac,
    conceal: concealHmac,
    sign: (request, { algorithms: [algorithm = 'hmac-sha256'] }, signing) =>
      signHmac(request, { ...signing, algorithm }),
    challenge: { scheme: 'hmac', errors: {} },
    options: hmacOptions,
    kong: kongHmacAuth,
  },
  'parameter-signature': {
    authenticate: authenticateByParameterSignature,
    conceal: concealReadParameters,
    sign: (request, options, { nowSeconds, ...signing }) =>
      signParameters(request, { ...signing, timestampSeconds: nowSeconds, options }),
    challenge: { scheme: 'Sign', errors: {} },
    options: parameterSignatureOptions,
    kong: null,
  },
  oauth2: {
    authenticate: authenticateByOAuth2,
    conceal: concealToken,
    sign: null,
    challenge: { scheme: 'Bearer', errors: bearerErrors },
    options: oauth2Options,
    kong: kongOAuth2,
  },
};

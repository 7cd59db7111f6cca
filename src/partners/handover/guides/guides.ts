import type { AuthenticationMethod } from '../../../model/endpoint.ts';
import type { Guide } from './guide.ts';
import { hmacGuide } from './hmac.ts';
import { keyGuide } from './key.ts';
import { oauth2Guide } from './oauth2.ts';
import { parameterSignatureGuide } from './parameter-signature.ts';

/** What partners read about each method. One that is missing does not compile. */
export const guides: { readonly [M in AuthenticationMethod]: Guide<M> } = {
  key: keyGuide,
  hmac: hmacGuide,
  'parameter-signature': parameterSignatureGuide,
  oauth2: oauth2Guide,
};

import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../base/net/public-address.ts';
import { FetchFailure } from './fetch-failure.ts';

/**
 * Resolves names as `resolve` does, and gives an answer only when every address of it is public: what is judged is what
 * is connected to, so that no name can be turned in between.
 */
export function judgedLookup(resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found;
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
        callback(privateAddress(), []);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The refusal of an address that is written in a URL itself; null for a name, and for a public one. */
export function findLiteralFailure(host: string): FetchFailure | null {
  return isIP(host) === 0 || isPublicAddress(host) ? null : privateAddress();
}

function privateAddress(): FetchFailure {
  return new FetchFailure(
    'address',
    'the host has an address that is not of the internet; POSTERN_JWKS_PRIVATE_HOSTS names hosts that may',
  );
}

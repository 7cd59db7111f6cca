import type { Config } from '../config.ts';
import { formatListenAddress } from '../net/listen-address.ts';
import { formatNetwork, knowsNoOtherMachine } from '../net/networks.ts';
import { type Finding, fine, warning } from '../finding.ts';

/** Networks with fewer bits than this hold most of the internet. */
const LEAST_PREFIX_LENGTH = 5;

/** Says whose word the OAuth2 listener takes for the address that guesses are counted by. */
export function checkCallerAddresses(config: Config): readonly Finding[] {
  const { httpAddress, httpTls, tlsClientCa, trustedProxies } = config;
  const subject = `OAuth2 listener ${formatListenAddress(httpAddress)}`;
  if (httpAddress.kind === 'unix') {
    return [fine(subject, 'believes x-envoy-external-address of every process that may connect to its socket')];
  }
  const isMutual = httpTls && tlsClientCa !== null;
  const networks = trustedProxies.map(formatNetwork).join(', ');
  const whom = `${networks}${isMutual ? ', and of clients with a certificate' : ''}`;
  const wide = trustedProxies.find(({ prefixLength }) => prefixLength < LEAST_PREFIX_LENGTH);
  if (wide !== undefined && !isMutual) {
    return [
      warning(
        subject,
        `believes x-envoy-external-address of ${whom}: anyone who reaches it chooses the address that guesses are counted by`,
        'put the addresses of your Envoys into POSTERN_TRUSTED_PROXIES, or use mutual TLS (docs/tls.md)',
      ),
    ];
  }
  if (!isMutual && knowsNoOtherMachine(httpAddress, trustedProxies)) {
    return [
      warning(
        subject,
        `believes x-envoy-external-address of ${whom} only: callers through an Envoy elsewhere all count as that Envoy, and soon get 429`,
        'put the addresses of your Envoys into POSTERN_TRUSTED_PROXIES, or use mutual TLS (docs/tls.md)',
      ),
    ];
  }
  return [fine(subject, `believes x-envoy-external-address of ${whom}; other peers count as themselves`)];
}

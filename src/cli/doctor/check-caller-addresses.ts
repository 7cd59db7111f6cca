import type { Config } from '../../gateway/config.ts';
import { formatListenAddress } from '../../base/net/listen-address.ts';
import { formatNetwork, knowsNoOtherMachine } from '../../base/net/networks.ts';
import { type Finding, findingsAbout, fine } from '../../base/finding.ts';

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
  if (!isMutual) {
    const found = findingsAbout(subject);
    const advice = 'put the addresses of your Envoys into POSTERN_TRUSTED_PROXIES, or use mutual TLS (docs/tls.md)';
    const isWide = trustedProxies.some(({ prefixLength }) => prefixLength < LEAST_PREFIX_LENGTH);
    found.warnIf(isWide, {
      message: `believes x-envoy-external-address of ${whom}: anyone who reaches it chooses the address that guesses are counted by`,
      advice,
    });
    found.warnIf(!isWide && knowsNoOtherMachine(httpAddress, trustedProxies), {
      message: `believes x-envoy-external-address of ${whom} only: callers through an Envoy elsewhere all count as that Envoy, and soon get 429`,
      advice,
    });
    if (found.all.length > 0) return found.all;
  }
  return [fine(subject, `believes x-envoy-external-address of ${whom}; other peers count as themselves`)];
}

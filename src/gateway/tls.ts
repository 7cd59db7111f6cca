import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../observe/logger.ts';
import { createTlsObserver, type TlsMetrics } from '../observe/tls-observer.ts';
import type { TlsIdentity } from '../server/transport.ts';
import { listenerFiles } from '../tls/configured-files.ts';
import { followTlsFiles, openTlsFiles } from '../tls/follow-tls-files.ts';
import type { TlsMaterial } from '../tls/tls-files.ts';

/** What opening takes. */
export interface GatewayTlsPorts {
  readonly config: Pick<Config, 'tlsCertificate' | 'tlsKey' | 'tlsClientCa' | 'tlsClientNames'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tlsMetrics: TlsMetrics;
}

/** TLS of the listeners. */
export interface GatewayTls {
  /** What they start with. */
  readonly identity: TlsIdentity;
  /** Calls `replace` for every later identity that can be used; it throws to keep the former one. Disposing ends it. */
  follow(replace: (identity: TlsIdentity) => void): AsyncDisposable;
}

/**
 * Reads the TLS files of the listeners; null when there are none. Rejects, naming setting and file, when they cannot be
 * used. An expired certificate is no hindrance: the log and the metrics tell, and Envoy decides.
 */
export async function openGatewayTls({
  config,
  clock,
  logger,
  tlsMetrics,
}: GatewayTlsPorts): Promise<GatewayTls | null> {
  const files = listenerFiles(config);
  if (files === null) return null;
  const opened = await openTlsFiles(files);
  const observer = createTlsObserver('listeners', {
    logger,
    metrics: tlsMetrics,
    nowMs: () => clock.nowSeconds() * 1000,
  });
  observer.opened(opened.material);
  return {
    identity: identityOf(opened.material, config.tlsClientNames),
    follow: (replace) =>
      followTlsFiles(opened, {
        replace: (material) => {
          replace(identityOf(material, config.tlsClientNames));
        },
        observer,
        clock,
      }),
  };
}

function identityOf({ certificate, key, ca }: TlsMaterial, clientNames: readonly string[] | null): TlsIdentity {
  if (certificate === null || key === null) throw new Error('a listener needs a certificate and its key');
  const own = { cert: certificate, key };
  if (ca === null) return own;
  return clientNames === null ? { ...own, ca } : { ...own, ca, clientNames };
}

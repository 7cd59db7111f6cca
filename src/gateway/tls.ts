import { createTlsObserver, type TlsUse } from './observe/tls-observer.ts';
import { followTlsFiles, openTlsFiles } from '../wire/tls/follow-tls-files.ts';
import type { TlsFiles, TlsMaterial } from '../wire/tls/tls-files.ts';
import type { PartPorts } from './parts.ts';

/** TLS files in use. */
export interface FollowedTls {
  /** What they held at the start. */
  readonly material: TlsMaterial;
  /** Calls `replace` for all later contents that can be used; it throws to keep the former ones. Disposing ends it. */
  follow(replace: (material: TlsMaterial) => void): AsyncDisposable;
}

/**
 * Reads TLS files; null when there are none. Rejects, naming setting and file, when they cannot be used. An expired
 * certificate is used: the log and the metrics show it, and the peer decides.
 */
export async function openTls(
  use: TlsUse,
  files: TlsFiles | null,
  {
    clock,
    logger,
    metrics,
  }: Pick<PartPorts, 'clock' | 'logger'> & { readonly metrics: Pick<PartPorts['metrics'], 'tls'> },
): Promise<FollowedTls | null> {
  if (files === null) return null;
  const opened = await openTlsFiles(files);
  const observer = createTlsObserver(use, { logger, metrics: metrics.tls, clock });
  observer.opened(opened.material);
  return { material: opened.material, follow: (replace) => followTlsFiles(opened, { replace, observer, clock }) };
}

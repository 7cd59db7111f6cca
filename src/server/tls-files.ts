import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Config } from '../config.ts';
import type { Logger } from '../observe/logger.ts';
import type { TlsIdentity } from './transport.ts';

/** How often the files are looked at. Looking follows symlinks, which Kubernetes turns when a Secret changes. */
const LOOK_INTERVAL_MS = 1000;

/** The PEM files of the settings, by the name of each setting. */
type TlsPaths = Pick<Config, 'tlsCertificate' | 'tlsKey' | 'tlsClientCa'>;

/**
 * Reads the certificate, key and client authorities that the settings name; null when TLS is off.
 * Throws an error that names setting and file when one cannot be read.
 */
export function readTlsIdentity({ tlsCertificate, tlsKey, tlsClientCa }: TlsPaths): TlsIdentity | null {
  if (tlsCertificate === null || tlsKey === null) return null;
  const identity = {
    cert: readPem('POSTERN_TLS_CERTIFICATE', tlsCertificate),
    key: readPem('POSTERN_TLS_KEY', tlsKey),
  };
  return tlsClientCa === null ? identity : { ...identity, ca: readPem('POSTERN_TLS_CLIENT_CA', tlsClientCa) };
}

/**
 * Calls `replace` with the new identity when one of the files changed. A certificate and a key that do not fit, as when
 * only one of them was written yet, make `replace` throw: the old identity is kept, and the next change is tried again.
 */
export function watchTlsIdentity(
  paths: TlsPaths,
  replace: (identity: TlsIdentity) => void,
  logger: Logger,
): AsyncDisposable {
  const files = [paths.tlsCertificate, paths.tlsKey, paths.tlsClientCa].filter((path) => path !== null);
  const reload = (): void => {
    try {
      const identity = readTlsIdentity(paths);
      if (identity === null) return;
      replace(identity);
      logger.info('new connections take the changed TLS certificate');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.error('the changed TLS files cannot be used; the certificate in use stays', { reason });
    }
  };
  for (const file of files) watchFile(file, { interval: LOOK_INTERVAL_MS, persistent: false }, reload);
  return {
    [Symbol.asyncDispose]: async () => {
      for (const file of files) unwatchFile(file, reload);
      await Promise.resolve();
    },
  };
}

function readPem(setting: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`${setting}: ${path} cannot be read (${code})`, { cause: error });
  }
}

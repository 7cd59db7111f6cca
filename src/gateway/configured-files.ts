import { type Config, settings } from './config.ts';
import type { PemFile, TlsFiles } from '../wire/tls/tls-files.ts';

type Paths = Pick<
  Config,
  | 'tlsCertificate'
  | 'tlsKey'
  | 'tlsClientCa'
  | 'rateLimitTlsCa'
  | 'rateLimitTlsCertificate'
  | 'rateLimitTlsKey'
  | 'manageTlsCertificate'
  | 'manageTlsKey'
  | 'manageTlsClientCa'
  | 'jwksCa'
>;

/** The TLS files of the listeners; null when they speak plain text. */
export function listenerFiles(config: Pick<Paths, 'tlsCertificate' | 'tlsKey' | 'tlsClientCa'>): TlsFiles | null {
  return serverFiles(config, ['tlsCertificate', 'tlsKey', 'tlsClientCa']);
}

/** The TLS files of the management listener; null when it speaks plain text. */
export function manageFiles(
  config: Pick<Paths, 'manageTlsCertificate' | 'manageTlsKey' | 'manageTlsClientCa'>,
): TlsFiles | null {
  return serverFiles(config, ['manageTlsCertificate', 'manageTlsKey', 'manageTlsClientCa']);
}

function serverFiles<K extends keyof Paths>(config: Pick<Paths, K>, names: readonly [K, K, K]): TlsFiles | null {
  const fileOf = (name: K): PemFile | null => pemFile(name, config[name]);
  const [certificate, key] = [fileOf(names[0]), fileOf(names[1])];
  return certificate === null || key === null ? null : { certificate, key, ca: fileOf(names[2]) };
}

/** The TLS files with which the rate limit service is asked; null when it is asked in plain text. */
export function rateLimitFiles(
  config: Pick<Paths, 'rateLimitTlsCa' | 'rateLimitTlsCertificate' | 'rateLimitTlsKey'>,
): TlsFiles | null {
  const ca = pemFile('rateLimitTlsCa', config.rateLimitTlsCa);
  if (ca === null) return null;
  return {
    certificate: pemFile('rateLimitTlsCertificate', config.rateLimitTlsCertificate),
    key: pemFile('rateLimitTlsKey', config.rateLimitTlsKey),
    ca,
  };
}

/** The TLS files with which the keys of issuers are fetched; null where the authorities of Node are enough. */
export function issuerFiles(config: Pick<Paths, 'jwksCa'>): TlsFiles | null {
  const ca = pemFile('jwksCa', config.jwksCa);
  return ca === null ? null : { certificate: null, key: null, ca };
}

function pemFile(key: keyof Paths, path: string | null): PemFile | null {
  return path === null ? null : { setting: settings[key].name, path };
}

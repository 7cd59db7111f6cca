import { Socket } from 'node:net';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import { isForOneOf } from './client-names.ts';
import { secureContextOptions } from '../tls/secure-context.ts';
import type { TlsIdentity } from './transport.ts';

/** How long a peer may take from connecting to the end of its TLS handshake. */
export const HANDSHAKE_TIMEOUT_MS = 10_000;

/** Options for what a listener says to every peer, and {@link listenerContext}. */
export interface TlsListenerOptions extends SecureContextOptions {
  readonly handshakeTimeout: number;
  /** Ask for a certificate, and let nobody pass without a good one. */
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
}

/** The part of {@link tlsListenerOptions} that can be replaced while a listener runs. It must be given whole: what is left out goes back to Node's defaults. */
export function listenerContext({ cert, key, ca }: TlsIdentity): SecureContextOptions {
  return secureContextOptions({ certificate: cert, key, ca: ca ?? null });
}

/** How to listen with this identity: mutual TLS exactly when it has a `ca`. */
export function tlsListenerOptions(tls: TlsIdentity): TlsListenerOptions {
  const isMutual = tls.ca !== undefined;
  return {
    ...listenerContext(tls),
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    requestCert: isMutual,
    rejectUnauthorized: isMutual,
  };
}

/** Why a peer whose handshake is done must leave, for people: its certificate is for none of the names that may come. Null when it may stay. */
export function findUnnamed(socket: TLSSocket, tls: TlsIdentity | undefined): string | null {
  if (tls?.clientNames === undefined) return null;
  const certificate = socket.getPeerX509Certificate();
  if (isForOneOf(certificate, tls.clientNames)) return null;
  return 'TLS: the certificate of the peer is for none of the names that may come (POSTERN_TLS_CLIENT_NAMES)';
}

/** Why a handshake failed, for people; `socket` is that of the event `tlsClientError`. */
export function describeTlsClientError(error: Error, socket: TLSSocket): string {
  // Node closes on a certificate that it does not accept, and tells of a reset; the types do not know that it is null before.
  const refused = socket.authorizationError as Error | string | null | undefined;
  if (refused !== null && refused !== undefined) {
    return `TLS: the certificate of the peer is not accepted (${String(refused)})`;
  }
  // OpenSSL's own words when there are some: the whole message names its source files.
  return `TLS: ${'reason' in error && typeof error.reason === 'string' ? error.reason : error.message}`;
}

/** The connection below a TLS socket; of another socket, itself. Node keeps it there and has no public name for it. */
export function socketBelow(socket: Socket): Socket {
  const below: unknown = Reflect.get(socket, '_parent');
  return below instanceof Socket ? below : socket;
}

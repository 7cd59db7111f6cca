import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, type Server as TlsServer, type TLSSocket } from 'node:tls';
import { hasLostAuthority, readCertificates } from '../tls/certificates.ts';
import { secureContextOptions } from '../tls/secure-context.ts';
import { socketBelow } from './listening.ts';
import type { TlsIdentity } from './transport.ts';

/** How long a peer may take from connecting to the end of its TLS handshake. */
export const HANDSHAKE_TIMEOUT_MS = 10_000;
/** How long the calls of a connection may take to end when an authority was removed. */
export const SENT_AWAY_GRACE_MS = 30_000;

/** Why {@link checkTlsReplacement} refuses without a former identity. */
export const STARTED_IN_PLAIN_TEXT = 'the listener was started without TLS';

/** Options for what a listener shows every peer, and {@link listenerContext}. */
export interface TlsListenerOptions extends SecureContextOptions {
  readonly handshakeTimeout: number;
  /** Ask for a certificate, and refuse peers without a good one. */
  readonly requestCert: boolean;
  readonly rejectUnauthorized: boolean;
}

/**
 * The part of {@link tlsListenerOptions} that can be replaced while a listener runs. It must be given whole: what is
 * left out goes back to Node's defaults.
 */
export function listenerContext({ cert, key, ca }: TlsIdentity): SecureContextOptions {
  return secureContextOptions({ certificate: cert, key, ca: ca ?? null });
}

/** How to listen with this identity: mutual TLS exactly when it has a `ca`. */
export function tlsListenerOptions(tls: TlsIdentity, handshakeTimeout = HANDSHAKE_TIMEOUT_MS): TlsListenerOptions {
  const isMutual = tls.ca !== undefined;
  return { ...listenerContext(tls), handshakeTimeout, requestCert: isMutual, rejectUnauthorized: isMutual };
}

/**
 * Throws, with what is wrong, unless `next` can take the place of `former` on a running listener. Whether peers must
 * show a certificate is settled when the listener starts: a new identity without the CA would let any publicly
 * signed one pass.
 * @returns whether an authority is no longer trusted, so that peers have to show their certificate again.
 */
export function checkTlsReplacement(former: TlsIdentity | undefined, next: TlsIdentity): boolean {
  if (former === undefined) throw new Error(STARTED_IN_PLAIN_TEXT);
  if ((former.ca === undefined) !== (next.ca === undefined)) {
    throw new Error('whether clients need a certificate cannot change while the listener runs');
  }
  readCertificates(Buffer.from(next.cert));
  createSecureContext(listenerContext(next));
  if (former.ca === undefined || next.ca === undefined) return false;
  return hasLostAuthority(Buffer.from(former.ca), Buffer.from(next.ca));
}

/** What {@link ListenerTls} asks of its listener. */
export interface ListenerTlsPorts {
  /** A connection is closed because of what the peer did. `reason` is for people and holds no data of the peer. */
  readonly onRefused: (reason: string, socket: Socket) => void;
  /** Whether the listener itself ended the connection, so that a broken handshake is no fault of the peer. */
  readonly wasEnded: (socket: Socket) => boolean;
}

/**
 * The identity of a TLS listener of Node's, and which peers it lets in. A connection is judged by the authorities of
 * the moment at which it was accepted, however long its handshake takes.
 */
export class ListenerTls {
  readonly #server: TlsServer;
  readonly #ports: ListenerTlsPorts;
  #identity: TlsIdentity;
  /** How many times an authority had been removed when a connection was accepted, and now. */
  readonly #acceptedIn = new WeakMap<Socket, number>();
  #epoch = 0;

  /** To be made before the server listens. */
  constructor(server: TlsServer, identity: TlsIdentity, ports: ListenerTlsPorts) {
    this.#server = server;
    this.#identity = identity;
    this.#ports = ports;
    server.on('connection', (socket: Socket) => {
      this.#acceptedIn.set(socket, this.#epoch);
    });
    server.on('tlsClientError', (error, socket) => {
      if (ports.wasEnded(socket)) return;
      // Node only reports a handshake that took too long, and would keep the connection.
      this.refuse(describeTlsClientError(error, socket), socket);
    });
  }

  /** Puts an identity in force for new connections. Throws, and returns, as {@link checkTlsReplacement} does. */
  replace(next: TlsIdentity): boolean {
    const hasLost = checkTlsReplacement(this.#identity, next);
    this.#server.setSecureContext(listenerContext(next));
    this.#identity = next;
    if (hasLost) this.#epoch += 1;
    return hasLost;
  }

  /** Whether authorities judged the peer of which one was removed since. */
  isFormer(socket: Socket): boolean {
    const epoch = this.#acceptedIn.get(socketBelow(socket));
    return epoch !== undefined && epoch < this.#epoch;
  }

  /** Whether the certificate of a peer is for a name that may connect; a peer without one is refused. */
  admitsName(socket: TLSSocket): boolean {
    const { clientNames } = this.#identity;
    if (clientNames === undefined || isForOneOf(socket.getPeerX509Certificate(), clientNames)) return true;
    this.refuse('TLS: the certificate of the peer is for none of the names in POSTERN_TLS_CLIENT_NAMES', socket);
    return false;
  }

  /** Closes a connection because of what the peer did. */
  refuse(reason: string, socket: Socket): void {
    this.#ports.onRefused(reason, socket);
    socket.destroy();
  }
}

/** Why a handshake failed, for people; `socket` is that of the event `tlsClientError`. */
function describeTlsClientError(error: Error, socket: TLSSocket): string {
  // Set when Node closes on a certificate that it does not accept; the types do not know that it is null before.
  const refused = socket.authorizationError as Error | string | null | undefined;
  if (refused !== null && refused !== undefined) {
    return `TLS: the certificate of the peer is not accepted (${String(refused)})`;
  }
  // OpenSSL's own words when there are some: the whole message names its source files.
  return `TLS: ${'reason' in error && typeof error.reason === 'string' ? error.reason : error.message}`;
}

/**
 * One name of the text of all: `DNS:a.example.com`, `URI:spiffe://…`; Node quotes values with special characters as
 * JSON does.
 */
const NAME = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;

/**
 * Whether a certificate is for one of these names: DNS names and URIs, compared as they are with its subject
 * alternative names (RFC 5280 §4.2.1.6), without wildcards and without its common name. A text that cannot be read
 * holds no name.
 */
export function isForOneOf(certificate: X509Certificate | undefined, names: readonly string[]): boolean {
  const held = namesOf(certificate?.subjectAltName ?? '');
  return names.some((name) => held.has(name.includes('://') ? `URI:${name}` : `DNS:${name.toLowerCase()}`));
}

/**
 * The names that identify the owner of a certificate: the DNS names (in lower case), URIs and e-mail addresses among
 * its subject alternative names. Each kind has its own form, so that no name of one kind passes for one of another.
 */
export function identityNamesOf(certificate: X509Certificate | undefined): readonly string[] {
  return [...namesOf(certificate?.subjectAltName ?? '')].flatMap((each) => {
    const at = each.indexOf(':');
    const name = each.slice(at + 1);
    const form = nameForms[each.slice(0, at)];
    return form?.test(name) === true ? [name] : [];
  });
}

const nameForms: Readonly<Record<string, RegExp>> = {
  DNS: /^[^@:/]+$/,
  URI: /^[a-z][a-z0-9+.-]*:\/\//,
  email: /^[^@:/]+@[^@:/]+$/,
};

function namesOf(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  NAME.lastIndex = 0;
  while (NAME.lastIndex < text.length) {
    const match = NAME.exec(text);
    if (match === null) return new Set();
    const [, kind = '', value = ''] = match;
    // A quoted value holds characters that no name of ours can have.
    if (!value.startsWith('"')) names.add(`${kind}:${kind === 'DNS' ? value.toLowerCase() : value}`);
  }
  return names;
}

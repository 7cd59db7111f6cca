import { connect, type Socket } from 'node:net';
import { connect as connectTls, type SecureContext } from 'node:tls';
import type { ServiceAddress } from '../../base/config-values.ts';
import { describeTlsFault } from '../tls/tls-faults.ts';

const TCP_KEEPALIVE_MS = 60_000;
/** How long one of several addresses may take before the next one is tried (RFC 8305 §5). */
const ATTEMPT_MS = 250;

/** A connection that is being made. */
export interface Dialled {
  readonly socket: Socket;
  /** Why it failed, for people; asked when the socket has closed. */
  readonly reason: () => string;
}

/**
 * Connects to a service, with TLS when there is a context. The name is looked up each time; its addresses are tried in
 * the order of the answer, the two families in turn, until one takes the connection. `connected` is called when HTTP/2
 * may begin; else the socket closes.
 */
export function dial({ host, port }: ServiceAddress, tls: SecureContext | null, connected: () => void): Dialled {
  const options = {
    host,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: TCP_KEEPALIVE_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
  };
  let reason = 'it closed the connection';
  let socket: Socket;
  if (tls === null) socket = connect(options, connected);
  else {
    const secured = connectTls({
      ...options,
      secureContext: tls,
      ALPNProtocols: ['h2'],
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
      rejectUnauthorized: true,
    });
    secured.once('secureConnect', () => {
      if (secured.alpnProtocol === 'h2') connected();
      else {
        reason = 'it does not offer HTTP/2 (ALPN h2)';
        secured.destroy();
      }
    });
    socket = secured;
  }
  // `close` follows.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    const code = error.code ?? 'no code';
    reason = describeTlsFault(code) ?? code;
  });
  return { socket, reason: () => reason };
}

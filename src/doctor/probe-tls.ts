import { connect } from 'node:tls';
import type { ServiceAddress } from '../config-values.ts';
import { secureContextOptions } from '../tls/secure-context.ts';
import { describeTlsFault } from '../tls/tls-faults.ts';
import type { TlsMaterial } from '../tls/tls-files.ts';

/** The client's side of an HTTP/2 connection (RFC 9113 §3.4), which every server answers. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');

/**
 * Why TLS with an HTTP/2 server fails, for people; null when it does not, or fails for a reason that is none of TLS. It
 * waits for the server's first words: with TLS 1.3 a server judges the client's certificate after the client's handshake.
 */
export async function findTlsFault(
  { host, port }: ServiceAddress,
  material: TlsMaterial,
  patienceMs: number,
): Promise<string | null> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port, ...secureContextOptions(material), ALPNProtocols: ['h2'] });
    const end = (fault: string | null): void => {
      socket.destroy();
      resolve(fault);
    };
    socket.setTimeout(patienceMs, () => {
      end(null);
    });
    socket.once('secureConnect', () => {
      if (socket.alpnProtocol === 'h2') socket.write(PREFACE);
      else end('it does not offer HTTP/2 (ALPN h2)');
    });
    socket.once('data', () => {
      end(null);
    });
    socket.once('close', () => {
      end(null);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const meaning = describeTlsFault(error.code ?? '');
      end(meaning === null ? null : `${meaning} (${error.code ?? ''})`);
    });
  });
}

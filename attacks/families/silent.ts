import type { Attack } from '../framework/attack.ts';
import type { Assault } from '../framework/assault.ts';
import type { PeerAddress } from '../framework/raw-peer.ts';

/** What each of many connections says before it falls silent. */
interface Silence {
  readonly listener: 'grpc' | 'http' | 'admin';
  readonly connections: readonly [whole: number, short: number];
  /** Whether the TCP connection is all there is, where the listener speaks TLS. */
  readonly isBelowTls?: boolean;
  readonly says: (assault: Assault) => Buffer | null;
  /** Sent every second afterwards, or oftener in the short form. */
  readonly then?: Buffer;
}

/** As many as the service takes. */
const GRPC_CONNECTIONS = 4096;
const OAUTH2_CONNECTIONS = 2048;
const HOLDS = [8, 2] as const;
const HOLD_SECONDS = [1, 0.25] as const;
const AT_ONCE = 128;

function silence(attack: Omit<Attack, 'run'>, silent: Silence): Attack {
  return {
    ...attack,
    run: async (assault) => {
      await fallSilent(assault, silent);
    },
  };
}

async function fallSilent(assault: Assault, silent: Silence): Promise<void> {
  const { listener, connections, isBelowTls = false, says, then } = silent;
  const { target } = assault;
  const port = { grpc: target.grpcPort, http: target.httpPort, admin: target.adminPort }[listener];
  const address: PeerAddress = { port, ca: isBelowTls ? null : target.ca, reads: () => undefined };
  const first = says(assault);
  const peers: Awaited<ReturnType<Assault['connect']>>[] = [];
  const total = assault.amount(...connections);
  while (peers.length < total) {
    const some = Math.min(AT_ONCE, total - peers.length);
    peers.push(...(await Promise.all(Array.from({ length: some }, async () => await assault.connect(address)))));
    if (first !== null) for (const peer of peers.slice(-some)) peer.send(first);
  }
  for (let left = assault.amount(...HOLDS); left > 0; left -= 1) {
    if (then !== undefined) for (const peer of peers) peer.send(then);
    await assault.hold(assault.amount(...HOLD_SECONDS));
  }
}

const HELLO = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', 'latin1');
/** The record and handshake headers of a ClientHello of 512 bytes (RFC 8446 §4, §5.1), and none of the rest. */
const HALF_CLIENT_HELLO = Buffer.from('160301020001000 1fc0303'.replace(' ', ''), 'hex');
const HALF_HTTP = Buffer.from('POST /oauth2/token HTTP/1.1\r\nHost: a\r\n', 'latin1');

/** Connections that are opened and then hardly used. */
export const silentAttacks: readonly Attack[] = [
  silence(
    { name: 'silent-grpc', title: '4096 connections say hello on the gRPC listener, and then nothing' },
    { listener: 'grpc', connections: [GRPC_CONNECTIONS, GRPC_CONNECTIONS], says: () => HELLO },
  ),
  silence(
    { name: 'silent-grpc-mute', title: '4096 connections say nothing on the gRPC listener' },
    { listener: 'grpc', connections: [GRPC_CONNECTIONS, GRPC_CONNECTIONS], says: () => null },
  ),
  silence(
    { name: 'silent-oauth2', title: '2048 connections say nothing on the OAuth2 listener' },
    { listener: 'http', connections: [OAUTH2_CONNECTIONS, OAUTH2_CONNECTIONS], says: () => null },
  ),
  silence(
    { name: 'slow-oauth2', title: '2048 requests to the OAuth2 listener, a header line each second' },
    {
      listener: 'http',
      connections: [OAUTH2_CONNECTIONS, OAUTH2_CONNECTIONS],
      says: () => HALF_HTTP,
      then: Buffer.from('a: b\r\n'),
    },
  ),
  silence(
    { name: 'silent-admin', title: '4096 connections say nothing on the admin listener' },
    { listener: 'admin', connections: [4096, 1024], says: () => null },
  ),
  silence(
    {
      name: 'half-open-tls',
      title: '4096 handshakes begun on the gRPC listener, and not ended',
      service: { isTls: true },
    },
    { listener: 'grpc', connections: [4096, 4096], isBelowTls: true, says: () => HALF_CLIENT_HELLO },
  ),
  silence(
    {
      name: 'half-open-tls-oauth2',
      title: '2048 handshakes begun on the OAuth2 listener, and not ended',
      service: { isTls: true },
    },
    { listener: 'http', connections: [2048, 2048], isBelowTls: true, says: () => HALF_CLIENT_HELLO },
  ),
  silence(
    {
      name: 'silent-tls',
      title: '4096 whole handshakes on the gRPC listener, then hello, then nothing',
      service: { isTls: true },
      // A handshake is a signature and a key agreement.
      bounds: { cpuMsPerConnection: 4 },
      notInTests: 'thousands of handshakes take longer',
    },
    { listener: 'grpc', connections: [GRPC_CONNECTIONS, 200], says: () => HELLO },
  ),
  {
    name: 'connection-churn',
    title: 'connections that are opened, say hello and are reset at once',
    run: async (assault) => {
      for (let rounds = assault.amount(60, 6); rounds > 0; rounds -= 1) {
        const peers = await assault.connectMany(AT_ONCE);
        for (const peer of peers) peer.socket.resetAndDestroy();
      }
    },
  },
];

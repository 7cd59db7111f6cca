import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOOPBACK } from '../../src/cli/programs/free-ports.ts';
import { type Files } from '../fixtures/files.ts';
import type { KeyKind } from '../fixtures/key-pairs.ts';
import { PUBLIC_URL } from '../requests/token-requests.ts';
import { goProgram, neededGoProgram } from './go-build.ts';
import { type Command, neededService, type Peer } from './peer.ts';
import { startRateLimitBackends } from './rate-limit-backends.ts';
import { rustProgram } from './rust-build.ts';

const postern = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const grpcJs = fileURLToPath(new URL('grpc-js/server.ts', import.meta.url));
const sha512Alone = fileURLToPath(new URL('../verify/sha512-alone.ts', import.meta.url));
const verifyAlone = fileURLToPath(new URL('../verify/verify-alone.ts', import.meta.url));

/** Every service that rows of the bench are about. */
export const peers = {
  'grpc-js-full': grpcJsPeer('grpc-js, empty handler, ts-proto decodes everything', 'full'),
  'grpc-js-lazy': grpcJsPeer("grpc-js, empty handler, Postern's lazy decoding", 'lazy'),
  'grpc-js-hmac': grpcJsPeer('grpc-js, full decoding, the same hmac check', 'hmac'),
  'grpc-go-empty': goPeer('grpc-go, empty handler', () => ['-mode', 'empty']),
  'grpc-go-open': goPeer('grpc-go, the same check of open endpoints', () => ['-mode', 'open']),
  'grpc-go-key': goPeer('grpc-go, the same key check', goArguments('key')),
  'grpc-go-hmac': goPeer('grpc-go, the same hmac check', goArguments('hmac')),
  'grpc-go-parameters': goPeer('grpc-go, the same check of parameters', goArguments('parameters')),
  'grpc-go-ed25519': messagePeer('ed25519'),
  'grpc-go-p256': messagePeer('p256'),
  'grpc-go-rsa': messagePeer('rsa'),
  'tonic-key': tonicPeer('tonic, the same key check', 'key'),
  'tonic-hmac': tonicPeer('tonic, the same hmac check', 'hmac'),
  backend: {
    title: 'the back end behind Envoy',
    needs: [neededGoProgram('backend')],
    command: () => ({ program: goProgram('backend'), args: [] }),
    findAddress: findListening,
  },
  postern: posternPeer('Postern, 10 endpoints', ({ fewEndpoints }) => fewEndpoints),
  'postern-unix': posternPeer('Postern on a Unix socket', ({ fewEndpoints }) => fewEndpoints, unixSocket),
  'postern-rate-limits': withRateLimitService(
    posternPeer('Postern with the rate limit service', ({ fewEndpoints }) => fewEndpoints),
  ),
  'postern-endpoints': posternPeer('Postern, 10 000 endpoints', ({ manyEndpoints }) => manyEndpoints),
  'postern-signatures': posternPeer('Postern, signatures', ({ signatures }) => signatures),
  'postern-tokens': posternPeer('Postern, access tokens', ({ tokens }) => tokens, tokenSettings),
  'postern-certificates': posternPeer('Postern, client certificates', ({ certificates }) => certificates),
  // Of its own: new tokens would make a service forget those that it has seen.
  'postern-new-tokens': posternPeer('Postern, new tokens of an issuer', ({ tokens }) => tokens, tokenSettings),
  'postern-ed25519': publicKeyPeer('ed25519'),
  'postern-p256': publicKeyPeer('p256'),
  'postern-rsa': publicKeyPeer('rsa'),
  'verify-node': {
    title: "signatures alone, with Node's OpenSSL",
    command: ({ node }) => ({ program: node, args: ['--import', 'tsx', verifyAlone] }),
    findAddress: findListening,
  },
  'sha512-node': {
    title: "SHA-512 alone, with Node's OpenSSL",
    command: ({ node }) => ({ program: node, args: ['--import', 'tsx', sha512Alone] }),
    findAddress: findListening,
  },
  'verify-go': {
    title: "signatures alone, with Go's standard library",
    needs: [neededGoProgram('verify')],
    command: () => ({ program: goProgram('verify'), args: [] }),
    findAddress: findListening,
  },
  'postern-grpc-js': posternPeer(
    'Postern on the grpc-js transport',
    ({ fewEndpoints }) => fewEndpoints,
    () => ({
      POSTERN_GRPC_TRANSPORT: 'grpc-js',
    }),
  ),
} as const satisfies Record<string, Peer>;

export type PeerName = keyof typeof peers;

function grpcJsPeer(title: string, mode: string): Peer {
  return {
    title,
    command: ({ node, credentials }) => ({ program: node, args: ['--import', 'tsx', grpcJs, mode, credentials] }),
    findAddress: findListening,
  };
}

function goPeer(title: string, args: (files: Files) => readonly string[]): Peer {
  return {
    title,
    needs: [neededGoProgram('authz')],
    command: (files) => ({ program: goProgram('authz'), args: args(files) }),
    findAddress: findListening,
  };
}

function goArguments(mode: string): (files: Files) => readonly string[] {
  return ({ credentials }) => ['-mode', mode, '-credentials', credentials];
}

/** The same check of requests that are signed with keys of a kind. */
function messagePeer(kind: KeyKind): Peer {
  return goPeer(`grpc-go, the same check of message signatures, ${kind}`, ({ publicKeys }) => [
    '-mode',
    'message-signature',
    '-credentials',
    publicKeys[kind].credentials,
  ]);
}

/** With partners who have public keys of a kind, and tokens for them. */
function publicKeyPeer(kind: KeyKind): Peer {
  return posternPeer(`Postern, public keys, ${kind}`, ({ publicKeys }) => publicKeys[kind].document, tokenSettings);
}

function tonicPeer(title: string, mode: string): Peer {
  return {
    title,
    needs: [{ path: rustProgram, remedy: 'install Rust, and run the bench again' }],
    command: ({ credentials }) => ({ program: rustProgram, args: [mode, credentials] }),
    findAddress: findListening,
  };
}

/** Its address is that of the OAuth2 listener. */
export const tokenEndpointPeer: Peer = {
  ...posternPeer('Postern, token endpoint', ({ tokens }) => tokens, tokenSettings),
  findAddress: (line) => findReady(line, 'http'),
};

/** As {@link tokenEndpointPeer}, for clients with public keys of a kind. */
export function assertionPeer(kind: KeyKind): Peer {
  return { ...publicKeyPeer(kind), findAddress: tokenEndpointPeer.findAddress };
}

function tokenSettings({ keyRing }: Files): Command['env'] {
  return { POSTERN_KEYRING: keyRing, POSTERN_PUBLIC_URL: PUBLIC_URL };
}

/** A socket of its own for each process. */
function unixSocket({ directory }: Files): Command['env'] {
  return { POSTERN_GRPC_ADDRESS: `unix:${join(directory, randomUUID())}` };
}

function posternPeer(
  title: string,
  document: (files: Files) => string,
  settings: (files: Files) => Command['env'] = () => ({}),
): Peer {
  return {
    title,
    needs: [{ path: postern, remedy: 'npm run build' }],
    command: (files) => ({
      program: files.node,
      args: [postern, 'serve'],
      env: {
        NODE_OPTIONS: '--use-largepages=silent', // as in the image
        POSTERN_STORE: `file:${document(files)}`,
        POSTERN_GRPC_ADDRESS: '127.0.0.1:0',
        POSTERN_HTTP_ADDRESS: '127.0.0.1:0',
        POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
        ...settings(files),
      },
    }),
    findAddress: (line) => findReady(line, 'grpc'),
  };
}

function withRateLimitService(peer: Peer): Peer {
  const needs = [...(peer.needs ?? []), neededService('ratelimit'), neededService('redis', 'redis-server')];
  return { ...peer, needs, startBackends: startRateLimitBackends };
}

function findReady(line: string, listener: 'grpc' | 'http'): string | null {
  if (!line.includes('"ready"')) return null;
  const addresses = JSON.parse(line) as Readonly<Record<string, string | undefined>>;
  return addresses[listener] ?? null;
}

function findListening(line: string): string | null {
  const port = /^listening (\d+)$/.exec(line)?.[1];
  return port === undefined ? null : `${LOOPBACK}:${port}`;
}

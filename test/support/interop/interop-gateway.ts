import { createHash, createPublicKey } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addTlsListener, listenerPorts, TLS_LISTENER } from '../clients/tls-listener.ts';
import { type Envoy, startEnvoy } from '../envoy/envoy.ts';
import { connectionManager, objectAt } from '../envoy/envoy-config.ts';
import { makeCertificate } from '../grpc/certificate.ts';
import { acquireAll } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { openFront } from '../oauth2/oauth2-stack.ts';
import { type PosternProcess, startPostern } from '../stack/postern-process.ts';
import { type RecordingBackend, startBackend } from '../stack/recording-backend.ts';
import { makeSigningKey, type SignatureAlgorithm, signatureAlgorithms, type SigningKey } from './signing-keys.ts';
import { type SignerRow } from './table.ts';

/** The name under which a partner's key is known. */
export interface KnownKey {
  readonly key: SigningKey;
  readonly appKey: string;
}

/** The product as the libraries of others meet it: Envoy with TLS, Postern behind it, a back end that records. */
export interface InteropGateway extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`, the issuer, without a slash at the end. */
  readonly url: string;
  /** The same without TLS. */
  readonly plainUrl: string;
  /** The file with the certificate authority. */
  readonly ca: string;
  readonly envoy: Envoy;
  readonly postern: PosternProcess;
  readonly backend: RecordingBackend;
  /** A key for an algorithm by the name that a library gives it; null asks for a key that the gateway does not know. */
  readonly keyOf: (algorithm: SignatureAlgorithm, keyid: SignerRow['keyid']) => KnownKey;
  /** A key of method `oauth2`. */
  readonly tokenKeyOf: (algorithm: SignatureAlgorithm) => KnownKey;
}

/** The consumer whose keys they are. */
export const interopConsumer = 'interop';

const keyids: readonly SignerRow['keyid'][] = ['any', 'URL', 'thumbprint', 'own'];

/** Starts the product with a key of every kind under every kind of name. */
export async function startInteropGateway(): Promise<InteropGateway> {
  return acquireAll(async (keep) => {
    const authority = makeCertificate('authority of the tests');
    const directory = keep(await temporaryDirectory());
    const ca = join(directory.path, 'ca.pem');
    await writeFile(ca, authority.cert);

    const signing = new Map(
      signatureAlgorithms.flatMap((algorithm) =>
        keyids.map((keyid) => {
          const key = makeSigningKey(algorithm);
          return [`${algorithm} ${keyid}`, { key, appKey: appKeyOf(key, keyid) }];
        }),
      ),
    );
    const tokens = new Map(
      signatureAlgorithms.map((algorithm) => {
        const key = makeSigningKey(algorithm);
        return [algorithm, { key, appKey: `tokens.${algorithm}` }];
      }),
    );

    // Postern needs its public URL before Envoy has a port.
    const front = keep(await openFront());
    const url = `https://127.0.0.1:${String(front.port)}`;
    const backend = keep(await startBackend());
    const document = interopDocument([...signing.values()], [...tokens.values()]);
    const postern = keep(await startPostern(document, { POSTERN_PUBLIC_URL: url }));
    const envoy = keep(
      await startEnvoy({
        ports: { postern: postern.grpcPort, posternHttp: postern.httpPort ?? 0, backend: backend.port },
        edit: (config) => {
          const log = objectAt(connectionManager(config), 'access_log', 0, 'typed_config', 'log_format', 'json_format');
          log['protocol'] = '%PROTOCOL%';
          addTlsListener(config, makeCertificate('localhost', authority));
        },
      }),
    );
    const ports = await listenerPorts(envoy.adminPort);
    front.leadTo(ports.get(TLS_LISTENER) ?? 0);
    return {
      ...{ url, ca, envoy, postern, backend },
      plainUrl: `http://127.0.0.1:${String(ports.get('partners'))}`,
      keyOf: (algorithm: SignatureAlgorithm, keyid: SignerRow['keyid']) => found(signing, `${algorithm} ${keyid}`),
      tokenKeyOf: (algorithm: SignatureAlgorithm) => found(tokens, algorithm),
    };
  });
}

function found<K, V>(map: ReadonlyMap<K, V>, name: K): V {
  const value = map.get(name);
  if (value === undefined) throw new Error(`there is no key ${String(name)}`);
  return value;
}

function appKeyOf(key: SigningKey, keyid: SignerRow['keyid']): string {
  switch (keyid) {
    case 'any':
      return `signer.${key.algorithm}`;
    case 'URL':
      return `https://partner.example/users/1#${key.algorithm}`;
    case 'thumbprint':
      return key.thumbprint;
    case 'own':
      return keyidOfHttpsig(key);
  }
}

/** What the Rust crate httpsig calls a key unless it is told: base64 of the SHA-256 of the bare public key. */
function keyidOfHttpsig({ publicJwk }: SigningKey): string {
  return createHash('sha256').update(bareKey(publicJwk)).digest('base64');
}

/** Ed25519: the 32 bytes. ECDSA: the compressed point. RSA: PKCS #1. */
function bareKey(jwk: SigningKey['publicJwk']): Buffer {
  const [x, y] = [jwk.x, jwk.y].map((text) => Buffer.from(text ?? '', 'base64url'));
  if (jwk.kty === 'OKP') return x ?? Buffer.alloc(0);
  if (jwk.kty === 'EC') return Buffer.concat([Buffer.from([2 + ((y?.at(-1) ?? 0) & 1)]), x ?? Buffer.alloc(0)]);
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs1', format: 'der' });
}

function interopDocument(signing: readonly KnownKey[], tokens: readonly KnownKey[]): string {
  const endpoint = { scenario: 'partner-openapi' };
  const credentials = (method: string, keys: readonly KnownKey[]): readonly object[] =>
    keys.map(({ key, appKey }, index) => ({
      id: `${method}-${String(index)}`,
      method,
      appKey,
      publicKey: { jwk: key.publicJwk },
    }));
  return JSON.stringify({
    version: 1,
    endpoints: [
      {
        ...endpoint,
        id: 'signed',
        match: { paths: [{ prefix: '/signed' }] },
        authentication: 'http-message-signature',
        options: { algorithms: signatureAlgorithms },
      },
      {
        ...endpoint,
        id: 'strict',
        match: { paths: [{ prefix: '/strict' }] },
        authentication: 'http-message-signature',
      },
      {
        ...endpoint,
        id: 'once',
        match: { paths: [{ prefix: '/once' }] },
        authentication: 'http-message-signature',
        options: { algorithms: signatureAlgorithms, replayProtection: true },
      },
      { ...endpoint, id: 'bearer', match: { paths: [{ prefix: '/bearer' }] }, authentication: 'oauth2' },
    ],
    consumers: [
      {
        id: interopConsumer,
        credentials: [...credentials('http-message-signature', signing), ...credentials('oauth2', tokens)],
      },
    ],
  });
}

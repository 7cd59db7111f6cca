import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { RequestListener } from 'node:http';
import type { Issuer, IssuerKey } from '../../../src/model/issuer.ts';
import { type Certified, makeCertificate } from '../grpc/certificate.ts';
import { issuerKey } from './issuer-token.ts';

/** The authority of all of these servers. */
export const jwksAuthority = makeCertificate('An authority of tests');
const certified = makeCertificate('localhost', jwksAuthority);

/** A set of keys as its issuer publishes it. */
export function jwksOf(keys: readonly IssuerKey[] = [issuerKey()]): { readonly keys: readonly object[] } {
  return { keys: keys.map(({ kid, alg, publicKey }) => ({ ...publicKey.jwk, kid, use: 'sig', ...(alg && { alg }) })) };
}

/** A host on loopback, over TLS, that publishes keys or does what it should not. */
export interface JwksServer extends AsyncDisposable {
  /** On `localhost`. */
  readonly uri: string;
  readonly port: number;
  /** What it answers next. */
  answer: RequestListener;
  /** The paths that were asked for. */
  readonly asked: string[];
}

/** Answers with a set of keys. */
export function publishing(
  document: unknown = jwksOf(),
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (_request, response) => {
    response.writeHead(200, headers).end(typeof document === 'string' ? document : JSON.stringify(document));
  };
}

/** Starts one. `certificate`: another one than the right one. */
export async function startJwksServer(
  answer: RequestListener = publishing(),
  certificate: Pick<Certified, 'cert' | 'key'> = certified,
): Promise<JwksServer> {
  const asked: string[] = [];
  const server = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
    asked.push(request.url ?? '');
    running.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const running: JwksServer = {
    uri: `https://localhost:${String(port)}/keys?tenant=secret-of-the-query`,
    port,
    answer,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return running;
}

/** The keys of an issuer at such a host. */
export function publishedAt({ uri }: JwksServer): Issuer['keys'] {
  return { kind: 'uri', jwksUri: uri };
}

import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeCertificate } from '../grpc/certificate.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';

/** The administrator that a server with authorization gets. */
export const root = { name: 'root', password: 'root-of-the-tests' } as const;

/** Files of a server that asks who connects, and over TLS only when it is wanted. */
export interface ServerSecurity extends AsyncDisposable {
  readonly args: readonly string[];
  /** What clients add to the address, but for a name and password: `tls=true&tlsCAFile=…`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Makes key file, certificate and certificate authority in a directory of their own. */
export async function makeSecurity({
  authorization,
  tls,
}: {
  readonly authorization: boolean;
  readonly tls: boolean;
}): Promise<ServerSecurity> {
  const directory = await temporaryDirectory();
  const path = (name: string): string => join(directory.path, name);
  const args: string[] = [];
  if (authorization) {
    await writeFile(path('key'), randomBytes(96).toString('base64'), { mode: 0o600 });
    args.push('--auth', '--keyFile', path('key'));
  }
  if (tls) {
    const authority = makeCertificate('authority of the tests');
    const { cert, key } = makeCertificate('localhost', authority);
    await writeFile(path('server.pem'), cert + key);
    await writeFile(path('authority.pem'), authority.cert);
    args.push('--tlsMode', 'requireTLS', '--tlsCertificateKeyFile', path('server.pem'));
    args.push('--tlsCAFile', path('authority.pem'), '--tlsAllowConnectionsWithoutCertificates');
  }
  return {
    args,
    parameters: tls ? { tls: 'true', tlsCAFile: path('authority.pem') } : {},
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

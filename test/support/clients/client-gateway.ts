import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Envoy, startEnvoy } from '../envoy/envoy.ts';
import { makeCertificate } from '../grpc/certificate.ts';
import { http1 } from '../http/http1-client.ts';
import { type RecordedRequest } from '../http/http-message.ts';
import { acquireAll } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';
import { type PosternProcess, startPostern } from '../stack/postern-process.ts';
import { type RecordingBackend, startBackend } from '../stack/recording-backend.ts';
import { startRelay } from '../stack/relay.ts';
import { type OtherOrigin, startOtherOrigin } from './other-origin.ts';
import { type Partner, partner, partnerDocument } from './partner-document.ts';
import { addTlsListener, listenerPorts, TLS_LISTENER } from './tls-listener.ts';

/** What Envoy's access log says of one request. */
export interface Decision {
  readonly status: number;
  /** `ALLOWED`, a code of Postern, or null when Postern decided nothing. */
  readonly code: string | null;
}

/** The product as signing clients meet it: Envoy with TLS, Postern behind it, a back end that records. */
export interface ClientGateway extends AsyncDisposable {
  /** `https://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string;
  /** The same gateway over plain HTTP. */
  readonly plainUrl: string;
  readonly plainPort: number;
  /** The file with the certificate authority. */
  readonly ca: string;
  readonly tokenUrl: string;
  readonly partners: readonly Partner[];
  readonly envoy: Envoy;
  readonly postern: PosternProcess;
  readonly backend: RecordingBackend;
  /** An origin that is not the gateway, with a certificate of the same authority. */
  readonly elsewhere: OtherOrigin;
  /** Requests with this text in their targets, as the back end got them. */
  readonly received: (mark: string) => readonly RecordedRequest[];
  /** Every request so far with this text in its path, in the order in which they were answered. */
  readonly decisions: (mark: string) => Promise<readonly Decision[]>;
  /** How many token requests had each outcome: `ok` or an error of RFC 6749. */
  readonly tokenRequests: (outcome: string) => Promise<number>;
  /** Takes Postern from Envoy; what is sent now is refused with 503. */
  readonly cut: () => void;
  readonly restore: () => void;
}

/** What Postern calls itself in assertions: its issuer. */
export const PUBLIC_URL = 'https://api.example.com';

/** Starts the product with so many partners. */
export async function startClientGateway(partnerCount: number): Promise<ClientGateway> {
  return acquireAll(async (keep) => {
    const authority = makeCertificate('authority of the tests');
    const certificate = makeCertificate('localhost', authority);
    const directory = keep(await temporaryDirectory());
    const ca = join(directory.path, 'ca.pem');
    await writeFile(ca, authority.cert);

    const partners = Array.from({ length: partnerCount }, (_, index) => partner(index));
    const backend = keep(await startBackend());
    const elsewhere = keep(await startOtherOrigin(certificate));
    const postern = keep(await startPostern(partnerDocument(partners), { POSTERN_PUBLIC_URL: PUBLIC_URL }));
    const relay = keep(await startRelay(postern.grpcPort));
    const envoy = keep(
      await startEnvoy({
        ports: { postern: relay.port, posternHttp: postern.httpPort ?? 0, backend: backend.port },
        edit: (config) => {
          addTlsListener(config, certificate);
        },
      }),
    );
    const ports = await listenerPorts(envoy.adminPort);
    const url = `https://127.0.0.1:${String(ports.get(TLS_LISTENER))}`;
    const plainPort = ports.get('partners') ?? 0;
    return {
      ...{ url, plainPort, ca, partners, envoy, postern, backend, elsewhere },
      plainUrl: `http://127.0.0.1:${String(plainPort)}`,
      tokenUrl: `${url}/oauth2/token`,
      received: (mark: string) => backend.requests.filter(({ target }) => target.includes(mark)),
      decisions: async (mark: string) => {
        // Entries are written in order: when that of a later request is there, all before it are.
        const { headers } = await http1(plainPort, { target: `/open/${randomUUID()}` });
        const requestId = headers.find(([name]) => name === 'x-request-id')?.[1] ?? '';
        await envoy.accessLogEntry(requestId);
        return decisionsIn(envoy.output(), mark);
      },
      tokenRequests: async (outcome: string) => {
        const series = `postern_oauth2_requests_total{operation="token",outcome="${outcome}"} `;
        const line = (await postern.metrics()).split('\n').find((each) => each.startsWith(series));
        return Number(line?.slice(series.length) ?? 0);
      },
      cut: () => {
        relay.cut();
      },
      restore: () => {
        relay.restore();
      },
    };
  });
}

function decisionsIn(output: string, mark: string): readonly Decision[] {
  return linesWith(output, mark).flatMap((line) => {
    if (!line.startsWith('{')) return [];
    const { request, status, code } = JSON.parse(line) as Record<string, unknown>;
    if (!String(request).includes(mark)) return [];
    return [{ status: Number(status), code: typeof code === 'string' ? code : null }];
  });
}

/** The lines that hold a text; the others, nearly all, are not even cut out. */
function linesWith(output: string, mark: string): readonly string[] {
  const lines: string[] = [];
  for (let at = output.indexOf(mark); at >= 0; at = output.indexOf(mark, at)) {
    const end = output.indexOf('\n', at);
    const start = output.lastIndexOf('\n', at) + 1;
    at = end < 0 ? output.length : end;
    lines.push(output.slice(start, at));
  }
  return lines;
}

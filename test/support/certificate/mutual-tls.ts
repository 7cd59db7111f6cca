import { request as httpsRequest } from 'node:https';
import { connect } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http';
import type { Certified } from '../grpc/certificate.ts';
import { addTlsListener, TLS_LISTENER } from '../clients/tls-listener.ts';
import { type JsonObject, listAt, objectAt } from '../envoy/envoy-config.ts';
import type { Protocol } from '../http/http-client.ts';

/** Adds the TLS listener of {@link addTlsListener}, where callers may show a certificate of this authority. */
export function addMutualTlsListener(config: JsonObject, server: Certified, authority: Pick<Certified, 'cert'>): void {
  addTlsListener(config, server);
  const listeners = listAt(config, 'static_resources', 'listeners');
  const index = listeners.findIndex((each) => objectAt([each], 0)['name'] === TLS_LISTENER);
  const chain = objectAt(listeners, index, 'filter_chains', 0);
  const common = objectAt(chain, 'transport_socket', 'typed_config', 'common_tls_context');
  common['validation_context'] = { trusted_ca: { inline_string: authority.cert } };
}

/** How a caller calls over TLS. */
export interface MutualTlsRequest {
  readonly port: number;
  readonly ca: string;
  /** Null for a caller without a certificate. */
  readonly client: Pick<Certified, 'cert' | 'key'> | null;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back. */
export interface MutualTlsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Makes one request on a connection of its own. Rejects where the connection is refused. */
export async function sendOverMutualTls(protocol: Protocol, call: MutualTlsRequest): Promise<MutualTlsAnswer> {
  return await (protocol === 'HTTP/2' ? overHttp2(call) : overHttp1(call));
}

function tlsOf({ ca, client }: MutualTlsRequest) {
  return { ca, servername: 'localhost', ...(client === null ? {} : { cert: client.cert, key: client.key }) };
}

function overHttp1(call: MutualTlsRequest): Promise<MutualTlsAnswer> {
  const { port, path, method = 'GET', headers = {}, body = '' } = call;
  return new Promise((resolve, reject) => {
    const options = { ...tlsOf(call), host: '127.0.0.1', port, path, method, agent: false as const };
    const sent = httpsRequest({ ...options, headers: { host: 'api.example.com', ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function overHttp2(call: MutualTlsRequest): Promise<MutualTlsAnswer> {
  const { port, path, method = 'GET', headers = {}, body = '' } = call;
  return new Promise((resolve, reject) => {
    const session = connect(`https://127.0.0.1:${String(port)}`, tlsOf(call));
    const fail = (error: Error): void => {
      session.destroy();
      reject(error);
    };
    session.on('error', fail);
    const pseudo = { ':method': method, ':path': path, ':authority': 'api.example.com' };
    const stream = session.request({ ...pseudo, ...headers }, { endStream: false });
    let [status, text, fields]: [number, string, IncomingHttpHeaders] = [0, '', {}];
    stream.setEncoding('utf8');
    stream.on('error', fail);
    stream.on('response', (answer) => {
      status = Number(answer[':status']);
      fields = answer;
    });
    stream.on('data', (chunk: string) => (text += chunk));
    stream.on('end', () => {
      session.close();
      resolve({ status, headers: fields, body: text });
    });
    stream.end(body);
  });
}

import { fileURLToPath } from 'node:url';
import { percentEncoded } from '../../test/support/pipeline/check-request.ts';
import { loadSync, type MethodDefinition } from '@grpc/proto-loader';

/** What differs from the recorded Check; everything else stays as Envoy sent it. */
export interface CheckEdit {
  readonly method?: string;
  /** The request target. */
  readonly path?: string;
  /** Header fields, with lower-case names: in place of those of the same name, else added. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, with the length and the mark that Envoy gives with it. */
  readonly body?: Buffer;
  /** The certificate of the caller, as PEM. */
  readonly certificate?: string;
}

interface UpstreamHeader {
  readonly key: string;
  rawValue: Buffer;
}

interface UpstreamCheck {
  readonly attributes: {
    readonly source: { certificate?: string };
    readonly request: {
      readonly http: {
        method: string;
        path: string;
        size?: string;
        rawBody?: Buffer;
        readonly headerMap: { readonly headers: UpstreamHeader[] };
      };
    };
  };
}

/** Makes a function that writes variants of one `CheckRequest`, with Envoy's own definitions, so that no field is lost. */
export function createCheckEditor(recorded: Buffer): (edit: CheckEdit) => Buffer {
  const { requestDeserialize, requestSerialize } = loadCheckMethod();
  return ({ method, path, headers = {}, body, certificate }) => {
    const check = requestDeserialize(recorded);
    const { http } = check.attributes.request;
    const set = (name: string, value: string): void => {
      const rawValue = Buffer.from(value, 'latin1');
      const present = http.headerMap.headers.find(({ key }) => key === name);
      if (present === undefined) http.headerMap.headers.push({ key: name, rawValue });
      else present.rawValue = rawValue;
    };
    if (method !== undefined) set(':method', (http.method = method));
    if (path !== undefined) set(':path', (http.path = path));
    if (body !== undefined) {
      http.rawBody = body;
      http.size = String(body.length);
      set('content-length', http.size);
      set('x-envoy-auth-partial-body', 'false');
    }
    for (const [name, value] of Object.entries(headers)) set(name, value);
    if (certificate !== undefined) check.attributes.source.certificate = percentEncoded(certificate);
    return requestSerialize(check);
  };
}

function loadCheckMethod(): MethodDefinition<UpstreamCheck, object> {
  const definitions = fileURLToPath(new URL('../../node_modules/@grpc/grpc-js-xds/deps', import.meta.url));
  const loaded = loadSync('envoy/service/auth/v3/external_auth.proto', {
    includeDirs: ['envoy-api', 'googleapis', 'protoc-gen-validate', 'xds'].map((name) => `${definitions}/${name}`),
    longs: String,
    bytes: Buffer,
  });
  const service = loaded['envoy.service.auth.v3.Authorization'] as unknown as {
    readonly Check: MethodDefinition<UpstreamCheck, object>;
  };
  return service.Check;
}

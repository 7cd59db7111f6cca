import type { GrpcTransport } from '../config.ts';
import { createGrpcJsTransport } from './grpc-js-transport.ts';
import { createHttp2Transport } from './http2-transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** Makes the gRPC listener that the settings ask for (docs/adr/0001-transport.md). */
export function createTransport(kind: GrpcTransport, options: TransportOptions): Transport {
  switch (kind) {
    case 'native':
      return createHttp2Transport(options);
    case 'grpc-js':
      return createGrpcJsTransport(options);
  }
}

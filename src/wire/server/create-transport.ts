import type { GrpcTransport } from '../grpc-transport.ts';
import { createHttp2Transport } from './http2-transport.ts';
import type { Transport, TransportOptions } from './transport.ts';

/** Makes a gRPC listener. */
export type CreateTransport = (options: TransportOptions) => Transport;

/**
 * The transport that the settings ask for (docs/adr/0001-transport.md). grpc-js takes 15 MiB, so that it is loaded only
 * where it is used.
 */
export async function loadTransport(kind: GrpcTransport): Promise<CreateTransport> {
  switch (kind) {
    case 'native':
      return createHttp2Transport;
    case 'grpc-js':
      return (await import('./grpc-js-transport.ts')).createGrpcJsTransport;
  }
}

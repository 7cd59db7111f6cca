/** The ways to speak gRPC (docs/adr/0001-transport.md). */
export const grpcTransports = ['native', 'grpc-js'] as const;
/** One of {@link grpcTransports}. */
export type GrpcTransport = (typeof grpcTransports)[number];

import { type GrpcFailure, grpcStatus } from '../transport.ts';

/** The statuses and answers that the transport itself gives, in words for the peer. */
export const internal: GrpcFailure = { status: grpcStatus.internal, message: 'internal error' };
export const malformedTimeout: GrpcFailure = { status: grpcStatus.internal, message: 'grpc-timeout is malformed' };
export const deadlineExceeded: GrpcFailure = { status: grpcStatus.deadlineExceeded, message: 'deadline exceeded' };
export const stalled: GrpcFailure = {
  status: grpcStatus.deadlineExceeded,
  message: 'the message did not come in time',
};
export const noMemory: GrpcFailure = { status: grpcStatus.resourceExhausted, message: 'too many messages at once' };
export const stopping: GrpcFailure = { status: grpcStatus.unavailable, message: 'the server is stopping' };

/** What an answer to no gRPC request says. */
export const plainTexts: Readonly<Record<number, string>> = {
  405: 'gRPC requests are POST requests.\n',
  415: 'This is a gRPC server: it takes content-type application/grpc.\n',
  431: 'The header fields are too large.\n',
};

import { type GrpcFailure, grpcStatus } from '../transport.ts';

/** The statuses and answers that the transport itself gives, in words for the peer. */
export const internal: GrpcFailure = { status: grpcStatus.internal, message: 'internal error' };
/** For a `grpc-timeout` that cannot be read (gRPC over HTTP/2, "Requests"). */
export const malformedTimeout: GrpcFailure = { status: grpcStatus.internal, message: 'grpc-timeout is malformed' };
/** For a call whose `grpc-timeout` is over. */
export const deadlineExceeded: GrpcFailure = { status: grpcStatus.deadlineExceeded, message: 'deadline exceeded' };
/** For a peer that does not finish its message. */
export const stalled: GrpcFailure = {
  status: grpcStatus.deadlineExceeded,
  message: 'the message did not come in time',
};
/** For a call while others hold the memory that there is. */
export const noMemory: GrpcFailure = { status: grpcStatus.resourceExhausted, message: 'too many messages at once' };
/** For a streaming call while the server drains. */
export const stopping: GrpcFailure = { status: grpcStatus.unavailable, message: 'the server is stopping' };

/** What an answer to no gRPC request says. */
export const plainTexts: Readonly<Record<number, string>> = {
  405: 'gRPC requests are POST requests.\n',
  415: 'This is a gRPC server: it takes content-type application/grpc.\n',
  431: 'The header fields are too large.\n',
};

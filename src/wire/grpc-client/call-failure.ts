/** The gRPC statuses that the client itself gives (gRPC, "Status codes and their use in gRPC"). */
export const callStatus = {
  unknown: 2,
  deadlineExceeded: 4,
  permissionDenied: 7,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A call has no answer. The message is for logs: what it holds of the peer's is printable and short. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  /** The gRPC status: the peer's, or the one that fits what went wrong. Never 0. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What an HTTP status means where the peer gave no gRPC status (gRPC, "HTTP to gRPC Status Code Mapping"). */
export function statusOfHttp(httpStatus: string): number {
  return httpStatuses[httpStatus] ?? callStatus.unknown;
}

const httpStatuses: Readonly<Record<string, number>> = {
  '400': callStatus.internal,
  '401': callStatus.unauthenticated,
  '403': callStatus.permissionDenied,
  '404': callStatus.unimplemented,
  '429': callStatus.unavailable,
  '502': callStatus.unavailable,
  '503': callStatus.unavailable,
  '504': callStatus.unavailable,
};

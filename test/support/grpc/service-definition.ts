import type { MethodDefinition } from '@grpc/grpc-js';

/** How the generated code writes and reads messages of one type. */
interface MessageType {
  encode(message: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

/** A service as the generated code describes it, for no gRPC library in particular. */
interface GenericDefinition<M extends string> {
  readonly fullName: string;
  readonly methods: Readonly<
    Record<
      M,
      {
        readonly name: string;
        readonly requestType: MessageType;
        readonly requestStream: boolean;
        readonly responseType: MessageType;
        readonly responseStream: boolean;
      }
    >
  >;
}

/** The same service for servers of grpc-js. */
export function serviceDefinition<M extends string>({
  fullName,
  methods,
}: GenericDefinition<M>): Record<M, MethodDefinition<unknown, unknown>> {
  const entries = Object.entries<GenericDefinition<M>['methods'][M]>(methods).map(([key, method]) => {
    const { name, requestType, requestStream, responseType, responseStream } = method;
    const definition: MethodDefinition<unknown, unknown> = {
      path: `/${fullName}/${name}`,
      requestStream,
      responseStream,
      requestSerialize: (message) => Buffer.from(requestType.encode(message).finish()),
      requestDeserialize: (bytes) => requestType.decode(bytes),
      responseSerialize: (message) => Buffer.from(responseType.encode(message).finish()),
      responseDeserialize: (bytes) => responseType.decode(bytes),
    };
    return [key, definition];
  });
  return Object.fromEntries(entries) as Record<M, MethodDefinition<unknown, unknown>>;
}

import { Client, credentials } from '@grpc/grpc-js';
import { CheckResponse } from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { checkRequest, type RequestParts } from '../pipeline/check-request.ts';

const deadlineMs = 20_000;

/** What a gateway on this address answers, over gRPC as Envoy asks. */
export interface Asked {
  /** Whether its health says SERVING. */
  readonly isServing: () => Promise<boolean>;
  /**
   * The decision about a request: 0 for an allow, or the gRPC code of a refusal; and the status that the caller gets.
   */
  readonly check: (request: RequestParts) => Promise<{ readonly code: number; readonly httpStatus: number | null }>;
  readonly close: () => void;
}

/** Connects to the gRPC listener of a gateway; waits until it is there. */
export function askPostern(address: string): Asked {
  const client = new Client(address, credentials.createInsecure());
  const call = (path: string, message: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      const asIs = (bytes: Buffer): Buffer => bytes;
      const options = { deadline: performance.timeOrigin + performance.now() + deadlineMs };
      client.waitForReady(options.deadline, (failure) => {
        if (failure !== undefined) {
          reject(failure);
          return;
        }
        client.makeUnaryRequest(path, asIs, asIs, message, options, (error, answer) => {
          if (error !== null) reject(new Error(error.message, { cause: error }));
          else resolve(answer ?? Buffer.alloc(0));
        });
      });
    });
  return {
    // grpc.health.v1.HealthCheckResponse with status SERVING (1).
    isServing: async () => (await call('/grpc.health.v1.Health/Check', Buffer.alloc(0))).equals(Buffer.from([8, 1])),
    check: async (request) => {
      const answer = CheckResponse.decode(
        await call('/envoy.service.auth.v3.Authorization/Check', checkRequest(request)),
      );
      const { httpResponse } = answer;
      return {
        code: answer.status?.code ?? 0,
        httpStatus: httpResponse?.$case === 'deniedResponse' ? (httpResponse.value.status?.code ?? null) : null,
      };
    },
    close: () => {
      client.close();
    },
  };
}

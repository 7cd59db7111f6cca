import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { type AttributeContext_HttpRequest } from '../../../src/gen/envoy/service/auth/v3/attribute_context.ts';
import {
  AuthorizationDefinition,
  type CheckRequest,
  type CheckResponse,
} from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { serviceDefinition } from '../grpc/service-definition.ts';
import { allow } from './check-answers.ts';
import { type Fields } from '../http/http-message.ts';

/** Above the largest body that Envoy sends, with room for headers. */
const maxMessageBytes = 12 * 1024 * 1024;

/** A call that ends with a gRPC status instead of an answer. */
export interface CallFailure {
  readonly grpcStatus: status;
}

/** A stand-in for Postern: Envoy asks it, and it answers what a test says. */
export interface FakeCheckService extends AsyncDisposable {
  readonly port: number;
  /** Every Check so far. */
  readonly checks: readonly CheckRequest[];
  /** What the next Checks are answered; everything is allowed at first. */
  answer: (request: CheckRequest) => CheckResponse | CallFailure | Promise<CheckResponse | CallFailure>;
  /** Forgets the Checks, and answers as at first. */
  reset(): void;
}

/** Starts the service on a port that the system chooses. */
export async function startFakeCheckService(): Promise<FakeCheckService> {
  const service = new Service();
  await service.listen();
  return service;
}

class Service implements FakeCheckService {
  port = 0;
  readonly checks: CheckRequest[] = [];
  answer: FakeCheckService['answer'] = () => allow();
  readonly #server: Server;

  constructor() {
    this.#server = new Server({ 'grpc.max_receive_message_length': maxMessageBytes });
    this.#server.addService(serviceDefinition(AuthorizationDefinition), {
      check: (call: ServerUnaryCall<CheckRequest, CheckResponse>, callback: sendUnaryData<CheckResponse>) => {
        void this.#check(call.request, callback);
      },
    });
    new HealthImplementation({ '': 'SERVING', 'envoy.service.auth.v3.Authorization': 'SERVING' }).addToServer(
      this.#server,
    );
  }

  async listen(): Promise<void> {
    this.port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
        if (error === null) resolve(port);
        else reject(error);
      });
    });
  }

  reset(): void {
    this.checks.length = 0;
    this.answer = () => allow();
  }

  async #check(request: CheckRequest, callback: sendUnaryData<CheckResponse>): Promise<void> {
    this.checks.push(request);
    try {
      const answer = await this.answer(request);
      if ('grpcStatus' in answer) callback({ code: answer.grpcStatus, details: 'as the test says' });
      else callback(null, answer);
    } catch (error) {
      callback({ code: status.INTERNAL, details: String(error) });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.forceShutdown();
    return Promise.resolve();
  }
}

/** The HTTP request that a Check is about. */
export function checkedRequest(check: CheckRequest): AttributeContext_HttpRequest {
  const http = check.attributes?.request?.http;
  if (http === undefined) throw new Error('the Check holds no HTTP request');
  return http;
}

/** The header fields of a Check in order, with repeats, one character per byte. */
export function checkedFields(check: CheckRequest): Fields {
  const fields = checkedRequest(check).headerMap?.headers ?? [];
  return fields.map(({ key, rawValue }) => [key, Buffer.from(rawValue).toString('latin1')]);
}

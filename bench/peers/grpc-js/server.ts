import { readFileSync } from 'node:fs';
import { type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall } from '@grpc/grpc-js';
import {
  AuthorizationDefinition,
  type CheckRequest,
  CheckResponse,
} from '../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { serviceDefinition } from '../../../test/support/grpc/service-definition.ts';
import { HttpRequest } from '../../../src/check/receive/http-request.ts';
import type { Partner } from '../../fixtures/partners.ts';
import { createHmacCheck } from './check-hmac.ts';

/**
 * A gRPC service on grpc-js. `full` decodes every CheckRequest with the code that ts-proto generates, `lazy` with
 * Postern's reader and the three texts that every check needs; both allow everything. `hmac` decodes as `full` does and
 * verifies the signature, with the partners of a file.
 * It listens on a free port of the loopback address and prints "listening PORT".
 */
const allowed = CheckResponse.fromPartial({
  status: { code: 0 },
  httpResponse: { $case: 'okResponse', value: {} },
});

const authorization = serviceDefinition(AuthorizationDefinition);

/** What is read when a check begins; returned, so that the reading cannot be left out. */
interface Glance {
  readonly method: string;
  readonly path: string;
  readonly authority: string;
}

function glance(message: Buffer): Glance {
  const request = HttpRequest.parse(message);
  if (request === null) throw new Error('not a CheckRequest');
  const { method, path, authority } = request;
  return { method, path, authority };
}

type Reply = sendUnaryData<CheckResponse>;

function createFull() {
  return {
    service: authorization,
    check: (_call: ServerUnaryCall<CheckRequest, CheckResponse>, reply: Reply) => {
      reply(null, allowed);
    },
  };
}

function createLazy() {
  return {
    service: { check: { ...authorization.check, requestDeserialize: glance } },
    check: (_call: ServerUnaryCall<Glance, CheckResponse>, reply: Reply) => {
      reply(null, allowed);
    },
  };
}

function createHmac() {
  const checkHmac = createHmacCheck(JSON.parse(readFileSync(process.argv[3] ?? '', 'utf8')) as Partner[]);
  return {
    service: authorization,
    check: ({ request }: ServerUnaryCall<CheckRequest, CheckResponse>, reply: Reply) => {
      reply(null, checkHmac(request));
    },
  };
}

const modes = { full: createFull, lazy: createLazy, hmac: createHmac };
const mode = process.argv[2];
if (mode !== 'full' && mode !== 'lazy' && mode !== 'hmac') throw new Error('usage: server.ts full|lazy|hmac PARTNERS');
const { service, check } = modes[mode]();
const server = new Server({ 'grpc.max_receive_message_length': 12 * 1024 * 1024 });
server.addService(service, { check });
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.stdout.write(`listening ${String(port)}\n`);
});

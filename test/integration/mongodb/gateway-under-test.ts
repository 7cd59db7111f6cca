import assert from 'node:assert/strict';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { parseConfig } from '../../../src/gateway/config.ts';
import type { Environment } from '../../../src/base/environment.ts';
import { type Gateway } from '../../../src/gateway/gateway.ts';
import { AUTHORIZATION_SERVICE } from '../../../src/gateway/readiness.ts';
import {
  HealthCheckRequest,
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus,
} from '../../../src/gen/grpc/health/v1/health.ts';
import { createLogger } from '../../../src/gateway/observe/logger.ts';
import { messagesOf, RawClient } from '../../support/grpc/raw-client.ts';
import { type AllowedAnswer, readAnswer, type RefusedAnswer } from '../../support/pipeline/answer.ts';
import { checkRequest, type RequestParts } from '../../support/pipeline/check-request.ts';
import { poll } from '../../support/time/poll.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';

type LogLine = Readonly<Record<string, unknown>>;

/** A whole gateway in this process, with a database as its store. */
export interface GatewayUnderTest extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Everything it logged, as it is. */
  log(): string;
  /** The first line with this message, written already or to come. */
  line(message: string): Promise<LogLine>;
  /** What the admin listener says at a path. */
  admin(path: string): Promise<{ readonly status: number; readonly text: string }>;
  /** `ALLOWED`, or the code of the refusal. */
  check(request: RequestParts): Promise<string>;
  /** The whole answer. */
  ask(request: RequestParts): Promise<AllowedAnswer | RefusedAnswer>;
  /** The states that gRPC health gives: of the process, and of the authorization service. */
  health(): Promise<[process: string, authorization: string]>;
}

/** Starts a gateway on free ports. `settings` come beside those that a test needs anyway. */
export async function startTestGateway(
  uri: string,
  settings: Environment = {},
  clock: Clock = systemClock,
): Promise<GatewayUnderTest> {
  const environment = {
    POSTERN_STORE: uri,
    POSTERN_KEYRING: 'env:KEY_RING',
    KEY_RING: ringText(1),
    POSTERN_GRPC_ADDRESS: '127.0.0.1:0',
    POSTERN_HTTP_ADDRESS: '127.0.0.1:0',
    POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
    POSTERN_SHUTDOWN_GRACE_SECONDS: '0',
    ...settings,
  };
  const parsed = parseConfig(environment);
  assert.ok('config' in parsed, 'the settings are right');
  let log = '';
  const destination = { write: (text: string) => (log += text) };
  // The gateway loads its store when it knows which. Both must come from the same loader, or errors are of two classes.
  const { startGateway } = await import('../../../src/gateway/gateway.ts');
  const gateway = await startGateway({
    config: parsed.config,
    environment,
    clock,
    logger: createLogger('info', destination),
  });
  const lines = (): LogLine[] =>
    log
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => JSON.parse(text) as LogLine);
  const line = async (message: string): Promise<LogLine> =>
    await poll(`the log line "${message}"`, () =>
      Promise.resolve(lines().find((each) => each['message'] === message) ?? null),
    );
  const portOf = (name: string): number => {
    const found = lines().find((each) => typeof each[name] === 'string');
    return Number(/:(\d+)$/.exec(String(found?.[name]))?.[1]);
  };
  const ask: GatewayUnderTest['ask'] = async (request) => {
    await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: portOf('grpc') });
    const answer = await client.call('/envoy.service.auth.v3.Authorization/Check', checkRequest(request));
    const [message] = messagesOf(answer.body);
    assert.ok(message, `a message, not the gRPC status ${String(answer.grpcStatus)}`);
    return readAnswer(message);
  };
  return {
    gateway,
    log: () => log,
    line,
    admin: async (path) => {
      const response = await fetch(`http://127.0.0.1:${String(portOf('admin'))}${path}`);
      return { status: response.status, text: await response.text() };
    },
    check: async (request) => {
      const decided = await ask(request);
      return decided.kind === 'allowed' ? 'ALLOWED' : `${String(decided.status)} ${decided.body.code}`;
    },
    ask,
    health: async () => {
      await using client = await RawClient.connect({ kind: 'tcp', host: '127.0.0.1', port: portOf('grpc') });
      const ask = async (service: string): Promise<string> => {
        const question = Buffer.from(HealthCheckRequest.encode({ service }).finish());
        const [message] = messagesOf((await client.call('/grpc.health.v1.Health/Check', question)).body);
        assert.ok(message);
        const { status } = HealthCheckResponse.decode(message);
        return status === HealthCheckResponse_ServingStatus.SERVING ? 'SERVING' : 'NOT_SERVING';
      };
      return [await ask(''), await ask(AUTHORIZATION_SERVICE)];
    },
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

import { RawClient, messagesOf } from '../../test/support/grpc/raw-client.ts';
import type { PlainRequest } from '../../test/support/http/http-client.ts';
import { readAnswer } from '../../test/support/pipeline/answer.ts';
import { checkRequest } from '../../test/support/pipeline/check-request.ts';
import { ALLOWED, NO_ANSWER } from './history.ts';

const PATH = '/envoy.service.auth.v3.Authorization/Check';
/** As Envoy waits for a check in the committed `envoy.yaml`. */
const DEADLINE_MS = 5000;

/** Asks one replica, as Envoy does. */
export interface ReplicaClient extends AsyncDisposable {
  /** {@link ALLOWED}, the code of a refusal, or {@link NO_ANSWER}. */
  ask(request: PlainRequest): Promise<string>;
}

/** Connects to the Unix socket of a replica. */
export async function connectReplica(socket: string): Promise<ReplicaClient> {
  const client = await RawClient.connect({ kind: 'unix', path: socket });
  return {
    ask: async ({ method = 'GET', target = '/', headers = [] }) => {
      const message = checkRequest({ method, path: target, headers });
      const answer = await Promise.race([client.call(PATH, message), lateAnswer()]);
      const [bytes] = answer === null || answer.grpcStatus !== 0 ? [] : messagesOf(answer.body);
      if (bytes === undefined) return NO_ANSWER;
      const decided = readAnswer(bytes);
      return decided.kind === 'allowed' ? ALLOWED : decided.body.code;
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

async function lateAnswer(): Promise<null> {
  return await new Promise((resolve) => {
    setTimeout(resolve, DEADLINE_MS, null).unref();
  });
}

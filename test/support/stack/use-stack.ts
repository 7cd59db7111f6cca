import assert from 'node:assert/strict';
import { type AccessLogEntry } from '../envoy/envoy.ts';
import { fieldValue, type HttpAnswer, type RecordedRequest } from '../http/http-message.ts';
import { type PlainRequest, type Protocol, send } from '../http/http-client.ts';
import { assertOne } from '../assertions/assert-one.ts';
import { assertRefused, type RefusedCode } from '../http/assert-refused.ts';
import { release } from '../lifetime/release.ts';
import { sharedStack } from './shared-stack.ts';
import { type Stack, startStack, type UsedStackOptions } from './stack.ts';

/**
 * The product for one file of tests: started before the first, ended after the last; the back end forgets in between.
 */
export interface StackInUse {
  /** The running product, within a test. */
  readonly stack: () => Stack;
  /** Makes one request to Envoy. */
  readonly send: (protocol: Protocol, request: PlainRequest) => Promise<HttpAnswer>;
  /** Makes one request that must go through, and gives what the back end got. */
  readonly sendAllowed: (protocol: Protocol, request: PlainRequest) => Promise<RecordedRequest>;
  /** Makes one request that must be refused with this code, and of which the back end must see nothing. */
  readonly sendRefused: (protocol: Protocol, request: PlainRequest, code: RefusedCode) => Promise<HttpAnswer>;
  /** What Envoy's access log says of an answered request. */
  readonly logged: (answer: HttpAnswer) => Promise<AccessLogEntry>;
}

/** Starts a stack around the tests of the calling `describe`, or takes the shared one. */
export function useStack(documentYaml: string, options: UsedStackOptions = {}): StackInUse {
  let running: Stack | undefined;
  const stack = (): Stack => {
    assert.ok(running, 'the stack runs within tests only');
    return running;
  };
  before(async () => {
    running = options === 'shared' ? await sharedStack(documentYaml) : await startStack(documentYaml, options);
  });
  after(() => (options === 'shared' ? Promise.resolve() : release(running)));
  beforeEach(() => {
    stack().backend.reset();
  });
  const sendAny = (protocol: Protocol, request: PlainRequest): Promise<HttpAnswer> =>
    send(protocol, stack().envoy.port, request);
  return {
    stack,
    send: sendAny,
    sendAllowed: async (protocol, request) => {
      const before = stack().backend.requests.length;
      const answer = await sendAny(protocol, request);
      assert.equal(answer.status, 200, answer.body.toString());
      return assertOne(stack().backend.requests.slice(before));
    },
    sendRefused: async (protocol, request, code) => {
      const before = stack().backend.requests.length;
      const answer = await sendAny(protocol, request);
      assertRefused(answer, code);
      assert.equal(stack().backend.requests.length, before, 'a refused request reached the back end');
      return answer;
    },
    logged: (answer) => stack().envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? ''),
  };
}

import assert from 'node:assert/strict';
import { type PlainRequest, type Protocol, send } from '../http/http-client.ts';
import { fieldValue, type HttpAnswer, type RecordedRequest } from '../http/http-message.ts';
import { assertOne } from '../assertions/assert-one.ts';
import { release } from '../lifetime/release.ts';
import { sharedStack } from '../stack/shared-stack.ts';
import { type Stack, startStack, type UsedStackOptions } from '../stack/stack.ts';
import { assertSignedRefused, type challenges, type SignedCode } from './assert-signed-refused.ts';
import { nowSeconds } from './hmac.ts';
import { type EndpointLine, signatureDocument } from './signature-document.ts';

/** The product for the tests of one `describe`, with endpoints of one signature method in question. */
export interface SignedStack {
  /** The running product, within a test. */
  running(): Stack;
  /** Makes one request to Envoy. */
  send(protocol: Protocol, request: PlainRequest): Promise<HttpAnswer>;
  /** An answer that must be that of the back end; gives the one request that the back end got. */
  assertAllowed(answer: HttpAnswer): RecordedRequest;
  /** An answer that must be this refusal, and of whose request the back end must have seen nothing. */
  assertRefused(answer: HttpAnswer, code: SignedCode, more?: Readonly<Record<string, unknown>>): void;
  /** What Envoy's access log says of an answered request. */
  logged(answer: HttpAnswer): Promise<Readonly<Record<string, unknown>>>;
}

/** Starts a stack around the tests of the calling `describe`, or takes the shared one. */
export function useSignedStack(
  method: keyof typeof challenges,
  endpoints: readonly EndpointLine[],
  options: UsedStackOptions = {},
  credentials: readonly object[] = [],
): SignedStack {
  let stack: Stack | undefined;
  const running = (): Stack => {
    assert.ok(stack, 'the stack runs within tests only');
    return stack;
  };
  before(async () => {
    const document = signatureDocument(endpoints, credentials);
    stack = options === 'shared' ? await sharedStack(document) : await startStack(document, options);
  });
  after(() => (options === 'shared' ? Promise.resolve() : release(stack)));
  beforeEach(() => {
    running().backend.reset();
  });
  return {
    running,
    send: (protocol, request) => send(protocol, running().envoy.port, request),
    assertAllowed: (answer) => {
      assert.equal(answer.status, 200, answer.body.toString());
      return assertOne(running().backend.requests);
    },
    assertRefused: (answer, code, more) => {
      assertSignedRefused(answer, code, method, more);
      assert.equal(running().backend.requests.length, 0, 'a refused request reached the back end');
    },
    logged: (answer) => running().envoy.accessLogEntry(fieldValue(answer.headers, 'x-request-id') ?? ''),
  };
}

/**
 * Makes an exchange that begins and ends in one second of the clock, given as its start: made again when it did not. The
 * back end then has what the last exchange sent only.
 */
export async function withinOneSecond<T>(
  { backend }: Pick<Stack, 'backend'>,
  exchange: (seconds: number) => Promise<T>,
): Promise<T> {
  for (;;) {
    backend.reset();
    const seconds = nowSeconds();
    const result = await exchange(seconds);
    if (nowSeconds() === seconds) return result;
  }
}

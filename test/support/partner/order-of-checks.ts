import assert from 'node:assert/strict';
import { type RequestParts } from '../pipeline/check-request.ts';
import { type TestGateway } from '../pipeline/gateway.ts';
import { lastDecision } from './signed-gateway.ts';

/** One thing that can be wrong with a request, in the order in which it is looked at (spec §3). */
export interface Fault<P> {
  readonly code: string;
  /** What the log says. */
  readonly detail: string;
  /** Wrong before the request is signed. */
  readonly parts?: Partial<P>;
  /** Wrong afterwards. */
  readonly change?: (request: RequestParts) => RequestParts;
  readonly isClosed?: boolean;
  readonly isLimited?: boolean;
}

/** Describes each fault: with it, and with all those after it, it is the one that is reported. */
export function describeOrder<P>(
  faults: readonly Fault<P>[],
  sign: (parts: Partial<P>) => RequestParts,
  open: (parts: { readonly isClosed: boolean; readonly isLimited: boolean }) => TestGateway,
): void {
  it('accepts a request with none of the faults', async () => {
    const gateway = open({ isClosed: false, isLimited: false });
    await gateway.send(sign({}));
    assert.deepEqual(lastDecision(gateway), { code: 'ALLOWED', detail: null });
  });

  for (const [index, { code, detail }] of faults.entries()) {
    it(`${code}, before all that follow: ${detail}`, async () => {
      const rest = faults.slice(index);
      const gateway = open({
        isClosed: rest.some(({ isClosed }) => isClosed === true),
        isLimited: rest.some(({ isLimited }) => isLimited === true),
      });
      // Uses up the limit, where there is one.
      await gateway.send(sign({}));
      const parts = rest.toReversed().reduce<Partial<P>>((sum, { parts: wrong }) => ({ ...sum, ...wrong }), {});
      const request = rest.toReversed().reduce((sum, { change }) => change?.(sum) ?? sum, sign(parts));
      await gateway.send(request);
      assert.deepEqual(lastDecision(gateway), { code, detail });
      assert.deepEqual(gateway.defects, []);
    });
  }
}

/** Adds a header line. */
export function withLine(name: string, value: string): (request: RequestParts) => RequestParts {
  return (request) => ({ ...request, headers: [...(request.headers ?? []), [name, value]] });
}

/** The faults of any request, which are looked at before the endpoint is known. */
export const receivedFaults = [
  {
    code: 'BODY_TOO_LARGE',
    detail: 'Envoy did not deliver the whole body',
    change: withLine('x-envoy-auth-partial-body', 'true'),
  },
  {
    code: 'PATH_NOT_NORMAL',
    detail: 'the path holds an empty segment',
    change: (request: RequestParts) => ({ ...request, path: '//unknown' }),
  },
  {
    code: 'MALFORMED_REQUEST',
    detail: 'the authority is not host[:port]',
    change: (request: RequestParts) => ({ ...request, authority: 'a,b' }),
  },
  {
    code: 'ENDPOINT_NOT_FOUND',
    detail: 'no endpoint matches host, path and method',
    change: (request: RequestParts) => ({ ...request, path: '/unknown' }),
  },
  {
    code: 'BODY_TOO_LARGE',
    detail: 'the request asks for an upgrade, after which nothing can be verified',
    change: withLine('upgrade', 'websocket'),
  },
] as const;

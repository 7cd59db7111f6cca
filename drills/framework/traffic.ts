import type { Fleet } from '../../test/support/fleet/fleet.ts';
import type { LoadReport } from '../../test/support/load/open-load.ts';
import { type PlainRequest, send } from '../../test/support/http/http-client.ts';
import { jsonBody } from '../../test/support/http/http-message.ts';
import { poll } from '../../test/support/time/poll.ts';
import type { Stage } from './stage.ts';

/** Status of an answer, and the code of a refusal: `200`, `401 AUTHENTICATION_FAILED`. */
export async function call({ envoy }: Pick<Fleet, 'envoy'>, request: PlainRequest): Promise<string> {
  const answer = await send('HTTP/1.1', envoy.port, request);
  if (answer.status === 200) return '200';
  const { code, error } = jsonBody(answer) as { readonly code?: string; readonly error?: string };
  return `${String(answer.status)} ${code ?? error ?? ''}`;
}

/** Calls once, and expects this outcome: `200`, `401 AUTHENTICATION_FAILED`. */
export async function expectCall(
  stage: Stage,
  fleet: Pick<Fleet, 'envoy'>,
  what: string,
  request: PlainRequest,
  outcome: string,
): Promise<void> {
  const found = await call(fleet, request);
  stage.expect(`${what}: ${outcome}`, found === outcome, found);
}

/** Calls until the outcome is this one. */
export async function untilCall(
  stage: Stage,
  fleet: Pick<Fleet, 'envoy'>,
  what: string,
  request: () => PlainRequest,
  outcome: string,
): Promise<void> {
  let found = '';
  await poll(`${what}: ${outcome}`, async () => {
    found = await call(fleet, request());
    return found === outcome ? true : null;
  }).catch(() => null);
  stage.expect(`${what}: ${outcome}`, found === outcome, found);
}

/** Shows what came of a load, and expects that nothing failed. */
export function expectNoFailure(stage: Stage, report: LoadReport): void {
  stage.show(describeLoad(report));
  stage.expect('no request failed', report.failed === 0, JSON.stringify(report.outcomes));
}

/** `2517 requests, 250/s, p50 2 ms, p99 21 ms, at most 40 ms`, and below how many of each kind. */
export function describeLoad({ sent, perSecond, p50Ms, p99Ms, maxMs, outcomes }: LoadReport): string {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const lines = Object.entries(outcomes).map(([kind, count]) => `${String(count)} × ${kind}`);
  const times = `p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, at most ${ms(maxMs)}`;
  return [`${String(sent)} requests, ${perSecond.toFixed(0)}/s, ${times}`, ...lines].join('\n');
}

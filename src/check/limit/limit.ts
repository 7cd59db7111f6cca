import type { Permit } from '../authorize/authorize.ts';
import { formatLimit, type LimitReading, type LimitScope } from '../../model/limit.ts';
import { type Pending, whenReady } from '../../base/pending.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { type Limiter, LimiterUnavailable } from './limiter.ts';

declare const granted: unique symbol;

/** Proof that every stage let the request through. */
export interface Granted {
  readonly permit: Permit;
  /** The limit that callers see; null on endpoints without limits, or when the limiter did not answer. */
  readonly reading: LimitReading | null;
  readonly [granted]: true;
}

/** What traffic control needs besides the request. */
export interface LimitPorts {
  readonly limiter: Limiter;
  /** Called whenever the limiter could not answer, whether the request is then allowed or refused. */
  readonly onLimiterFailure: (fault: LimiterUnavailable) => void;
}

/**
 * Counts the request against its limits: those per consumer first, and only when they pass those that all callers
 * share, so that one partner's refused requests use up nothing of the others' (spec §4.2); one deadline for both. Over
 * a limit is `RATE_LIMITED`; a limiter that cannot answer allows, or is `LIMITER_UNAVAILABLE`, as the endpoint's
 * options say.
 */
export function limit(permit: Permit, ports: LimitPorts): Pending<Granted | Refusal> {
  if (permit.limits.length === 0) return grant(permit, null);
  try {
    const judged = takeAll(permit, ports.limiter);
    return judged instanceof Promise ? judged.catch((fault: unknown) => judgeFault(permit, ports, fault)) : judged;
  } catch (fault) {
    return judgeFault(permit, ports, fault);
  }
}

function takeAll(permit: Permit, limiter: Limiter): Pending<Granted | Refusal> {
  const deadlineAtMs = limiter.startDeadline?.();
  return whenReady(take(permit, limiter, 'consumer', deadlineAtMs), (own) =>
    own.some((reading) => reading.isExceeded)
      ? judge(permit, own)
      : whenReady(take(permit, limiter, 'endpoint', deadlineAtMs), (shared) => judge(permit, [...own, ...shared])),
  );
}

function take(
  permit: Permit,
  limiter: Limiter,
  scope: LimitScope,
  deadlineAtMs: number | undefined,
): Pending<readonly LimitReading[]> {
  const limits = permit.limits.filter(({ per }) => per === scope);
  if (limits.length === 0) return [];
  const { routed, caller } = permit.authenticated;
  const consumerId = scope === 'consumer' && caller !== null ? caller.consumer.id : null;
  return limiter.take({ endpointId: routed.endpoint.id, consumerId, limits }, deadlineAtMs);
}

function judge(permit: Permit, readings: readonly LimitReading[]): Granted | Refusal {
  const reading = readings.reduce(tighter);
  const exceeded = readings.filter((each) => each.isExceeded);
  if (exceeded.length === 0) return grant(permit, reading);
  return {
    ...refuse('RATE_LIMITED', `over ${exceeded.map((each) => formatLimit(each.limit)).join(' and ')}`),
    exceeded: { reading, retryAfterSeconds: Math.max(...exceeded.map((each) => each.resetSeconds)) },
  };
}

/** The one with the least remaining; of equals the longer window, then the consumer's own (spec §4.2). */
function tighter(a: LimitReading, b: LimitReading): LimitReading {
  const byRemaining = a.remaining - b.remaining;
  if (byRemaining !== 0) return byRemaining < 0 ? a : b;
  const byWindow = a.windowSeconds - b.windowSeconds;
  if (byWindow !== 0) return byWindow > 0 ? a : b;
  return b.limit.per === 'consumer' && a.limit.per !== 'consumer' ? b : a;
}

function judgeFault(permit: Permit, ports: LimitPorts, fault: unknown): Granted | Refusal {
  if (!(fault instanceof LimiterUnavailable)) throw fault;
  ports.onLimiterFailure(fault);
  if (permit.authenticated.routed.endpoint.options.onLimiterFailure === 'deny') {
    return refuse('LIMITER_UNAVAILABLE', fault.message);
  }
  return grant(permit, null);
}

function grant(permit: Permit, reading: LimitReading | null): Granted {
  return { permit, reading } as Granted;
}

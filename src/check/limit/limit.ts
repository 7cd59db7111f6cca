import type { Permit } from '../authorize/authorize.ts';
import { formatLimit, type LimitReading } from '../../model/limit.ts';
import { isPromise, type Pending } from '../../base/pending.ts';
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
  /** Called for each limit of a plan that a consumer has used by {@link NEAR_LIMIT} or more. */
  readonly onPlanNearLimit: (planId: string, consumerId: string, reading: LimitReading) => void;
}

/** The part of a plan's limit from which on it counts as nearly used up. */
export const NEAR_LIMIT = 0.8;

/**
 * Counts the request against its limits: those per consumer with those of its plan first, and only when they pass those
 * that all callers share, so that one partner's refused requests use up nothing of the others' (spec §4.2); one
 * deadline for both. Over a limit is `RATE_LIMITED`; a limiter that cannot answer allows, or is `LIMITER_UNAVAILABLE`,
 * as the endpoint's options say.
 */
export function limit(permit: Permit, ports: LimitPorts): Pending<Granted | Refusal> {
  if (permit.limits.length === 0 && permit.plan === null) return grant(permit, null);
  const { limiter } = ports;
  const deadlineAtMs = limiter.startDeadline?.();
  const takeRest = (): Pending<readonly LimitReading[]> => takeShared(permit, limiter, deadlineAtMs);
  return ask(
    () => takeOwn(permit, limiter, deadlineAtMs),
    (own) =>
      own.some(isOver)
        ? judge(permit, own, ports)
        : ask(takeRest, (shared) => judge(permit, [...own, ...shared], ports), onFault),
    onFault,
  );

  function onFault(fault: unknown): Granted | Refusal {
    return judgeFault(permit, ports, fault);
  }
}

/** Goes on with the readings; one promise for both ways. */
function ask(
  take: () => Pending<readonly LimitReading[]>,
  next: (readings: readonly LimitReading[]) => Pending<Granted | Refusal>,
  onFault: (fault: unknown) => Granted | Refusal,
): Pending<Granted | Refusal> {
  try {
    const readings = take();
    return isPromise(readings) ? readings.then(next, onFault) : next(readings);
  } catch (fault) {
    return onFault(fault);
  }
}

function isOver({ isExceeded }: LimitReading): boolean {
  return isExceeded;
}

/** The caller's own limits on the endpoint, and those of its plan behind them. */
function takeOwn(
  { limits: all, plan, authenticated }: Permit,
  limiter: Limiter,
  deadlineAtMs: number | undefined,
): Pending<readonly LimitReading[]> {
  const ofEndpoint = all.filter(({ per }) => per === 'consumer');
  const limits = plan === null ? ofEndpoint : [...ofEndpoint, ...plan.limits];
  if (limits.length === 0) return [];
  const { routed, caller } = authenticated;
  const endpointId = routed.endpoint.id;
  const consumerId = caller === null ? null : caller.consumer.id;
  const question =
    plan === null ? { endpointId, consumerId, limits } : { endpointId, consumerId, limits, planId: plan.id };
  return limiter.take(question, deadlineAtMs);
}

/** The limits that all callers of the endpoint share. */
function takeShared(
  { limits: all, authenticated }: Permit,
  limiter: Limiter,
  deadlineAtMs: number | undefined,
): Pending<readonly LimitReading[]> {
  const limits = all.filter(({ per }) => per === 'endpoint');
  if (limits.length === 0) return [];
  const endpointId = authenticated.routed.endpoint.id;
  return limiter.take({ endpointId, consumerId: null, limits }, deadlineAtMs);
}

function judge(permit: Permit, readings: readonly LimitReading[], ports: LimitPorts): Granted | Refusal {
  if (permit.plan !== null) reportPlan(permit, readings, ports);
  const reading = readings.reduce(tighter);
  const exceeded = readings.filter(isOver);
  if (exceeded.length === 0) return grant(permit, reading);
  return {
    ...refuse('RATE_LIMITED', `over ${exceeded.map((each) => describe(each, permit)).join(' and ')}`),
    exceeded: { reading, retryAfterSeconds: Math.max(...exceeded.map((each) => each.resetSeconds)) },
  };
}

/** `100/minute/consumer`, or `50/second/plan (gold)`. */
function describe({ limit: counted }: LimitReading, { plan }: Permit): string {
  const text = formatLimit(counted);
  return counted.per === 'plan' && plan !== null ? `${text} (${plan.id})` : text;
}

function reportPlan({ plan, authenticated }: Permit, readings: readonly LimitReading[], ports: LimitPorts): void {
  const { caller } = authenticated;
  if (plan === null || caller === null) return;
  for (const reading of readings) {
    const { per, requests } = reading.limit;
    if (per !== 'plan' || requests - reading.remaining < requests * NEAR_LIMIT) continue;
    ports.onPlanNearLimit(plan.id, caller.consumer.id, reading);
  }
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

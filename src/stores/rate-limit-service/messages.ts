import { RateLimitResponse_Code } from '../../gen/envoy/service/ratelimit/v3/rls.ts';
import { RateLimitUnit } from '../../gen/envoy/type/v3/ratelimit_unit.ts';
import { type CountedLimit, type LimitReading, type LimitUnit, windowAt } from '../../model/limit.ts';
import { WireWriter } from '../../base/protobuf/wire-writer.ts';
import type { LimitQuestion } from '../../check/limit/limiter.ts';
import { readAnswerFields, type StatusFields } from './answer-fields.ts';
import { ServiceFailure } from './service-failure.ts';

const { OK, OVER_LIMIT } = RateLimitResponse_Code;

/** How a unit is counted by the service. */
interface ServiceUnit {
  /** Its name of the unit, or of one with longer windows. Never `UNKNOWN`, which ends the process of the service. */
  readonly unit: RateLimitUnit;
  /** The name of the window, where the service has none of this length: its own month has 30 days. Else null. */
  readonly periodAt: ((nowSeconds: number) => string) | null;
}

const serviceUnits: Readonly<Record<LimitUnit, ServiceUnit>> = {
  second: { unit: RateLimitUnit.SECOND, periodAt: null },
  minute: { unit: RateLimitUnit.MINUTE, periodAt: null },
  hour: { unit: RateLimitUnit.HOUR, periodAt: null },
  day: { unit: RateLimitUnit.DAY, periodAt: null },
  month: { unit: RateLimitUnit.YEAR, periodAt: monthOf },
};

/** One question is written at a time, from its end to its beginning. */
const writer = new WireWriter();

/**
 * The message that counts one request against the limits of a question: one descriptor for each, in their order, with
 * the limit as override (spec §4.2). The entries are `endpoint`, or `plan` for a limit of one, `consumer` (only for
 * `per: consumer` and plans), `unit` and, for a month, `period`, such as `2026-11`, in this order: the service's
 * counters know neither unit nor limit, and ids of endpoints and plans come first because they hold no `_`.
 */
export function encodeQuestion(
  domain: string,
  { endpointId, consumerId, limits, planId = '' }: LimitQuestion,
  nowSeconds: number,
): Uint8Array {
  writer.begin();
  writer.numberField(3, 1); // hits_addend
  for (let at = limits.length - 1; at >= 0; at -= 1) {
    const limit = limits[at];
    if (limit !== undefined) writeDescriptor({ endpointId, planId, consumerId }, limit, nowSeconds);
  }
  const beforeDomain = writer.size;
  writer.utf8(domain);
  writer.head(1, beforeDomain);
  return writer.finish();
}

/** Whose requests are counted. */
interface Counted {
  readonly endpointId: string;
  readonly planId: string;
  readonly consumerId: string | null;
}

/** An `envoy.extensions.common.ratelimit.v3.RateLimitDescriptor`. */
function writeDescriptor(
  { endpointId, planId, consumerId }: Counted,
  { requests, unit, per }: CountedLimit,
  nowSeconds: number,
): void {
  const { unit: serviceUnit, periodAt } = serviceUnits[unit];
  const before = writer.size;
  writer.numberField(2, serviceUnit);
  writer.numberField(1, requests);
  writer.head(2, before);
  if (periodAt !== null) writeEntry('period', periodAt(nowSeconds));
  writeEntry('unit', unit);
  if (consumerId !== null) writeEntry('consumer', consumerId);
  if (per === 'plan') writeEntry('plan', planId);
  else writeEntry('endpoint', endpointId);
  writer.head(2, before);
}

function writeEntry(key: string, value: string): void {
  const before = writer.size;
  writer.textField(2, value);
  writer.textField(1, key);
  writer.head(1, before);
}

/** `2026-11` */
function monthOf(nowSeconds: number): string {
  return new Date(nowSeconds * 1000).toISOString().slice(0, 'YYYY-MM'.length);
}

/**
 * Reads where each limit of a question stands from the service's answer to it. Throws {@link ServiceFailure}: with
 * `error` for bytes that are not an answer, and with `wrong-answer` unless every status carries the limit that was
 * sent. Without its domain in the configuration the service says OK to everything, and only the missing limit shows it
 * (spec §4.2). `nowSeconds` is the time of the question.
 */
export function readAnswer(
  answer: Uint8Array,
  limits: readonly CountedLimit[],
  nowSeconds: number,
): readonly LimitReading[] {
  const fields = readAnswerFields(answer);
  if (fields === null) {
    throw new ServiceFailure('error', 'the rate limit service sent a message that cannot be read');
  }
  const { overallCode, statuses } = fields;
  if (overallCode !== OK && overallCode !== OVER_LIMIT) throw wrong('says neither yes nor no');
  if (statuses.length !== limits.length) throw wrong('does not tell of every limit that was sent');
  // In shadow mode a status is over its limit and the overall code is OK: the latter decides.
  const isRefused = overallCode === OVER_LIMIT;
  const readings = limits.map((limit, index) => read(limit, statuses[index], isRefused, nowSeconds));
  if (isRefused && !readings.some(({ isExceeded }) => isExceeded)) {
    throw wrong('says no, and not for which limit');
  }
  return readings;
}

function read(
  limit: CountedLimit,
  status: StatusFields | undefined,
  isRefused: boolean,
  nowSeconds: number,
): LimitReading {
  if (status === undefined || status.limit === null) {
    throw wrong('did not apply the limit that was sent; its configuration lacks the domain');
  }
  const { unit, periodAt } = serviceUnits[limit.unit];
  if (status.limit.requests !== limit.requests || status.limit.unit !== unit) {
    throw wrong('applied another limit than the one that was sent');
  }
  const isOver = status.code === OVER_LIMIT;
  if (!isOver && status.code !== OK) throw wrong('says neither yes nor no');
  const { startSeconds, endSeconds } = windowAt(limit.unit, nowSeconds);
  const windowSeconds = endSeconds - startSeconds;
  const { seconds, nanos } = status.reset;
  const resetSeconds = periodAt === null ? seconds + (nanos > 0 ? 1 : 0) : endSeconds - nowSeconds;
  return {
    limit,
    remaining: isOver ? 0 : status.remaining,
    resetSeconds: Math.min(windowSeconds, Math.max(1, resetSeconds)),
    windowSeconds,
    isExceeded: isRefused && isOver,
  };
}

function wrong(what: string): ServiceFailure {
  return new ServiceFailure('wrong-answer', `the rate limit service ${what}`);
}

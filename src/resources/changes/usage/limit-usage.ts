import type { Consumer } from '../../../model/consumer.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { type Limit, type LimitUnit, unitSeconds, windowAt } from '../../../model/limit.ts';
import { hourOf, type TrafficCount, type TrafficSource } from '../../../model/traffic-count.ts';
import { declareTime } from '../../declared.ts';
import { judgeAccess } from '../access.ts';
import { readAccessQuestions } from '../endpoint-access.ts';
import type { ResourceStore } from '../resource-store.ts';

/** How much of one limit of an endpoint, or of a grant on it, is used in the window of now. */
export interface LimitUse {
  readonly endpointId: string;
  /** Whether the grant in effect has it, in place of the endpoint. */
  readonly isOfGrant: boolean;
  readonly limit: Limit;
  /** Requests that were allowed: of the consumer, or of all callers where these share the limit. */
  readonly used: number;
  /** When the window ends, in seconds since the epoch. */
  readonly endsAt: number;
}

/** What the use of limits is read from. */
export interface LimitUsePorts {
  readonly resources: ResourceStore;
  readonly traffic: TrafficSource;
  readonly nowSeconds: number;
  /** Which counts of the consumer may be seen; those of all callers of the endpoints may be. */
  readonly isSeen: (count: TrafficCount) => boolean;
}

/** Counts of requests are kept by the hour: they tell nothing of shorter windows. */
function isCounted({ unit }: Limit): boolean {
  return unitSeconds[unit] >= unitSeconds.hour;
}

/**
 * How much is used of the limits of an hour or longer that hold for a consumer on these endpoints, where it may call
 * them: those of the grant in effect, or of the endpoint. The fullest first.
 */
export async function readLimitUse(
  { resources, traffic, nowSeconds, isSeen }: LimitUsePorts,
  consumer: Consumer,
  endpoints: readonly Endpoint[],
): Promise<readonly LimitUse[]> {
  const held = (await readAccessQuestions(resources, consumer, endpoints)).flatMap((question) => {
    const { grant, limits, obstacles } = judgeAccess(question, nowSeconds);
    const counted = obstacles.length === 0 ? limits.filter(isCounted) : [];
    const hasOwn = (grant?.limits ?? null) !== null;
    return counted.map((limit) => ({
      endpointId: question.endpoint.id,
      isOfGrant: hasOwn && limit.per === 'consumer',
      limit,
    }));
  });
  if (held.length === 0) return [];
  const units = [...new Set(held.map(({ limit }) => limit.unit))];
  const sums = new Sums(units, nowSeconds);
  const shared = new Set(held.flatMap(({ endpointId, limit }) => (limit.per === 'endpoint' ? [endpointId] : [])));
  await Promise.all([
    sums.add('consumer', traffic.counts({ sinceHour: sums.sinceHour, consumers: [consumer.id] }), isSeen),
    ...[...shared].map(async (endpointId) => {
      const counts = traffic.counts({ sinceHour: sums.sinceHour, endpointId, consumers: null });
      await sums.add('endpoint', counts, () => true);
    }),
  ]);
  return held
    .map((each) => ({
      ...each,
      used: sums.of(each.limit.per, each.endpointId, each.limit.unit),
      endsAt: windowAt(each.limit.unit, nowSeconds).endSeconds,
    }))
    .sort((one, other) => other.used / other.limit.requests - one.used / one.limit.requests);
}

/** For programs. */
export function declareLimitUse({ endpointId, isOfGrant, limit, used, endsAt }: LimitUse): Record<string, unknown> {
  const { requests, unit, per } = limit;
  return {
    endpoint: endpointId,
    of: isOfGrant ? 'grant' : 'endpoint',
    requests,
    unit,
    per,
    used,
    until: declareTime(endsAt),
  };
}

/** Allowed requests by scope, endpoint and unit, since the window of the unit began. */
class Sums {
  readonly sinceHour: number;
  readonly #begins: ReadonlyMap<LimitUnit, number>;
  readonly #sums = new Map<string, number>();

  constructor(units: readonly LimitUnit[], nowSeconds: number) {
    this.#begins = new Map(units.map((unit) => [unit, hourOf(windowAt(unit, nowSeconds).startSeconds)]));
    this.sinceHour = Math.min(...this.#begins.values());
  }

  async add(
    per: Limit['per'],
    counts: ReturnType<TrafficSource['counts']>,
    isSeen: (count: TrafficCount) => boolean,
  ): Promise<void> {
    for await (const count of counts) {
      const allowed = count.codes['ALLOWED'] ?? 0;
      if (allowed === 0 || !isSeen(count)) continue;
      for (const [unit, begin] of this.#begins) {
        const key = keyOf(per, count.endpointId, unit);
        if (count.hour >= begin) this.#sums.set(key, (this.#sums.get(key) ?? 0) + allowed);
      }
    }
  }

  of(per: Limit['per'], endpointId: string, unit: LimitUnit): number {
    return this.#sums.get(keyOf(per, endpointId, unit)) ?? 0;
  }
}

function keyOf(per: Limit['per'], endpointId: string, unit: LimitUnit): string {
  return `${per}/${endpointId}/${unit}`;
}

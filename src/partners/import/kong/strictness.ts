import type { RouteDecision } from './route-decision.ts';
import type { KongConsumer } from './kong-entities.ts';
import { orMade } from './plugins.ts';

/** Compares two decisions in one respect: who is let in, or how often. */
export interface Strictness {
  /** Whether the first lets in the same callers as the second, or fewer; or as often, or less. */
  isAtLeastAsStrict(first: RouteDecision, second: RouteDecision): boolean;
}

/** Decisions that let in the same callers in the same way. */
interface Access {
  readonly decision: RouteDecision;
  readonly index: number;
}

/** Compares decisions with the answers of equal ones kept: files have thousands of routes and few ways to get in. */
export function strictnessOf(decisions: readonly RouteDecision[]): Strictness {
  const byKey = new Map<string, Access>();
  const accesses = new Map<RouteDecision, Access>();
  const numbers = new Map<KongConsumer, number>();
  const keysOfSets = new Map<ReadonlySet<KongConsumer>, string>();
  const numberOf = (consumer: KongConsumer): number => orMade(numbers, consumer, () => numbers.size);
  const keyOfSet = (allowed: ReadonlySet<KongConsumer>): string =>
    orMade(keysOfSets, allowed, () =>
      [...allowed]
        .map(numberOf)
        .sort((a, b) => a - b)
        .join(),
    );
  for (const decision of decisions) {
    const { isRefused, method, options, allowed } = decision;
    const key = isRefused ? 'refused' : JSON.stringify([method, options, allowed === null ? null : keyOfSet(allowed)]);
    accesses.set(
      decision,
      orMade(byKey, key, () => ({ decision, index: byKey.size })),
    );
  }
  const answers = new Map<number, boolean>();
  return {
    isAtLeastAsStrict: (first, second) => {
      const a = accesses.get(first);
      const b = accesses.get(second);
      if (a === undefined || b === undefined) return compare(first, second);
      if (a === b) return true;
      return orMade(answers, a.index * byKey.size + b.index, () => compare(a.decision, b.decision));
    },
  };
}

/** Compares the limits of decisions: every limit of the second has one of the first that allows no more. */
export const limitStrictness: Strictness = {
  isAtLeastAsStrict: ({ limits: own }, { limits: others }) =>
    others.every(({ unit, per, requests }) =>
      own.some((limit) => limit.unit === unit && limit.per === per && limit.requests <= requests),
    ),
};

function compare(strict: RouteDecision, other: RouteDecision): boolean {
  if (strict.isRefused) return true;
  if (other.isRefused) return false;
  if (other.method === null) return true;
  if (strict.method !== other.method || JSON.stringify(strict.options) !== JSON.stringify(other.options)) return false;
  if (other.allowed === null) return true;
  if (strict.allowed === null) return false;
  for (const consumer of strict.allowed) if (!other.allowed.has(consumer)) return false;
  return true;
}

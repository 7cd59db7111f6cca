import { ALLOWED, type History, NO_ANSWER, type Promises } from './history.ts';

/** A promise that a history breaks. */
export interface Fault {
  readonly promise: 'once' | 'revoked' | 'kept' | 'counted';
  /** What happened, with times in seconds since the first question. */
  readonly text: string;
}

/**
 * Judges what was recorded by what the documents promise, and by nothing of the product. No fault is found where an
 * answer or an acknowledgement was lost: both outcomes are right there.
 */
export function judge(history: History, promises: Promises): readonly Fault[] {
  const times = new Times(history);
  return [
    ...findTwiceAccepted(history, times),
    ...findLateRevocations(history, promises, times),
    ...findLostChanges(history),
    ...findMiscounted(history),
  ];
}

/** Times as people read them. */
class Times {
  readonly #firstMs: number;

  constructor({ asked, changed }: History) {
    this.#firstMs = [...asked, ...changed].reduce((first, { startMs }) => Math.min(first, startMs), Infinity);
  }

  text(atMs: number): string {
    return `${((atMs - this.#firstMs) / 1000).toFixed(2)} s`;
  }
}

/** A signature is accepted at most once, by all replicas together. */
function findTwiceAccepted({ asked }: History, times: Times): readonly Fault[] {
  const accepted = asked.filter(({ outcome }) => outcome === ALLOWED);
  const bySignature = groupBy(accepted, ({ signature }) => signature);
  return [...bySignature.values()]
    .filter((same) => same.length > 1)
    .map((same) => {
      const places = same.map(({ replica, endMs }) => `by replica ${String(replica)} at ${times.text(endMs)}`);
      const text = `a signature of ${same[0]?.credential ?? ''} was accepted ${String(same.length)} times`;
      return { promise: 'once', text: `${text}: ${places.join(', ')}` };
    });
}

/** After an acknowledged revocation and the bound, no replica accepts. */
function findLateRevocations(
  { asked, changed }: History,
  { revokedWithinMs }: Promises,
  times: Times,
): readonly Fault[] {
  const revokedMs = new Map<string, number>();
  for (const { subject, value, told, endMs } of changed) {
    if (value === 'revoked' && told === 'made') revokedMs.set(subject, endMs);
  }
  return asked.flatMap(({ credential, outcome, startMs, replica }) => {
    const atMs = revokedMs.get(`credential/${credential}`);
    if (outcome !== ALLOWED || atMs === undefined || startMs <= atMs + revokedWithinMs) return [];
    const text = `${credential}, revoked at ${times.text(atMs)}, was accepted by replica ${String(replica)}`;
    return [{ promise: 'revoked' as const, text: `${text} at ${times.text(startMs)}` }];
  });
}

/** The last acknowledged change of a subject holds, or one after it of which nobody knows. */
function findLostChanges({ changed, final }: History): readonly Fault[] {
  const bySubject = groupBy(changed, ({ subject }) => subject);
  return [...bySubject].flatMap(([subject, changes]) => {
    const at = changes.findLastIndex(({ told }) => told === 'made');
    const possible = changes.slice(Math.max(at, 0)).filter(({ told }) => told !== 'not made');
    const found = final.get(subject);
    // Without an acknowledged change nothing is promised.
    if (at < 0 || possible.some(({ value }) => value === found)) return [];
    const text = `${subject} is ${found ?? 'not there'}, and its last acknowledged change made it`;
    return [{ promise: 'kept' as const, text: `${text} ${changes[at]?.value ?? ''}` }];
  });
}

/** Counts of usage are the answers that were given; a question without an answer may count or not. */
function findMiscounted({ asked, counted }: History): readonly Fault[] {
  const byConsumer = new Map<string, { allowed: number; unknown: number }>();
  for (const { consumer, outcome } of asked) {
    const sum = byConsumer.get(consumer) ?? { allowed: 0, unknown: 0 };
    byConsumer.set(consumer, sum);
    if (outcome === ALLOWED) sum.allowed += 1;
    if (outcome === NO_ANSWER) sum.unknown += 1;
  }
  return [...byConsumer].flatMap(([consumer, { allowed, unknown }]) => {
    const found = counted.get(consumer) ?? 0;
    if (found >= allowed && found <= allowed + unknown) return [];
    const given = unknown === 0 ? String(allowed) : `${String(allowed)} to ${String(allowed + unknown)}`;
    return [{ promise: 'counted' as const, text: `${consumer} has ${String(found)} counted, and got ${given}` }];
  });
}

/** Items in their order by what they have in common; those with null are in no group. */
function groupBy<T>(items: readonly T[], keyOf: (item: T) => string | null): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

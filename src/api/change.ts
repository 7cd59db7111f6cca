import type { Change, Operation, Planned } from '../manage/change.ts';
import { type DescribedChange, takeReal } from '../manage/describe-change.ts';
import { Conflict, type ResourceStore } from '../manage/resource-store.ts';
import type { Wish } from '../manage/wish.ts';
import { invalidResource } from './problem.ts';

/** What a change did, or would do. */
export interface ChangeOutcome {
  readonly dryRun: boolean;
  /** The store's revision with the change; null where nothing was changed. */
  readonly revision: number | null;
  readonly changes: readonly DescribedChange[];
}

/** The changes of a plan. Throws `INVALID_RESOURCE`, which names every problem, or `Conflict`. */
export function changesOf(planned: Planned): readonly Change[] {
  if ('changes' in planned) return planned.changes;
  if ('conflict' in planned) throw new Conflict(planned.conflict);
  throw invalidResource(planned.problems);
}

/** Commits changes as one operation, or only says what they would do. What changes nothing is not committed. */
export async function commit(
  planned: readonly Change[],
  { resources, operation, isDryRun }: CommitPorts,
): Promise<ChangeOutcome> {
  const real = takeReal(planned);
  const changes = real.map(({ described }) => described);
  if (isDryRun || real.length === 0) return { dryRun: isDryRun, revision: null, changes };
  const revision = await resources.commit(
    real.map(({ change }) => change),
    operation,
  );
  return { dryRun: false, revision, changes };
}

interface CommitPorts {
  readonly resources: Pick<ResourceStore, 'commit'>;
  readonly operation: Operation;
  readonly isDryRun: boolean;
}

/**
 * A JSON Merge Patch (RFC 7396) as a wish. Labels and options are merged key by key; other mappings and lists are taken
 * whole; null gives a field its default again.
 */
export function wishOfPatch(patch: Readonly<Record<string, unknown>>): Wish {
  const entries = Object.entries(patch).flatMap(([name, value]): (readonly [string, unknown])[] => {
    if (value === null) return [[name, undefined]];
    if (!mergedByKey.includes(name) || typeof value !== 'object' || Array.isArray(value)) return [[name, value]];
    return Object.entries(value).map(([key, item]: [string, unknown]) => [`${name}.${key}`, item ?? undefined]);
  });
  return Object.fromEntries(entries);
}

const mergedByKey: readonly string[] = ['labels', 'options'];

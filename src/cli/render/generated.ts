import type { DescribedChange } from '../../resources/changes/describe-change.ts';

/**
 * A change that is only planned, without the App Key that was made up for it, which will never exist: it is said to be
 * set, as a secret is.
 */
export function withoutGenerated(change: DescribedChange): DescribedChange {
  if (change.kind !== 'credential') return change;
  const fields = change.fields.map((field) =>
    field.path === 'appKey' ? ({ path: 'appKey', secret: 'set' } as const) : field,
  );
  return { ...change, fields };
}

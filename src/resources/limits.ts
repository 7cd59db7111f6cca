import { choiceField, wholeNumberField } from '../model/document/fields.ts';
import { describePlace, placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { readList, readMapping } from '../model/document/read-mapping.ts';
import { type Limit, type LimitScope, limitScopes, limitUnits, MAX_LIMIT_REQUESTS } from '../model/limit.ts';
import type { Declared } from './declared.ts';

/** One limit of a list. */
export const limitKind = {
  what: 'a limit',
  fields: {
    requests: wholeNumberField(1, MAX_LIMIT_REQUESTS),
    unit: choiceField(limitUnits),
    per: choiceField(limitScopes),
  },
  required: ['requests', 'unit', 'per'],
} as const;

/**
 * Reads a list of limits: no two with the same unit and per (spec §1). Faulty ones are reported and left out. `only` is
 * the one `per` that the list takes, and why it takes no others, such as `a grant counts its own consumer only`.
 */
export function readLimits(
  raw: unknown,
  place: Place,
  only: { readonly per: LimitScope; readonly why: string } | null,
  problems: ProblemLog,
): readonly Limit[] {
  const limits: Limit[] = [];
  const firsts = new Map<string, Place>();
  for (const [index, item] of (readList(raw, place, problems) ?? []).entries()) {
    const at = placeIn(place, index);
    const values = readMapping(item, at, limitKind, problems);
    if (values?.requests === undefined || values.unit === undefined || values.per === undefined) continue;
    const { requests, unit, per } = values;
    if (only !== null && per !== only.per) {
      problems.report(placeIn(at, 'per'), `"per" must be "${only.per}" here: ${only.why}`);
      continue;
    }
    const first = firsts.get(`${unit} ${per}`);
    if (first !== undefined) {
      const where = describePlace(first, at);
      problems.report(at, `a limit per ${per} and ${unit} is on ${where} already; keep one`);
      continue;
    }
    firsts.set(`${unit} ${per}`, at);
    limits.push({ requests, unit, per });
  }
  return limits;
}

/** Limits as a declarative file has them, in their order. */
export function declareLimits(limits: readonly Limit[]): readonly Declared[] {
  return limits.map(({ requests, unit, per }) => ({ requests, unit, per }));
}

import {
  choiceField,
  type Field,
  FieldFault,
  idField,
  nestedList,
  wholeNumberField,
} from '../model/document/fields.ts';
import { MAX_PLAN_ENDPOINTS } from '../model/bounds.ts';
import { MAX_PRIORITY, MIN_PRIORITY } from '../model/grant.ts';
import { labelsField } from '../model/labels-field.ts';
import { type LabelSelector, sortLabels } from '../model/labels.ts';
import { limitUnits, MAX_LIMIT_REQUESTS } from '../model/limit.ts';
import type { Plan, PlanLimit } from '../model/plan.ts';
import { describePlace, placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readList, readMapping } from '../model/document/read-mapping.ts';
import { type Declared, withoutDefaults } from './declared.ts';

const noLabels = new FieldFault('must name at least one label; leave the key out for all');

/** Labels by their names in order. Without any it is refused: it is a slip, with the widest effect. */
const selectorField: Field<LabelSelector> = Object.assign(
  (raw: unknown) => {
    const labels = labelsField(raw);
    if (labels instanceof FieldFault) return labels;
    return Object.keys(labels).length === 0 ? noLabels : sortLabels(labels);
  },
  { schema: { ...labelsField.schema, minProperties: 1 }, bound: labelsField.bound },
);

const noIds = new FieldFault(`must be a list of 1 to ${String(MAX_PLAN_ENDPOINTS)} different ids of endpoints`);
const idsField: Field<readonly string[]> = Object.assign(
  (raw: unknown) =>
    Array.isArray(raw) &&
    raw.length > 0 &&
    raw.length <= MAX_PLAN_ENDPOINTS &&
    new Set(raw).size === raw.length &&
    raw.every((each) => !(idField(each) instanceof FieldFault))
      ? (raw as readonly string[])
      : noIds,
  { schema: { bsonType: 'array', minItems: 1, maxItems: MAX_PLAN_ENDPOINTS, items: idField.schema } },
);

/** One limit of a plan: of each consumer, so that it says no `per`. */
export const planLimitKind = {
  what: 'a limit of a plan',
  fields: { requests: wholeNumberField(1, MAX_LIMIT_REQUESTS), unit: choiceField(limitUnits) },
  required: ['requests', 'unit'],
} as const;

/** A plan, in a declarative file and in a database. */
export const planKind = {
  what: 'a plan',
  fields: {
    id: idField,
    consumerSelector: selectorField,
    endpoints: idsField,
    endpointSelector: selectorField,
    priority: wholeNumberField(MIN_PRIORITY, MAX_PRIORITY),
    limits: nestedList(planLimitKind),
  },
  required: ['id', 'limits'],
} as const;

/** A plan of a database, which always says its priority: the index of priorities has every plan. */
export const storedPlanKind = { ...planKind, required: ['id', 'limits', 'priority'] } as const;

/** Reads a plan; null when a problem was reported. Whether its endpoints are there is not looked at here. */
export function readPlan(raw: unknown, place: Place, problems: ProblemLog): Plan | null {
  const before = problems.count;
  const values = readMapping(raw, place, planKind, problems) ?? {};
  if (hasKey(raw, 'endpoints') && hasKey(raw, 'endpointSelector')) {
    const message = 'a plan lists its endpoints or selects them by labels: remove "endpoints" or "endpointSelector"';
    problems.report(placeIn(place, 'endpointSelector'), message);
  }
  const limits = values.limits === undefined ? [] : readPlanLimits(values.limits, placeIn(place, 'limits'), problems);
  if (values.id === undefined || problems.count > before) return null;
  const { id, consumerSelector = {}, endpoints, endpointSelector, priority = 0 } = values;
  return {
    id,
    consumerSelector,
    endpointIds: endpoints ?? null,
    endpointSelector: endpoints === undefined ? (endpointSelector ?? {}) : null,
    // No -0, which would be another priority than 0 to some comparisons.
    priority: priority + 0,
    limits,
  };
}

function readPlanLimits(raw: unknown, place: Place, problems: ProblemLog): readonly PlanLimit[] {
  const limits: PlanLimit[] = [];
  const firsts = new Map<string, Place>();
  const list = readList(raw, place, problems);
  if (list?.length === 0) problems.report(place, '"limits" is empty; a plan has at least one limit');
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const values = readMapping(item, at, planLimitKind, problems);
    if (values?.requests === undefined || values.unit === undefined) continue;
    const { requests, unit } = values;
    const first = firsts.get(unit);
    if (first === undefined) {
      firsts.set(unit, at);
      limits.push({ requests, unit });
    } else problems.report(at, `a limit per ${unit} is on ${describePlace(first, at)} already; keep one`);
  }
  return limits;
}

/** A plan as a declarative file has it; defaults are left out. */
export function declarePlan({ id, consumerSelector, endpointIds, endpointSelector, priority, limits }: Plan): Declared {
  const declared = {
    id,
    consumerSelector,
    endpoints: endpointIds ?? [],
    endpointSelector: endpointSelector ?? {},
    priority,
    limits: limits.map(({ requests, unit }) => ({ requests, unit })),
  };
  return withoutDefaults(declared, { consumerSelector: {}, endpoints: [], endpointSelector: {}, priority: 0 });
}

/** The same, always with its priority, as a database keeps it. */
export function declareStoredPlan(plan: Plan): Declared {
  return { ...declarePlan(plan), priority: plan.priority };
}

/** A limit of a plan in the form in which it is given: `50/second`. */
export function formatPlanLimit({ requests, unit }: PlanLimit): string {
  return `${String(requests)}/${unit}`;
}

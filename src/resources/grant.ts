import { createHash } from 'node:crypto';
import { isLongerThan } from '../model/document/bounds.ts';
import {
  dateField,
  type Field,
  FieldFault,
  ID_PATTERN,
  idField,
  isMapping,
  nestedField,
  nestedList,
  timeField,
  wholeNumberField,
} from '../model/document/fields.ts';
import { MAX_GRANT_HOLDER_CHARACTERS } from '../model/bounds.ts';
import { labelsField } from '../model/labels-field.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readMapping } from '../model/document/read-mapping.ts';
import { type Grant, type GrantTarget, isGroupGrant, MAX_PRIORITY, MIN_PRIORITY } from '../model/grant.ts';
import { describeLabels, type LabelSelector, sortedEntries, sortLabels } from '../model/labels.ts';
import { type Declared, declareTime } from './declared.ts';
import { declareLimits, limitKind, readLimits } from './limits.ts';

const noLabels = new FieldFault(
  'must name at least one label: without any it would be a grant for every consumer, those that come later too',
);

/** Labels of a group, by their names in order. One without labels is refused: it is a slip, with the widest effect. */
const selectorField: Field<LabelSelector> = Object.assign(
  (raw: unknown) => {
    const texts = labelsField(raw);
    if (texts instanceof FieldFault) return texts;
    return Object.keys(texts).length === 0 ? noLabels : sortLabels(texts);
  },
  { schema: { ...labelsField.schema, minProperties: 1 }, bound: { schema: labelsField.bound.schema, excess } },
);

/** Labels that are stored in a grant never change: they name it. */
function excess(value: unknown, stored: unknown): FieldFault | null {
  const fault = labelsField.bound.excess(value, stored);
  if (fault !== null || stored !== undefined) return fault;
  return isLongerThan(selectorId(value as LabelSelector), MAX_GRANT_HOLDER_CHARACTERS) ? longHolder : null;
}

const longHolder = new FieldFault(
  `must take at most ${String(MAX_GRANT_HOLDER_CHARACTERS)} characters in the id of the grant, where others than letters, digits and "-_.!~*'()" are percent-encoded`,
);

const priorityField = wholeNumberField(MIN_PRIORITY, MAX_PRIORITY);

/** A grant of a declarative file. */
export const grantKind = {
  what: 'a grant',
  fields: {
    endpoint: idField,
    consumer: idField,
    consumerSelector: selectorField,
    priority: priorityField,
    expiresAt: timeField,
    limits: nestedList(limitKind),
  },
  required: ['endpoint'],
} as const;

/** A grant of a database. */
export const storedGrantKind = {
  what: 'a grant',
  fields: {
    id: nestedField({ bsonType: 'string' }),
    endpointId: idField,
    consumerId: idField,
    consumerSelector: selectorField,
    priority: priorityField,
    expiresAt: dateField,
    limits: nestedList(limitKind),
  },
  required: ['id', 'endpointId'],
} as const;

/**
 * In the words of `$jsonSchema`: a stored grant is one of a consumer, or one for a group, whose priority is written.
 */
export const storedGrantForms = {
  oneOf: [
    {
      required: ['consumerId'],
      not: { anyOf: [{ required: ['consumerSelector'] }, { required: ['priority'] }] },
    },
    { required: ['consumerSelector', 'priority'], not: { required: ['consumerId'] } },
  ],
};

const grantLimits = { per: 'consumer', why: 'a grant limits each of its consumers' } as const;

/** Reads a grant; null when a problem was reported. Whether its references resolve is not looked at here. */
export function readGrant(raw: unknown, place: Place, problems: ProblemLog): Grant | null {
  const before = problems.count;
  const values = readMapping(raw, place, grantKind, problems) ?? {};
  checkHolder(raw, 'consumer', place, problems);
  const limits = readGrantLimits(values.limits, place, problems);
  if (problems.count > before) return null;
  return grantOf({ ...values, limits, endpointId: values.endpoint, consumerId: values.consumer });
}

/** Reads a grant as a database keeps it; null when a problem was reported. */
export function readStoredGrant(raw: unknown, place: Place, problems: ProblemLog): Grant | null {
  const before = problems.count;
  const values = readMapping(raw, place, storedGrantKind, problems) ?? {};
  checkHolder(raw, 'consumerId', place, problems);
  if (hasKey(raw, 'consumerSelector') && !hasKey(raw, 'priority')) {
    problems.reportMissing(place, '"priority" is missing; a grant for a group needs it');
  }
  const limits = readGrantLimits(values.limits, place, problems);
  if (problems.count > before) return null;
  const grant = grantOf({ ...values, limits });
  if (grant === null || values.id === grantId(grant)) return grant;
  const form = isGroupGrant(grant) ? '"endpointId/name=value,…" with the labels' : '"endpointId/consumerId"';
  problems.report(placeIn(place, 'id'), `must be ${form} of the same document`);
  return null;
}

/** A grant is for one consumer or for a group, and only groups have priorities. */
function checkHolder(raw: unknown, consumer: 'consumer' | 'consumerId', place: Place, problems: ProblemLog): void {
  if (!isMapping(raw)) return;
  const isForGroup = hasKey(raw, 'consumerSelector');
  if (!isForGroup && !hasKey(raw, consumer)) {
    problems.reportMissing(place, `"${consumer}" is missing; a grant needs it, or a "consumerSelector"`);
  }
  if (isForGroup && hasKey(raw, consumer)) {
    const message = `a grant is for one consumer or for a group: remove "${consumer}" or "consumerSelector"`;
    problems.report(placeIn(place, 'consumerSelector'), message);
  }
  if (!isForGroup && hasKey(raw, consumer) && hasKey(raw, 'priority')) {
    const message = '"priority" is for groups ("consumerSelector"): the own grant of a consumer counts before them';
    problems.report(placeIn(place, 'priority'), message);
  }
}

/** Null where something that could not be read is missing. */
function grantOf(values: {
  readonly endpointId?: string | undefined;
  readonly consumerId?: string | undefined;
  readonly consumerSelector?: LabelSelector;
  readonly priority?: number;
  readonly limits: Grant['limits'];
  readonly expiresAt?: number;
}): Grant | null {
  const { endpointId, consumerId, consumerSelector, priority = 0, limits, expiresAt = null } = values;
  if (endpointId === undefined) return null;
  if (consumerId !== undefined) return { endpointId, consumerId, limits, expiresAt };
  // No -0, which would be another priority than 0 to some comparisons.
  return consumerSelector === undefined
    ? null
    : { endpointId, consumerSelector, priority: priority + 0, limits, expiresAt };
}

function readGrantLimits(raw: unknown, place: Place, problems: ProblemLog): Grant['limits'] {
  return raw === undefined ? null : readLimits(raw, placeIn(place, 'limits'), grantLimits, problems);
}

/** A grant as a declarative file has it. No `limits` are those of the endpoint; `[]` lifts them. */
export function declareGrant(grant: Grant): Declared {
  const { limits, expiresAt } = grant;
  return {
    ...declareTarget(grant),
    ...(isGroupGrant(grant) ? { priority: grant.priority } : {}),
    ...(expiresAt === null ? {} : { expiresAt: declareTime(expiresAt) }),
    ...(limits === null ? {} : { limits: declareLimits(limits) }),
  };
}

/** What a grant is for, in the words of a declarative file. */
export function declareTarget(target: GrantTarget): Declared {
  return isGroupGrant(target)
    ? { endpoint: target.endpointId, consumerSelector: target.consumerSelector }
    : { endpoint: target.endpointId, consumer: target.consumerId };
}

/** A grant in a sentence: `grant of acme on orders`, `grant for tier=gold on orders`. */
export function describeGrant(target: GrantTarget): string {
  const holder = isGroupGrant(target) ? `for ${describeLabels(target.consumerSelector)}` : `of ${target.consumerId}`;
  return `grant ${holder} on ${target.endpointId}`;
}

/**
 * The id of a grant, where one text has to name it: `orders/acme`; for a group `orders/region=eu,tier=gold`, with the
 * labels in the order of their names, names and values percent-encoded. No id of a consumer holds a `=`.
 */
export function grantId(target: GrantTarget): string {
  const holder = isGroupGrant(target) ? selectorId(target.consumerSelector) : target.consumerId;
  return `${target.endpointId}/${holder}`;
}

/**
 * The id of a grant where it is shown and asked for: the {@link grantId}; for a group whose labels take more than a URL
 * holds, as older stores may have, `orders/~` and a hash of them.
 */
export function shownGrantId(target: GrantTarget): string {
  if (!isGroupGrant(target)) return grantId(target);
  const holder = selectorId(target.consumerSelector);
  if (!isLongerThan(holder, MAX_GRANT_HOLDER_CHARACTERS)) return `${target.endpointId}/${holder}`;
  return `${target.endpointId}/~${createHash('sha256').update(holder).digest('base64url')}`;
}

/** Characters of a SHA-256 in base64url. */
export const SHORT_ID_CHARACTERS = 43;
const SHORT_ID = new RegExp(String.raw`^([a-z0-9][a-z0-9-]{0,62})/~[\w-]{${String(SHORT_ID_CHARACTERS)}}$`);

/** The endpoint of an id with a hash ({@link shownGrantId}); null for any other text. */
export function endpointOfShortId(id: string): string | null {
  return SHORT_ID.exec(id)?.[1] ?? null;
}

function selectorId(selector: LabelSelector): string {
  return sortedEntries(selector)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join(',');
}

/** What a {@link grantId} names; null for a text that is none. */
export function parseGrantId(id: string): GrantTarget | null {
  const [, endpointId = '', holder = ''] = /^([^/]*)\/(.*)$/s.exec(id) ?? [];
  if (!ID_PATTERN.test(endpointId)) return null;
  if (ID_PATTERN.test(holder)) return { endpointId, consumerId: holder };
  const target = { endpointId, consumerSelector: parseSelectorId(holder) };
  return grantId(target) === id ? target : null;
}

function parseSelectorId(text: string): LabelSelector {
  return Object.fromEntries(
    text.split(',').map((label) => {
      const [name = '', ...values] = label.split('=').map(decode);
      return [name, values.join('=')] as const;
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}

import {
  accessConditions,
  DEFAULT_ACCESS_CONDITION,
  authenticationMethods,
  type Endpoint,
  optionsOf,
  type PartnerEndpoint,
  scenarios,
} from '../model/endpoint.ts';
import { choiceField, flagField, idField, nestedList, nestedMapping, textField } from '../model/document/fields.ts';
import { bounded, textBound } from '../model/document/bounds.ts';
import { type Place, placeIn, type ProblemLog } from '../model/document/problem-log.ts';
import { MAX_DESCRIPTION_CHARACTERS } from '../model/bounds.ts';
import { labelsField } from '../model/labels-field.ts';
import { sortLabels } from '../model/labels.ts';
import { type Declared, withoutDefaults } from './declared.ts';
import { declareLimits, limitKind, readLimits } from './limits.ts';
import { hasKey, readMapping } from '../model/document/read-mapping.ts';
import { matchKind, readMatch } from './match.ts';
import { optionsKind, readOptions } from './options.ts';

const trafficControlKind = {
  what: '"trafficControl"',
  fields: { limits: nestedList(limitKind) },
  required: [],
} as const;

/** An endpoint, wherever it is written. */
export const endpointKind = {
  what: 'an endpoint',
  fields: {
    id: idField,
    description: bounded(textField, textBound(MAX_DESCRIPTION_CHARACTERS)),
    labels: labelsField,
    scenario: choiceField(scenarios),
    // What is inside them, a database leaves to the readers.
    match: nestedMapping(matchKind, { bsonType: 'object', required: matchKind.required }),
    authentication: choiceField(authenticationMethods),
    accessCondition: choiceField(accessConditions),
    trafficControl: nestedMapping(trafficControlKind),
    options: nestedMapping(optionsKind, { bsonType: 'object' }),
    enabled: flagField,
  },
  required: ['id', 'scenario', 'match'],
} as const;

const openLimits = { per: 'endpoint', why: 'callers of an open endpoint are not distinguished' } as const;

/** Reads an endpoint with every default filled in; null when a problem was reported. */
export function readEndpoint(raw: unknown, place: Place, problems: ProblemLog): Endpoint | null {
  const before = problems.count;
  const values = readMapping(raw, place, endpointKind, problems);
  if (values === null) return null;
  const isOpen = values.scenario === 'open';
  const method = isOpen ? null : values.authentication;
  if (isOpen) reportNotForOpen(raw, place, problems);
  else if (values.scenario !== undefined && values.authentication === undefined && !hasKey(raw, 'authentication')) {
    const message = `"authentication" is missing; an endpoint needs it (${authenticationMethods.join(', ')}), or "scenario: open"`;
    problems.reportMissing(place, message);
  }
  const match = values.match === undefined ? null : readMatch(values.match, placeIn(place, 'match'), problems);
  const limits = readTrafficControl(values.trafficControl, placeIn(place, 'trafficControl'), isOpen, problems);
  const options = readOptions(values.options, placeIn(place, 'options'), method, problems);
  const { id, scenario, description = '', labels = {}, enabled = true } = values;
  const { accessCondition = DEFAULT_ACCESS_CONDITION } = values;
  if (problems.count > before || id === undefined || scenario === undefined || match === null) return null;
  // Written out: an object that is spread together has a hidden class of its own, and each check would pay for it.
  if (scenario === 'open') {
    return {
      id,
      description,
      labels,
      match,
      limits,
      enabled,
      scenario,
      authentication: null,
      options: optionsOf(null, options),
    };
  }
  if (method === null || method === undefined) return null;
  return {
    id,
    description,
    labels,
    match,
    limits,
    enabled,
    scenario,
    accessCondition,
    authentication: method,
    options: optionsOf(method, options),
  } as PartnerEndpoint; // the compiler cannot see that the options are those of the method
}

function reportNotForOpen(raw: unknown, place: Place, problems: ProblemLog): void {
  for (const key of ['authentication', 'accessCondition']) {
    if (!hasKey(raw, key)) continue;
    const message = `an open endpoint has no "${key}"; remove it, or set "scenario: partner-openapi"`;
    problems.reportKey(place, key, message);
  }
}

function readTrafficControl(
  raw: unknown,
  place: Place,
  isOpen: boolean,
  problems: ProblemLog,
): ReturnType<typeof readLimits> {
  if (raw === undefined) return [];
  const values = readMapping(raw, place, trafficControlKind, problems);
  return readLimits(values?.limits, placeIn(place, 'limits'), isOpen ? openLimits : null, problems);
}

/** An endpoint as a declarative file has it (interfaces §4), without defaults: every key in it was chosen. */
export function declareEndpoint(endpoint: Endpoint): Declared {
  const { id, description, labels, scenario, match, limits, enabled } = endpoint;
  const { hosts, paths, methods } = match;
  return withoutDefaults(
    {
      id,
      description,
      labels: sortLabels(labels),
      scenario,
      match: withoutDefaults({ hosts, paths, methods }, { hosts: [], methods: [] }),
      ...(endpoint.scenario === 'open'
        ? {}
        : { authentication: endpoint.authentication, accessCondition: endpoint.accessCondition }),
      trafficControl: withoutDefaults({ limits: declareLimits(limits) }, { limits: [] }),
      options: withoutDefaults({ ...endpoint.options }, { ...optionsOf(endpoint.authentication, {}) }),
      enabled,
    },
    {
      description: '',
      labels: {},
      accessCondition: DEFAULT_ACCESS_CONDITION,
      trafficControl: {},
      options: {},
      enabled: true,
    },
  );
}

/**
 * The same, always with `enabled` and, where it has one, `accessCondition`. For programs, which ask for what is in
 * force, and for exported files, which say it again when they are applied: defaults that decide whether and whom a
 * resource lets in are written out.
 */
export function declareWholeEndpoint(endpoint: Endpoint): Declared {
  const { enabled } = endpoint;
  const condition = endpoint.scenario === 'open' ? {} : { accessCondition: endpoint.accessCondition };
  return { ...declareEndpoint(endpoint), ...condition, enabled };
}

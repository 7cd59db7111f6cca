import {
  authenticationMethods,
  carrierKinds,
  hmacAlgorithms,
  MAX_CLOCK_SKEW_SECONDS,
  parameterEncodings,
  type AuthenticationMethod,
  type CarrierKind,
  type CommonOptions,
  type HmacAlgorithm,
  type KeyCarrier,
  type OptionsOf,
} from '../model/endpoint.ts';
import { alternatives, choiceField, flagField, nestedField, textField, wholeNumberField } from './fields.ts';
import { defaultCarriers, findCarrierFault, isSameCarrier } from '../methods/key/carriers.ts';
import { placeIn, type Place, type ProblemLog } from './problem-log.ts';
import { readList, readMapping, subjectOf, type Values } from './read-mapping.ts';

const optionFields = {
  keyNames: nestedField,
  hideCredentials: flagField,
  algorithms: nestedField,
  clockSkewSeconds: wholeNumberField(1, MAX_CLOCK_SKEW_SECONDS),
  acceptRealHttpVersion: flagField,
  requireTimestamp: flagField,
  parameterEncoding: choiceField(parameterEncodings),
  strictParameters: flagField,
  unsignedQuery: choiceField(['refuse', 'forward']),
  unsignedBody: choiceField(['refuse', 'forward']),
  tokenInQuery: flagField,
  replayProtection: flagField,
  signatureHints: flagField,
  mode: choiceField(['enforce', 'observe']),
  onLimiterFailure: choiceField(['allow', 'deny']),
};

type OptionName = keyof typeof optionFields;
type OptionValues = Values<typeof optionFields>;

/** Which methods use an option; the options of open endpoints are `all`. */
const optionMethods = {
  keyNames: ['key'],
  hideCredentials: authenticationMethods,
  algorithms: ['hmac'],
  clockSkewSeconds: ['hmac', 'parameter-signature'],
  acceptRealHttpVersion: ['hmac'],
  requireTimestamp: ['parameter-signature'],
  parameterEncoding: ['parameter-signature'],
  strictParameters: ['parameter-signature'],
  unsignedQuery: ['parameter-signature'],
  unsignedBody: ['parameter-signature'],
  tokenInQuery: ['oauth2'],
  replayProtection: ['hmac', 'parameter-signature'],
  signatureHints: ['hmac', 'parameter-signature'],
  mode: 'all',
  onLimiterFailure: 'all',
} as const satisfies Record<OptionName, readonly AuthenticationMethod[] | 'all'>;

const optionsKind = { what: '"options"', fields: optionFields, required: [] } as const;

/** The options of an endpoint as written: right values only, not yet those of one method. */
export interface ReadOptions {
  readonly values: Omit<OptionValues, 'keyNames' | 'algorithms'>;
  readonly keyNames: readonly KeyCarrier[] | null;
  readonly algorithms: readonly HmacAlgorithm[] | null;
}

/**
 * Reads `options` (interfaces §4). An option that the endpoint does not use is a problem that names what it is for.
 * `method` is null on an open endpoint and undefined when the endpoint's own fault leaves it unknown.
 */
export function readOptions(
  raw: unknown,
  place: Place,
  method: AuthenticationMethod | null | undefined,
  problems: ProblemLog,
): ReadOptions {
  const values = raw === undefined ? {} : (readMapping(raw, place, optionsKind, problems) ?? {});
  if (typeof raw === 'object' && raw !== null && method !== undefined) reportUnused(raw, place, method, problems);
  if (method === 'parameter-signature' && values.replayProtection === true && values.requireTimestamp !== true) {
    const message =
      '"replayProtection" needs "requireTimestamp: true" on a parameter-signature endpoint: without a signed time a request could be repeated later';
    problems.report(placeIn(place, 'replayProtection'), message, { part: 'key' });
  }
  return {
    values,
    keyNames:
      values.keyNames === undefined ? null : readKeyNames(values.keyNames, placeIn(place, 'keyNames'), problems),
    algorithms:
      values.algorithms === undefined
        ? null
        : readAlgorithms(values.algorithms, placeIn(place, 'algorithms'), problems),
  };
}

/** The options that every endpoint has, defaults filled in. */
export function commonOptions({ values }: ReadOptions): CommonOptions {
  return { mode: values.mode ?? 'enforce', onLimiterFailure: values.onLimiterFailure ?? 'allow' };
}

/** Fills in the defaults of each method. */
export const optionsOf: { readonly [M in AuthenticationMethod]: (read: ReadOptions) => OptionsOf[M] } = {
  key: (read) => ({
    ...commonOptions(read),
    hideCredentials: read.values.hideCredentials ?? true,
    keyNames: read.keyNames ?? defaultCarriers,
  }),
  hmac: (read) => ({
    ...commonOptions(read),
    ...signatureOptions(read),
    hideCredentials: read.values.hideCredentials ?? true,
    algorithms: read.algorithms ?? ['hmac-sha256'],
    acceptRealHttpVersion: read.values.acceptRealHttpVersion ?? false,
  }),
  'parameter-signature': (read) => ({
    ...commonOptions(read),
    ...signatureOptions(read),
    hideCredentials: read.values.hideCredentials ?? false,
    requireTimestamp: read.values.requireTimestamp ?? false,
    parameterEncoding: read.values.parameterEncoding ?? 'decoded',
    strictParameters: read.values.strictParameters ?? true,
    unsignedQuery: read.values.unsignedQuery ?? 'refuse',
    unsignedBody: read.values.unsignedBody ?? 'refuse',
  }),
  oauth2: (read) => ({
    ...commonOptions(read),
    hideCredentials: read.values.hideCredentials ?? true,
    tokenInQuery: read.values.tokenInQuery ?? false,
  }),
};

function signatureOptions({ values }: ReadOptions): {
  clockSkewSeconds: number;
  replayProtection: boolean;
  signatureHints: boolean;
} {
  return {
    clockSkewSeconds: values.clockSkewSeconds ?? 300,
    replayProtection: values.replayProtection ?? false,
    signatureHints: values.signatureHints ?? false,
  };
}

function reportUnused(raw: object, place: Place, method: AuthenticationMethod | null, problems: ProblemLog): void {
  for (const name of Object.keys(raw)) {
    const methods = Object.hasOwn(optionMethods, name) ? optionMethods[name as OptionName] : 'all';
    if (methods === 'all') continue;
    const at = placeIn(place, name);
    if (method === null) {
      const message = `an open endpoint takes only the options "mode" and "onLimiterFailure"; "${name}" is for endpoints with authentication`;
      problems.report(at, message, { part: 'key' });
    } else if (!methods.some((used) => used === method)) {
      const message = `"${name}" is an option for ${methods.join(' and ')}; this endpoint's authentication is ${method}`;
      problems.report(at, message, { part: 'key' });
    }
  }
}

const carrierMapping = {
  what: 'a key name',
  fields: Object.fromEntries(carrierKinds.map((kind) => [kind, textField])) as Record<CarrierKind, typeof textField>,
  required: [],
} as const;

function readKeyNames(raw: unknown, place: Place, problems: ProblemLog): readonly KeyCarrier[] {
  const list = readList(raw, place, problems);
  if (list?.length === 0)
    problems.report(place, '"keyNames" is empty; name a carrier, or remove the key for the default');
  const carriers: KeyCarrier[] = [];
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const carrier = readCarrier(item, at, problems);
    if (carrier === null) continue;
    if (!carriers.some((other) => isSameCarrier(other, carrier))) carriers.push(carrier);
    else problems.report(at, `${subjectOf(at.path)} stands in this list already`);
  }
  return carriers;
}

function readCarrier(raw: unknown, place: Place, problems: ProblemLog): KeyCarrier | null {
  const before = problems.count;
  const values = readMapping(raw, place, carrierMapping, problems);
  if (values === null || problems.count > before) return null;
  const given = carrierKinds.filter((kind) => values[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    const known = carrierKinds.map((name) => JSON.stringify(name)).join(' and ');
    problems.report(place, `${subjectOf(place.path)} must have exactly one of ${known}`);
    return null;
  }
  const carrier = { [kind]: values[kind] } as unknown as KeyCarrier;
  const fault = findCarrierFault(carrier);
  if (fault === null) return carrier;
  problems.report(placeIn(place, kind), fault);
  return null;
}

function readAlgorithms(raw: unknown, place: Place, problems: ProblemLog): readonly HmacAlgorithm[] {
  const list = readList(raw, place, problems);
  if (list?.length === 0) problems.report(place, '"algorithms" is empty; remove the key for hmac-sha256');
  const algorithms = new Set<HmacAlgorithm>();
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const algorithm = hmacAlgorithms.find((known) => known === item);
    if (algorithm === undefined) problems.report(at, `${subjectOf(at.path)} must be ${alternatives(hmacAlgorithms)}`);
    else if (algorithms.has(algorithm)) problems.report(at, `"${algorithm}" stands twice in this list`);
    else algorithms.add(algorithm);
  }
  return [...algorithms];
}

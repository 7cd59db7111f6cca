import { InvalidArgumentError } from 'commander';
import type { Declared } from '../../resources/declared.ts';
import { parseAddress } from '../../base/net/address.ts';
import { ID_PATTERN, ID_RULE } from '../../model/document/fields.ts';
import { readLimits } from '../../resources/limits.ts';
import { readPlain } from '../../model/document/read-plain.ts';
import { endpointOptions, type PathRule } from '../../model/endpoint.ts';
import type { ItemText, Option } from '../../model/options/option.ts';
import { MAX_REASON_LENGTH, REASON_PATTERN } from '../../resources/changes/change.ts';
import type { Labels, LabelSelector } from '../../model/labels.ts';
import { limitScopes, limitUnits } from '../../model/limit.ts';
import { parsePathRule } from '../../check/receive/path.ts';
import { isRequestId } from '../../check/receive/request-id.ts';

/** The id of an endpoint, consumer or credential (spec §1), checked before anything is asked of the store. */
export function parseId(text: string): string {
  if (ID_PATTERN.test(text)) return text;
  throw new InvalidArgumentError(`An id has ${ID_RULE}, and begins with a letter or digit.`);
}

/** Reads a flag that is given once for each value; `parse` reads one. */
export function collecting<T>(parse: (text: string) => T): (text: string, former?: readonly T[]) => readonly T[] {
  return (text, former = []) => [...former, parse(text)];
}

/** {@link parseId} for a flag that is given once for each id. */
export const collectId = collecting(parseId);

/** An IP address, as it was written. */
export function parseIpAddress(text: string): string {
  if (parseAddress(text) !== null) return text;
  throw new InvalidArgumentError('It must be an IPv4 or IPv6 address, such as 203.0.113.7 or 2001:db8::7.');
}

/** A whole number from 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

/** A whole number, which may be below 0. */
export function parseInteger(text: string): number {
  if (/^-?\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** Why something is changed: one line of text. */
export function parseReason(text: string): string {
  const reason = text.trim();
  if (reason.length <= MAX_REASON_LENGTH && REASON_PATTERN.test(reason)) return reason;
  throw new InvalidArgumentError(`It must be one line of 1 to ${String(MAX_REASON_LENGTH)} characters.`);
}

/** The `requestId` of a refusal. */
export function parseRequestId(text: string): string {
  if (isRequestId(text)) return text;
  throw new InvalidArgumentError('Write the requestId of the refusal, such as baac2dab-20a4-46e5-ae98-41a4cbf83ec1.');
}

/** Any text, for a flag that is given once for each. */
export const collect = collecting(String);

const UNIT = `UNIT is ${limitUnits.join(', ')}`;

/** `100/minute/consumer` as a declared limit (interfaces §4). */
export function parseLimit(text: string): Declared {
  const form = `The form is REQUESTS/UNIT/PER, such as 100/minute/consumer: ${UNIT}; PER is ${limitScopes.join(' or ')}.`;
  return parse(text, form, null);
}

/** `1000/minute`: a limit of a grant, which counts its own consumer only. */
export function parseGrantLimit(text: string): Declared {
  return parse(text, `The form is REQUESTS/UNIT, such as 1000/minute: ${UNIT}.`, 'consumer');
}

/** {@link parseLimit} for a flag that is given once for each limit. */
export const collectLimit = collecting(parseLimit);

/** {@link parseGrantLimit} for a flag that is given once for each limit. */
export const collectGrantLimit = collecting(parseGrantLimit);

/** `50/second` as a declared limit of a plan, for a flag that is given once for each limit. */
export const collectPlanLimit = collecting((text): Declared => {
  const { requests, unit } = parseGrantLimit(text);
  return { requests, unit };
});

function parse(text: string, form: string, defaultPer: string | null): Declared {
  const [requests = '', unit, per = defaultPer, ...rest] = text.split('/');
  if (!/^\d{1,12}$/.test(requests) || unit === undefined || per === null || rest.length > 0) {
    throw new InvalidArgumentError(form);
  }
  const limit = { requests: Number(requests), unit, per };
  const read = readPlain([limit], (raw, place, problems) => readLimits(raw, place, null, problems));
  if ('value' in read) return limit;
  throw new InvalidArgumentError(`${read.problems.map(({ message }) => message).join('; ')}. ${form}`);
}

/**
 * `clockSkewSeconds=60`, `hideCredentials=false`, `algorithms=hmac-sha256,hmac-sha512`,
 * `keyNames=header:Authorization:Bearer,query:key` as values of a declarative file. Given again, a list gets longer.
 * Which options there are for which methods, the file's reader knows.
 */
export function collectOption(
  text: string,
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const [name, value] = splitAssignment(text);
  const typed = options.get(name)?.typed;
  if (typed?.is === 'text') return { ...given, [name]: value };
  if (typed?.is !== 'list') return { ...given, [name]: readScalar(value) };
  const former = given[name];
  const items = value.split(',').map((word) => readItem(name, word, typed.item));
  return { ...given, [name]: [...(Array.isArray(former) ? (former as readonly unknown[]) : []), ...items] };
}

const options: ReadonlyMap<string, Option<unknown>> = new Map(Object.entries(endpointOptions));

function readItem(name: string, word: string, { parse, forms }: ItemText): unknown {
  const item = parse(word);
  if (item !== null) return item;
  const all = forms.map((form) => `${name}=${form}`);
  throw new InvalidArgumentError(`The form is ${all.join(' or ')}, several with commas.`);
}

/** `tier=gold` as a label; the last of equal names counts. */
export function collectLabel(text: string, labels: Labels = {}): Labels {
  const [name, value] = splitAssignment(text);
  return { ...labels, [name]: value };
}

/**
 * `team=payments` as one label of a selector. Not the last of equal names: two values of one label are a slip, and the
 * wrong one of them would choose what belongs to others.
 */
export function collectSelector(text: string, selector: LabelSelector = {}): LabelSelector {
  const [name, value] = splitAssignment(text);
  if (Object.hasOwn(selector, name) && selector[name] !== value) {
    throw new InvalidArgumentError('A label has one value: nothing carries both.');
  }
  return { ...selector, [name]: value };
}

function splitAssignment(text: string): readonly [name: string, value: string] {
  const [name, value] = splitAt(text, '=');
  if (name === '' || name === '__proto__') throw new InvalidArgumentError('The form is NAME=VALUE.');
  return [name, value];
}

/** What stands before the first separator, empty without one, and after it. */
function splitAt(text: string, separator: string): readonly [before: string, after: string] {
  const index = text.indexOf(separator);
  return [text.slice(0, Math.max(index, 0)), text.slice(index + 1)];
}

function readScalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** `/orders` or `prefix:/orders`: everything below; `exact:/orders`: this path only (interfaces §4). */
export const collectPathRule = collecting((text): PathRule => {
  const [kind, path] = text.startsWith('/') ? ['prefix', text] : splitAt(text, ':');
  if ((kind !== 'prefix' && kind !== 'exact') || !path.startsWith('/')) {
    throw new InvalidArgumentError(
      'The form is /orders or prefix:/orders for everything below it, exact:/orders for this path only.',
    );
  }
  const rule = kind === 'prefix' ? { prefix: path } : { exact: path };
  const parsed = parsePathRule(rule);
  if (!('reason' in parsed)) return rule;
  throw new InvalidArgumentError(`The path is not in normal form and would match no request: ${parsed.reason}.`);
});

/** A rule in the form in which it is given: `/orders`, `exact:/orders`. */
export function formatPathRule(rule: PathRule): string {
  return 'prefix' in rule ? rule.prefix : `exact:${rule.exact}`;
}

import type { EndpointMatch, PathRule } from '../model/endpoint.ts';
import { parseHostRule } from '../check/receive/host.ts';
import { parsePathRule } from '../check/receive/path.ts';
import { bounded, listBound } from '../model/document/bounds.ts';
import { nestedField, nestedList, textField } from '../model/document/fields.ts';
import {
  MAX_HOST_CHARACTERS,
  MAX_HOSTS,
  MAX_METHOD_CHARACTERS,
  MAX_METHODS,
  MAX_PATH_CHARACTERS,
  MAX_PATHS,
} from '../model/bounds.ts';
import { isToken } from '../base/text/http-grammar.ts';
import { type Place, placeIn, type ProblemLog } from '../model/document/problem-log.ts';
import { readList, readMapping, subjectOf } from '../model/document/read-mapping.ts';

const pathKind = { what: 'a path rule', fields: { prefix: textField, exact: textField }, required: [] } as const;

/** What of a request chooses an endpoint. */
export const matchKind = {
  what: '"match"',
  fields: {
    hosts: bounded(nestedField(), listBound(MAX_HOSTS, MAX_HOST_CHARACTERS)),
    paths: bounded(nestedList(pathKind), listBound(MAX_PATHS, MAX_PATH_CHARACTERS)),
    methods: bounded(nestedField(), listBound(MAX_METHODS, MAX_METHOD_CHARACTERS)),
  },
  required: ['paths'],
} as const;

const ANY_PATH = 'for any path write [{ prefix: / }]';
const HOST_RULE =
  'must be a host such as api.example.com or *.example.com: letters, digits, "-", "." and "_", without scheme, port or path';

/** Reads what of a request chooses an endpoint (spec §2.3). What is faulty has been reported and is left out. */
export function readMatch(raw: unknown, place: Place, problems: ProblemLog): EndpointMatch {
  const values = readMapping(raw, place, matchKind, problems);
  if (values === null) return { hosts: [], paths: [], methods: [] };
  const hostsPlace = placeIn(place, 'hosts');
  const methodsPlace = placeIn(place, 'methods');
  return {
    hosts: readTexts(values.hosts, hostsPlace, parseHostRule, HOST_RULE, 'host', problems),
    paths: values.paths === undefined ? [] : readPaths(values.paths, placeIn(place, 'paths'), problems),
    methods: readTexts(values.methods, methodsPlace, parseMethod, METHOD_RULE, 'method', problems),
  };
}

const METHOD_RULE = 'must be an HTTP method such as GET; methods compare exactly, so "get" is another one';

function parseMethod(text: string): string | null {
  return isToken(text) ? text : null;
}

/** A list of texts, none twice. It cannot be empty: an empty list looks like "none" and would have to mean "any". */
function readTexts(
  raw: unknown,
  place: Place,
  parse: (text: string) => string | null,
  rule: string,
  noun: string,
  problems: ProblemLog,
): readonly string[] {
  const list = readList(raw, place, problems) ?? [];
  if (raw !== undefined && Array.isArray(raw) && list.length === 0) {
    problems.report(place, `${subjectOf(place.path)} is empty; remove the key for any ${noun}`);
  }
  const texts = new Set<string>();
  for (const [index, item] of list.entries()) {
    const at = placeIn(place, index);
    const parsed = typeof item === 'string' ? parse(item) : null;
    if (parsed === null) problems.report(at, `${subjectOf(at.path)} ${rule}`);
    else if (texts.has(parsed)) problems.report(at, `the ${noun} ${JSON.stringify(parsed)} appears twice in this list`);
    else texts.add(parsed);
  }
  return [...texts];
}

function readPaths(raw: unknown, place: Place, problems: ProblemLog): readonly PathRule[] {
  const list = readList(raw, place, problems);
  if (list?.length === 0) problems.report(place, `"paths" is empty; ${ANY_PATH}`);
  const rules: PathRule[] = [];
  const seen = new Set<string>();
  for (const [index, item] of (list ?? []).entries()) {
    const at = placeIn(place, index);
    const rule = readPathRule(item, at, problems);
    if (rule === null) continue;
    const kind = 'prefix' in rule ? 'prefix' : 'exact';
    const parsed = parsePathRule(rule);
    if ('reason' in parsed) {
      const message = `the path is not in normal form and would match no request: ${parsed.reason}`;
      problems.report(placeIn(at, kind), message);
    } else if (seen.has(`${kind} ${parsed.comparable}`)) {
      problems.report(at, `the same ${kind} appears twice in this list`);
    } else {
      seen.add(`${kind} ${parsed.comparable}`);
      rules.push(rule);
    }
  }
  return rules;
}

function readPathRule(raw: unknown, place: Place, problems: ProblemLog): PathRule | null {
  if (typeof raw === 'string') {
    problems.report(place, `${subjectOf(place.path)} must be { prefix: … } or { exact: … }`);
    return null;
  }
  const before = problems.count;
  const values = readMapping(raw, place, pathKind, problems);
  if (values === null || problems.count > before) return null;
  const { prefix, exact } = values;
  if (prefix !== undefined && exact === undefined) return { prefix };
  if (exact !== undefined && prefix === undefined) return { exact };
  problems.report(place, `${subjectOf(place.path)} must have exactly one of "prefix" and "exact"; ${ANY_PATH}`);
  return null;
}

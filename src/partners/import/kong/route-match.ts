import {
  MAX_HOST_CHARACTERS,
  MAX_HOSTS,
  MAX_METHOD_CHARACTERS,
  MAX_METHODS,
  MAX_PATH_CHARACTERS,
  MAX_PATHS,
} from '../../../model/bounds.ts';
import type { PathRule } from '../../../model/endpoint.ts';
import { parseAuthority } from '../../../check/receive/host.ts';
import { parsePathRule, parseTarget } from '../../../check/receive/path.ts';
import { isToken } from '../../../base/text/http-grammar.ts';
import { quoted } from '../../../model/document/problem.ts';
import type { KongRoute } from './kong-entities.ts';
import { findPlaceholder } from './unresolved.ts';

/** A host of a route. `pattern` is that of an endpoint, null for any; `rule` whether an endpoint can have it. */
export interface MatchHost {
  readonly pattern: string | null;
  readonly isCarried: boolean;
  /** Of those that are not carried: what every such host begins with. */
  readonly prefix: string | null;
}

/** A path of a route, as an endpoint can compare it. */
export interface MatchPath {
  /** Every path that Kong gives to the route begins with this, byte by byte, decoded as endpoints compare paths. */
  readonly literal: string;
  /** Kong takes this path alone, not what begins with it. */
  readonly isExact: boolean;
  /** What an endpoint has for it; null when it has nothing. */
  readonly rule: { readonly written: PathRule; readonly kind: 'prefix' | 'exact'; readonly comparable: string } | null;
  /** How Kong orders routes by it. */
  readonly isRegex: boolean;
  readonly length: number;
}

/** Which requests a route takes, in the terms of endpoints as far as they go. */
export interface RouteMatch {
  readonly hosts: readonly MatchHost[];
  readonly paths: readonly MatchPath[];
  /** Empty for any. */
  readonly methods: readonly string[];
  /** An endpoint can say which requests these are, apart from single hosts and paths. */
  readonly isCarried: boolean;
}

const ANY_HOST: MatchHost = { pattern: null, isCarried: true, prefix: null };
const ANY_PATH: MatchPath = {
  literal: '/',
  isExact: false,
  rule: { written: { prefix: '/' }, kind: 'prefix', comparable: '' },
  isRegex: false,
  length: 0,
};

/** Paths of Kong before 3.0 are regular expressions when they hold anything else. */
const PLAIN_PATH = /^[A-Za-z0-9.\-_~/%]*$/;

/** Reads the match of a route and reports what of it no endpoint can have. */
export function readRouteMatch(route: KongRoute, marksRegexPaths: boolean): RouteMatch {
  const { report, otherConditions } = route;
  if (otherConditions.length > 0) {
    report('error', [], {
      what: `is chosen by ${otherConditions.map(quoted).join(', ')} too, which endpoints do not support: it was left out`,
      instead: 'name an endpoint of your own in Envoy’s route: context_extensions of ext_authz',
    });
  }
  const hosts = route.hosts.map((host, index) => {
    const read = readHost(host);
    if (!read.isCarried && findPlaceholder(host) === null) {
      report('error', ['hosts', index], {
        what: `has the host ${quoted(host)}, which endpoints cannot have: it was left out`,
        instead: 'write host names without port, or *.example.com',
      });
    }
    return read;
  });
  const paths = route.paths.map((path, index) => {
    const read = readPath(path, marksRegexPaths);
    if ('reason' in read) {
      // Reported with the route.
      if (findPlaceholder(path) !== null) return read.path;
      report('error', ['paths', index], {
        what: `has the path ${quoted(path)}, which endpoints cannot have (${read.reason}): it was left out`,
        instead:
          'write prefixes or single paths, or name an endpoint in Envoy’s route (context_extensions of ext_authz)',
      });
      return read.path;
    }
    const prefix = read.rule !== null && 'prefix' in read.rule.written ? read.rule.written.prefix : '/';
    if (prefix !== '/' && prefix.endsWith('/')) {
      report('warning', ['paths', index], {
        what: 'has a path that ends with "/": the endpoint takes the path without it too, which Kong gives to no route or to another one',
        instead: 'make sure that the back end has nothing there that callers must not have',
      });
    }
    return read;
  });
  const methods = [...new Set(route.methods)];
  const faulty = methods.filter(
    (method) => !isToken(method) || method.length > MAX_METHOD_CHARACTERS || findPlaceholder(method) !== null,
  );
  if (faulty.length > 0) {
    report('error', ['methods'], {
      what: `has ${faulty.map(quoted).join(', ')} among its methods, which is no HTTP method: it was left out`,
    });
  }
  const excess = [
    ['hosts', route.hosts.length, MAX_HOSTS],
    ['paths', route.paths.length, MAX_PATHS],
    ['methods', methods.length, MAX_METHODS],
  ] as const;
  const tooMany = excess.filter(([, length, max]) => length > max);
  for (const [key, length, max] of tooMany) {
    report('error', [key], {
      what: `has ${String(length)} ${key}, and an endpoint has ${String(max)} at most: it was left out`,
      instead: 'divide the route, then import again',
    });
  }
  return {
    hosts: hosts.length === 0 ? [ANY_HOST] : hosts,
    paths: paths.length === 0 ? [ANY_PATH] : paths,
    methods: faulty.length > 0 ? [] : methods,
    isCarried: otherConditions.length === 0 && faulty.length === 0 && tooMany.length === 0,
  };
}

function readHost(text: string): MatchHost {
  const isWildcard = text.startsWith('*.');
  const name = isWildcard ? text.slice(2) : text;
  const placeholder = findPlaceholder(text) ?? text.length;
  const isName = !name.includes(':') && !name.includes('*') && placeholder === text.length;
  const host = isName && text.length <= MAX_HOST_CHARACTERS ? parseAuthority(name) : null;
  if (host !== null && host !== '') {
    return { pattern: isWildcard ? `*.${host}` : host, isCarried: true, prefix: null };
  }
  const star = text.indexOf('*');
  const colon = text.indexOf(':');
  const end = Math.min(star < 0 ? text.length : star, colon < 0 ? text.length : colon, placeholder);
  return { pattern: null, isCarried: false, prefix: text.slice(0, end).toLowerCase() };
}

function readPath(
  text: string,
  marksRegexPaths: boolean,
): MatchPath | { readonly reason: string; readonly path: MatchPath } {
  if (text.length > MAX_PATH_CHARACTERS) {
    const path = { literal: '/', isExact: false, rule: null, isRegex: text.startsWith('~'), length: text.length };
    return { reason: `it is longer than ${String(MAX_PATH_CHARACTERS)} characters`, path };
  }
  const isRegex = marksRegexPaths ? text.startsWith('~') : !PLAIN_PATH.test(text);
  const placeholder = findPlaceholder(text);
  if (placeholder !== null) {
    const literal = isRegex ? '/' : comparableStart(text.slice(0, placeholder));
    return { reason: 'it has a placeholder', path: { literal, isExact: false, rule: null, isRegex, length: 0 } };
  }
  const source = isRegex && text.startsWith('~') ? text.slice(1) : text;
  const { text: fixed, kind } = isRegex ? regexLiteral(source) : ({ text: source, kind: 'prefix' } as const);
  const base = { isRegex, length: isRegex ? 0 : text.length, isExact: kind === 'exact' };
  const unknown = (reason: string): { reason: string; path: MatchPath } => ({
    reason,
    path: { ...base, literal: comparableStart(fixed), rule: null },
  });
  if (kind === 'part') return unknown('it is a regular expression');
  const written: PathRule = kind === 'exact' ? { exact: fixed } : { prefix: fixed };
  const parsed = parsePathRule(written);
  if ('reason' in parsed) return unknown(parsed.reason);
  return { ...base, literal: comparableStart(fixed), rule: { written, ...parsed } };
}

/** A path as endpoints compare it, cut before what they would not take as it is. */
function comparableStart(text: string): string {
  const target = parseTarget(text);
  if (!('reason' in target) && target.query === null && !/;|%3b/i.test(text)) return target.comparable;
  const cut = /[%;?#\\]|\/\/|\/\.{1,2}(?:\/|$)/.exec(text);
  const start = cut === null ? text : text.slice(0, cut.index);
  return start.startsWith('/') ? start : '/';
}

/** What of a regular expression is fixed text. */
interface RegexLiteral {
  /** Every path that matches begins with this; `/` at least. */
  readonly text: string;
  /** `prefix`: it matches every path that begins so. `exact`: it matches this path alone. `part`: it matches fewer. */
  readonly kind: 'prefix' | 'exact' | 'part';
}

const PLAIN = /[A-Za-z0-9/_~%:@!&=,;#'" -]/;
const QUANTIFIER = /[*+?{]/;

/**
 * Reads a regular expression that is anchored at its beginning, as those of Kong's paths are. In one pass, never
 * throws.
 */
export function regexLiteral(source: string): RegexLiteral {
  const nothing: RegexLiteral = { text: '/', kind: 'part' };
  if (hasTopLevelAlternative(source)) return nothing;
  let text = '';
  let at = source.startsWith('^') ? 1 : 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === '$' && at === source.length - 1) return literal(text, 'exact');
    const isEscape = character === '\\' && /[^A-Za-z0-9]/.test(source.charAt(at + 1));
    if (!isEscape && !PLAIN.test(character)) return literal(text, 'part');
    const width = isEscape ? 2 : 1;
    // What a quantifier follows may be absent, or stand several times.
    if (QUANTIFIER.test(source.charAt(at + width))) return literal(text, 'part');
    text += isEscape ? source.charAt(at + 1) : character;
    at += width;
  }
  return literal(text, 'prefix');
}

function literal(text: string, kind: RegexLiteral['kind']): RegexLiteral {
  return text.startsWith('/') ? { text, kind } : { text: '/', kind: 'part' };
}

/** A `|` outside of every group: what follows it is matched from the beginning. */
function hasTopLevelAlternative(source: string): boolean {
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === '\\') at += 1;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '|' && depth <= 0) return true;
  }
  return false;
}

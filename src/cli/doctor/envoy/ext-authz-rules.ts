import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { flagIn, type JsonObject, listIn, numberIn, objectIn, textIn, valueIn } from '../../../model/document/json.ts';
import type { HttpFilter } from './envoy-config.ts';
import type { PosternChain } from './filter-chain.ts';

/** The shortest time that a body of 10 MiB needs on a busy machine, in seconds. */
const LEAST_TIMEOUT_SECONDS = 1;

/** Settings of the ext_authz filters that undo what Postern promises. */
export function inspectExtAuthz(chain: PosternChain): readonly Finding[] {
  const subject = `${chain.manager.name}: ext_authz`;
  return chain.checks.flatMap((check) => [
    ...inspectTraps(subject, check.settings),
    ...inspectCondition(subject, chain, check),
  ]);
}

function inspectTraps(subject: string, settings: JsonObject): readonly Finding[] {
  const found = findingsAbout(subject);
  found.faultIf(flagIn(settings, 'failure_mode_allow'), {
    message: 'failure_mode_allow is on: without an answer of Postern every request is let through',
    advice: 'set failure_mode_allow: false',
  });
  for (const list of ['allowed_headers', 'disallowed_headers']) {
    found.faultIf(list in settings && !(list === 'allowed_headers' && matchesAll(objectIn(settings, list))), {
      message: `${list} withholds headers from Postern: right signatures get 401, and a credential that Postern does not see reaches the back end`,
      advice: `remove ${list}: Postern needs every header, and hides credentials itself (hideCredentials)`,
    });
  }
  found.faultIf(flagIn(settings, 'shadow_mode'), {
    message: 'shadow_mode is on: refused requests are let through',
    advice: 'remove shadow_mode; to try an endpoint out, use "mode: observe" of that endpoint',
  });
  found.faultIf('filter_enabled' in settings && !isHundredPercent(settings), {
    message: 'filter_enabled is below 100 %: some requests are not checked',
    advice: 'remove filter_enabled',
  });
  found.faultIf(flagIn(settings, 'clear_route_cache'), {
    message: 'clear_route_cache is on: the request that was decided can be sent along another route',
    advice: 'set clear_route_cache: false',
  });
  found.faultIf(valueIn(settings, 'enable_dynamic_metadata_ingestion') === false, {
    message: 'enable_dynamic_metadata_ingestion is off: the guard sees no decision and refuses every request',
    advice: 'remove enable_dynamic_metadata_ingestion',
  });
  found.faultIf(
    flagIn(settings, 'decoder_header_mutation_rules', 'disallow_all') ||
      flagIn(settings, 'decoder_header_mutation_rules', 'disallow_system'),
    {
      message: 'decoder_header_mutation_rules drop changes of :path: App Keys in the query reach the back end',
      advice: 'remove decoder_header_mutation_rules',
    },
  );
  found.warnIf(!flagIn(settings, 'encode_raw_headers'), {
    message:
      'encode_raw_headers is off: repeated headers come joined and bytes that are not text come as "!"; some signed requests are refused',
    advice: 'set encode_raw_headers: true, as envoy.yaml and the overlays for Istio and Envoy Gateway do',
  });
  found.warnIf(textIn(settings, 'status_on_error', 'code') !== 'ServiceUnavailable', {
    message: 'status_on_error is not 503: when Postern is down, callers get 403, as if they were forbidden',
    advice: 'set status_on_error: { code: ServiceUnavailable }',
  });
  found.warnIf(!flagIn(settings, 'validate_mutations'), {
    message: 'validate_mutations is off: Envoy does not validate the headers that it has to set',
    advice: 'set validate_mutations: true',
  });
  found.warnIf(secondsIn(settings, 'grpc_service', 'timeout') < LEAST_TIMEOUT_SECONDS, {
    message:
      'the timeout of the check is short (Envoy has 200 ms when none is set): large bodies on a busy machine fail with 503',
    advice: 'set grpc_service.timeout: 5s',
  });
  found.warnIf(valueIn(settings, 'grpc_service', 'retry_policy', 'retry_back_off') !== undefined, {
    message: 'retry_back_off brings a timeout per try with it: large bodies fail with 503',
    advice: 'remove retry_back_off from the retry policy of grpc_service',
  });
  found.warnIf(/5xx|gateway-error|cancelled|deadline-exceeded|internal|(^|,)reset(,|$)/.test(retriesOn(settings)), {
    message:
      'checks are repeated that may have been decided already: limits count twice, replay protection refuses the second',
    advice: 'retry on connect-failure,refused-stream,reset-before-request only',
  });
  return found.all;
}

/** Whether a list of matchers has one that takes every name. */
function matchesAll(matchers: JsonObject): boolean {
  return listIn(matchers, 'patterns').some((pattern) => textIn(pattern, 'safe_regex', 'regex') === '.*');
}

/** Istio asks when a rule of an AuthorizationPolicy matches, which an RBAC filter before it notes in metadata. */
function inspectCondition(subject: string, { manager, guard }: PosternChain, check: HttpFilter): readonly Finding[] {
  const { settings } = check;
  if (!('filter_enabled_metadata' in settings)) return [];
  const prefix = textIn(settings, 'filter_enabled_metadata', 'value', 'string_match', 'prefix');
  const before = manager.filters.slice(0, manager.filters.indexOf(check));
  const rules = before
    .filter(({ type, isDisabled }) => type === 'RBAC' && !isDisabled)
    .flatMap((filter) => Object.entries(objectIn(filter.settings, 'shadow_rules', 'policies')))
    .filter(([name]) => prefix !== null && name.startsWith(prefix));
  if (rules.some(([, rule]) => matchesEverything(rule))) return [];
  const found = findingsAbout(subject);
  const isGuarded = rules.length > 0 && guard !== null;
  found.warnIf(isGuarded, {
    message:
      'Postern is asked only about requests that a rule of the AuthorizationPolicy matches: the guard refuses all others with 503',
    advice: 'let the AuthorizationPolicy have one empty rule: "rules: [{}]"',
  });
  found.faultIf(!isGuarded, {
    message: 'filter_enabled_metadata makes the check depend on metadata: requests without it are not checked',
    advice: 'remove filter_enabled_metadata',
  });
  return found.all;
}

/** Whether a policy of RBAC is one that every request meets: nothing but `any` in it. */
function matchesEverything(policy: unknown): boolean {
  return ['permissions', 'principals'].every((side) => listIn(policy, side).some((rule) => isAny(rule)));
}

function isAny(rule: JsonObject): boolean {
  if (flagIn(rule, 'any')) return true;
  const parts = [...listIn(rule, 'and_rules', 'rules'), ...listIn(rule, 'and_ids', 'ids')];
  return parts.length > 0 && parts.every((part) => isAny(part));
}

function isHundredPercent(settings: JsonObject): boolean {
  const numerator = numberIn(settings, 'filter_enabled', 'default_value', 'numerator') ?? 0;
  const denominator = textIn(settings, 'filter_enabled', 'default_value', 'denominator') ?? 'HUNDRED';
  const whole: Readonly<Record<string, number>> = { HUNDRED: 100, TEN_THOUSAND: 10_000, MILLION: 1_000_000 };
  // A runtime key can change the figure at any time, so that even 100 % is no promise.
  return numerator >= (whole[denominator] ?? Infinity) && textIn(settings, 'filter_enabled', 'runtime_key') === null;
}

function retriesOn(settings: JsonObject): string {
  return textIn(settings, 'grpc_service', 'retry_policy', 'retry_on') ?? '';
}

function secondsIn(settings: JsonObject, ...steps: readonly string[]): number {
  return Number.parseFloat(textIn(settings, ...steps) ?? '0.2s');
}

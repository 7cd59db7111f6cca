import { type JsonObject, listIn, numberIn, objectIn, textIn } from '../../../model/document/json.ts';
import type { Expectation } from './expectation.ts';

const MARKS = "metadata.filter_metadata['envoy.filters.http.rbac']";

/**
 * Beginnings of the details of Envoy's own failures. Answers that somebody configured have others, and keep their body.
 */
const FAILURES = [
  'http[123][.]|low_version|missing_(host|path)_',
  '(absolute|invalid)_path|path_norm|rejecting_because',
  'request_(headers?_|overall_|payload_)|early_connect',
  'downstream_header|stream_idle_|(max_)?duration_',
  'upgrade_failed|websocket_|ext_authz_invalid',
  'filter_(added|removed)_|response_(timeout|payload)',
  'route_|cluster_not_found|no_healthy_upstream',
  'maintenance_mode|(unconditional_)?drop_overload',
  'overload|upstream_',
];

/** What gives Envoy's own failures the form of Postern's refusals, as in envoy.yaml. */
export const ofMappers: readonly Expectation[] = [
  hasMapper('BODY_TOO_LARGE', "response.code_details == 'request_payload_too_large'", null),
  hasMapper(
    'UNAVAILABLE',
    "response.code_details == 'ext_authz_error' || " +
      "(response.code_details == 'rbac_access_denied_matched_policy[none]' && " +
      `'postern_no_route.enforced_engine_result' in ${MARKS} && ` +
      `!('postern_guard.enforced_engine_result' in ${MARKS}))`,
    503,
  ),
  hasMapper('GATEWAY_ERROR', "response.code_details == 'rbac_access_denied_matched_policy[postern-no-route]'", 404),
  hasMapper('GATEWAY_ERROR', FAILURES.map((each) => `response.code_details.matches('^(${each})')`).join(' || '), null),
];

/** The mapper that gives answers of Envoy itself this code, and this status where it is not Envoy's own. */
function hasMapper(code: string, expression: string, status: number | null): Expectation {
  const isRight = (mapper: JsonObject): boolean => {
    const body = objectIn(mapper, 'body_format_override', 'json_format');
    const own = textIn(mapper, 'filter', 'extension_filter', 'typed_config', 'expression') ?? '';
    return (
      own.replaceAll(/\s+/g, ' ').trim() === expression &&
      textIn(body, 'code') === code &&
      textIn(body, 'message') !== null &&
      textIn(body, 'requestId') === '%REQ(X-REQUEST-ID)%' &&
      numberIn(mapper, 'status_code') === status
    );
  };
  return {
    setting: `the mapper of local_reply_config for ${code}${status === null ? '' : ` (${String(status)})`}`,
    isMet: (settings) => listIn(settings, 'local_reply_config', 'mappers').some(isRight),
    consequence: "Envoy's own answers do not have the form and the status of Postern's refusals",
  };
}

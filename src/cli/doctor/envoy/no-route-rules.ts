import { isDeepStrictEqual } from 'node:util';
import { objectIn, textIn, valueIn } from '../../../model/document/json.ts';
import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { isBefore, type PosternChain } from './filter-chain.ts';

/** Where the two RBAC filters of Postern count and leave their marks, by which local replies tell them from others. */
const PREFIXES = { noRoute: 'postern_no_route.', guard: 'postern_guard.' } as const;

/** `!has(xds.route_name)`: no route takes the request. */
const HAS_NO_ROUTE = {
  call_expr: {
    function: '!_',
    args: [{ select_expr: { operand: { ident_expr: { name: 'xds' } }, field: 'route_name', test_only: true } }],
  },
};

const ANY = [{ any: true }];

const POLICIES = { 'postern-no-route': { principals: ANY, permissions: ANY, condition: HAS_NO_ROUTE } };

/**
 * The filter before the guard that ends requests which no route takes, and what tells the guard from other RBAC
 * filters.
 */
export function inspectNoRoute(chain: PosternChain): readonly Finding[] {
  const { manager, extAuthz, guard } = chain;
  // One that stands too early is reported with the order.
  if (guard === null || isBefore(chain, guard, extAuthz)) return [];
  const filter = manager.filters.find(
    ({ type, settings }) => type === 'RBAC' && textIn(settings, 'rules_stat_prefix') === PREFIXES.noRoute,
  );
  const isRight =
    filter !== undefined &&
    !filter.isDisabled &&
    isBefore(chain, filter, guard) &&
    // In a file also as a number.
    ['DENY', 1].some((action) => action === valueIn(filter.settings, 'rules', 'action')) &&
    isDeepStrictEqual(objectIn(filter.settings, 'rules', 'policies'), POLICIES);
  const found = findingsAbout(`${manager.name}: filter chain`);
  found.warnIf(!isRight, {
    message:
      'postern.no-route before the guard is missing or different: requests that no route takes get 503 and count as undecided, or others get 404',
    advice: 'copy the RBAC filter postern.no-route from envoy.yaml, right before the guard',
  });
  found.warnIf(textIn(guard.settings, 'rules_stat_prefix') !== PREFIXES.guard, {
    message: `the guard has no "rules_stat_prefix: ${PREFIXES.guard}": its refusals cannot be told from those of other RBAC filters`,
    advice: 'copy the RBAC filter postern.guard from envoy.yaml',
  });
  return found.all;
}

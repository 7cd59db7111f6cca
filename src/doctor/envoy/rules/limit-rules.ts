import { fine, type Finding, warning } from '../../finding.ts';
import type { OwnLimits } from '../../own-limits.ts';
import type { HttpFilter } from '../envoy-config.ts';
import { isBefore, type PosternChain } from '../filter-chain.ts';
import { listIn } from '../json-view.ts';

/** Holders of limits that are named; the others are counted. */
const MAX_NAMED = 3;
const EXAMPLE = 'deploy/envoy-ratelimit-filter';

/** Envoy's own rate limit filter: what it needs to be right, and that Postern does not keep limits beside it (spec §4.2). */
export function inspectRateLimitFilter(chain: PosternChain, own: OwnLimits): readonly Finding[] {
  const filter = chain.manager.filters.find(({ type, isDisabled }) => type === 'RateLimit' && !isDisabled);
  if (filter === undefined) return [];
  const subject = `${chain.manager.name}: filter chain`;
  const told = [...inspectCounting(subject, filter, own), ...inspectFilter(subject, chain, filter)];
  return told.length > 0 ? told : [fine(subject, `the filter ${filter.name} keeps limits, and Postern keeps none`)];
}

/** Two that keep limits count every request twice. */
function inspectCounting(
  subject: string,
  { name }: HttpFilter,
  { hasService, holders }: OwnLimits,
): readonly Finding[] {
  const advice = `keep limits in one place: take them out of Postern ("postern limit clear"), or the filter out of the chain (${EXAMPLE})`;
  if (holders === null) {
    const message = `the filter ${name} asks a rate limit service too: requests count twice when Postern has limits as well`;
    return [warning(subject, message, advice)];
  }
  if (holders.length > 0) {
    const service = hasService ? ', over a rate limit service' : '';
    const message = `the filter ${name} and Postern both keep limits: requests count twice (Postern has those of ${listOf(holders)}${service})`;
    return [warning(subject, message, advice)];
  }
  if (!hasService) return [];
  return [
    warning(
      subject,
      `the filter ${name} keeps limits, and Postern has a rate limit service too: with the first limit in Postern requests count twice`,
      'unset POSTERN_RATE_LIMIT_SERVICE, or take the filter out of the chain',
    ),
  ];
}

function inspectFilter(subject: string, chain: PosternChain, filter: HttpFilter): readonly Finding[] {
  const { manager, extAuthz, guard } = chain;
  const findings: Finding[] = [];
  if (isBefore(chain, filter, guard ?? extAuthz)) {
    findings.push(
      warning(
        subject,
        `the filter ${filter.name} stands before the guard: it counts requests that are refused, and may know neither endpoint nor consumer`,
        `put it between the guard and the router, as ${EXAMPLE} does`,
      ),
    );
  }
  const isFed =
    listIn(filter.settings, 'rate_limits').length + manager.routes.flatMap((route) => route.rateLimits).length > 0;
  if (!isFed) {
    findings.push(
      warning(
        subject,
        `no route says what the filter ${filter.name} counts: it limits nothing`,
        `give the routes to back ends rate_limits, as ${EXAMPLE} does`,
      ),
    );
  }
  if (!JSON.stringify(listIn(manager.settings, 'local_reply_config', 'mappers')).includes('request_rate_limited')) {
    findings.push(
      warning(
        subject,
        `refusals of the filter ${filter.name} do not have the form of Postern's: callers are told no RATE_LIMITED and no Retry-After`,
        `add the mappers of ${EXAMPLE} to local_reply_config, before the others`,
      ),
    );
  }
  return findings;
}

function listOf(holders: readonly string[]): string {
  const rest = holders.length - MAX_NAMED;
  const named = holders.slice(0, MAX_NAMED).join(', ');
  return rest > 0 ? `${named} and ${String(rest)} more` : named;
}

import { hash } from 'node:crypto';
import { fine, type Finding, type FindingsAbout, findingsAbout } from '../../../base/finding.ts';
import type { OwnLimits } from '../own-limits.ts';
import { flagIn, listIn, numberIn, textIn } from '../../../model/document/json.ts';
import type { HttpFilter } from './envoy-config.ts';
import {
  bufferedBytes,
  clustersOf,
  isBefore,
  isOff,
  isOwn,
  leadsOn,
  type PosternChain,
  readGuard,
} from './filter-chain.ts';

/** The order buffer, ext_authz, unwrap, guard: each closes a hole that is open without it (docs/envoy.md). */
export function inspectOrder(chain: PosternChain): readonly Finding[] {
  const { manager, extAuthz, buffer, unwrap, unwraps, guard } = chain;
  const found = findingsAbout(`${manager.name}: filter chain`);
  found.faultIf(buffer === null || !isBefore(chain, buffer, extAuthz), {
    message: 'there is no buffer filter before ext_authz: the end of an HTTP/2 body can reach the back end unchecked',
    advice: 'put envoy.filters.http.buffer before ext_authz, as envoy.yaml does',
  });
  found.faultIf(unwrap === null || !isBefore(chain, extAuthz, unwrap), {
    message:
      'the script that unwraps JSON bodies is missing or stands before ext_authz: wrapped requests cannot be served',
    advice: 'put the Lua filter postern.unwrap of envoy.yaml after ext_authz',
  });
  found.warnIf(!unwraps.every(isKnownScript), {
    message:
      'the script that unwraps JSON bodies is not that of this version: what it does with a wrapper, and with its text in logs, is not known',
    advice: 'copy the Lua filter postern.unwrap from envoy.yaml',
  });
  const isGuarded = guard !== null && isBefore(chain, unwrap ?? extAuthz, guard);
  found.faultIf(!isGuarded, {
    message:
      'there is no guard after ext_authz and the unwrap script: undecided requests, and wrappers with App Key and signature, can reach the back end',
    advice: 'put the RBAC filter postern.guard of envoy.yaml last before the router',
  });
  if (isGuarded) found.all.push(...inspectGuard(chain, guard));
  for (const filter of [extAuthz, buffer, unwrap, guard]) {
    if (filter === null) continue;
    found.faultIf(filter.isDisabled && manager.routes.every((route) => isOff(route, filter)), {
      message: `the filter ${filter.name} is switched off (disabled: true)`,
      advice: 'remove "disabled" from the filter',
    });
  }
  return found.all;
}

/** SHA-256 of the script of envoy.yaml, without comments and white space. */
const KNOWN_SCRIPTS: ReadonlySet<string> = new Set([
  '3b7b728a2850c390aa52bd660c747ca3d1f2cd575953d2b1cc0b346e1a1524b4',
]);

function isKnownScript({ settings }: HttpFilter): boolean {
  const script = textIn(settings, 'default_source_code', 'inline_string') ?? textIn(settings, 'inline_code') ?? '';
  const bare = script.replaceAll(/--.*$/gm, '').replaceAll(/\s/g, '');
  return KNOWN_SCRIPTS.has(hash('sha256', bare));
}

function inspectGuard({ manager }: PosternChain, guard: HttpFilter): readonly Finding[] {
  const { clusters, passesDecided, passesMore } = readGuard(guard);
  const open = manager.routes.filter(
    (route) => leadsOn(route) && !isOwn(route) && clustersOf(route).some((cluster) => clusters.includes(cluster)),
  );
  const found = findingsAbout(`${manager.name}: guard`);
  const isOpen = passesMore || open.length > 0;
  const routes = open.length === 0 ? '' : `: everything on ${open.map(({ name }) => name).join(', ')}`;
  found.faultIf(isOpen, {
    message: `the guard lets more pass than what Postern decided${routes}`,
    advice: 'let it ALLOW only postern.body = original or replaced, as envoy.yaml does',
  });
  found.faultIf(!isOpen && !passesDecided, {
    message: 'the guard stops some of what Postern decided: requests with wrapped bodies, or all others, get 503',
    advice: 'let it ALLOW postern.body = original and replaced, as envoy.yaml does',
  });
  return found.all;
}

const MAX_BODY_BYTES = 10_485_760;

/** Three limits in order: Postern's own below the buffer's below ext_authz's. */
export function inspectBodyLimits(chain: PosternChain): readonly Finding[] {
  const { manager, extAuthz } = chain;
  const authzBytes = numberIn(extAuthz.settings, 'with_request_body', 'max_request_bytes');
  const limits = bufferLimits(chain);
  const [leastBytes, bufferBytes] = limits.length === 0 ? [null, null] : [Math.min(...limits), Math.max(...limits)];
  const found = findingsAbout(`${manager.name}: body limits`);
  found.faultIf(authzBytes === null, {
    message: 'ext_authz does not send request bodies: signed bodies cannot be verified',
    advice: 'give ext_authz with_request_body as in envoy.yaml',
  });
  if (authzBytes === null) return found.all;
  found.faultIf(flagIn(extAuthz.settings, 'with_request_body', 'allow_partial_message'), {
    message:
      'ext_authz sends cut bodies (allow_partial_message): a body would be decided by a part of it; Postern refuses those with 413',
    advice: 'set allow_partial_message: false',
  });
  found.faultIf(!flagIn(extAuthz.settings, 'with_request_body', 'pack_as_bytes'), {
    message: 'ext_authz sends bodies as text (pack_as_bytes is off): a body that is not UTF-8 fails',
    advice: 'set pack_as_bytes: true',
  });
  found.faultIf(bufferBytes !== null && authzBytes <= bufferBytes, {
    message: `ext_authz takes no more bytes (${String(authzBytes)}) than the buffer (${String(bufferBytes)}): it would cut what the buffer passes`,
    advice: 'make with_request_body.max_request_bytes larger than the max_request_bytes of the buffer',
  });
  found.warnIf(leastBytes !== null && leastBytes <= MAX_BODY_BYTES, {
    message: `the buffer takes ${String(leastBytes)} bytes: larger bodies get Envoy's 413, though signed ones may have ${String(MAX_BODY_BYTES)}`,
    advice: 'raise it to 10486784, or leave it so on purpose',
  });
  return found.all;
}

/** What the buffer takes on the routes to back ends; what the filter says when there are none. */
function bufferLimits({ manager, buffer }: PosternChain): readonly number[] {
  if (buffer === null) return [];
  const routes = manager.routes.filter((route) => leadsOn(route) && !isOwn(route) && !isOff(route, buffer));
  const limits = routes.map((route) => bufferedBytes(route, buffer));
  const own = numberIn(buffer.settings, 'max_request_bytes');
  return (limits.length === 0 && !buffer.isDisabled ? [own] : limits).filter((bytes) => bytes !== null);
}

/** Holders of limits that are named; the others are counted. */
const MAX_NAMED = 3;
const EXAMPLE = 'deploy/envoy-ratelimit-filter';

/**
 * Envoy's own rate limit filter: what it needs to be right, and that Postern does not keep limits beside it (spec
 * §4.2).
 */
export function inspectRateLimitFilter(chain: PosternChain, own: OwnLimits): readonly Finding[] {
  const { manager, extAuthz, guard } = chain;
  const filter = manager.filters.find(({ type, isDisabled }) => type === 'RateLimit' && !isDisabled);
  if (filter === undefined) return [];
  const found = findingsAbout(`${manager.name}: filter chain`);
  inspectCounting(found, filter, own);
  found.warnIf(isBefore(chain, filter, guard ?? extAuthz), {
    message: `the filter ${filter.name} stands before the guard: it counts requests that are refused, and may know neither endpoint nor consumer`,
    advice: `put it between the guard and the router, as ${EXAMPLE} does`,
  });
  const isFed =
    listIn(filter.settings, 'rate_limits').length + manager.routes.flatMap((route) => route.rateLimits).length > 0;
  found.warnIf(!isFed, {
    message: `no route says what the filter ${filter.name} counts: it limits nothing`,
    advice: `give the routes to back ends rate_limits, as ${EXAMPLE} does`,
  });
  found.warnIf(
    !JSON.stringify(listIn(manager.settings, 'local_reply_config', 'mappers')).includes('request_rate_limited'),
    {
      message: `refusals of the filter ${filter.name} have another body than Postern's: callers get no RATE_LIMITED`,
      advice: `add the mappers of ${EXAMPLE} to local_reply_config, before the others`,
    },
  );
  if (found.all.length > 0) return found.all;
  return [fine(`${manager.name}: filter chain`, `the filter ${filter.name} keeps limits, and Postern keeps none`)];
}

/** Two that keep limits count every request twice. */
function inspectCounting(found: FindingsAbout, { name }: HttpFilter, { hasService, holders }: OwnLimits): void {
  const advice = `keep limits in one place: take them out of Postern ("postern limit clear"), or the filter out of the chain (${EXAMPLE})`;
  found.warnIf(holders === null, {
    message: `the filter ${name} asks a rate limit service too: requests count twice when Postern has limits as well`,
    advice,
  });
  if (holders === null) return;
  const service = hasService ? ', over a rate limit service' : '';
  found.warnIf(holders.length > 0, {
    message: `the filter ${name} and Postern both keep limits: requests count twice (Postern has those of ${listOf(holders)}${service})`,
    advice,
  });
  found.warnIf(holders.length === 0 && hasService, {
    message: `the filter ${name} keeps limits, and Postern has a rate limit service too: with the first limit in Postern requests count twice`,
    advice: 'unset POSTERN_RATE_LIMIT_SERVICE, or take the filter out of the chain',
  });
}

function listOf(holders: readonly string[]): string {
  const rest = holders.length - MAX_NAMED;
  const named = holders.slice(0, MAX_NAMED).join(', ');
  return rest > 0 ? `${named} and ${String(rest)} more` : named;
}

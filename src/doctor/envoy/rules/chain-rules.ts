import { hash } from 'node:crypto';
import { fault, type Finding, warning } from '../../finding.ts';
import type { HttpFilter } from '../envoy-config.ts';
import { isBefore, type PosternChain } from '../filter-chain.ts';
import { readGuard } from '../guard.ts';
import { flagIn, numberIn, textIn } from '../json-view.ts';
import { clustersOf, isOff, isOwn, leadsOn, overrideOf } from '../route-filters.ts';

/** The order buffer, ext_authz, unwrap, guard: each closes a hole that is open without it (docs/envoy.md). */
export function inspectOrder(chain: PosternChain): readonly Finding[] {
  const { manager, extAuthz, buffer, unwrap, guard } = chain;
  const subject = `${manager.name}: filter chain`;
  const findings: Finding[] = [];
  if (buffer === null || !isBefore(chain, buffer, extAuthz)) {
    findings.push(
      fault(
        subject,
        'no buffer filter stands before ext_authz: the end of an HTTP/2 body can reach the back end unchecked',
        'put envoy.filters.http.buffer before ext_authz, as envoy.yaml does',
      ),
    );
  }
  if (unwrap === null || !isBefore(chain, extAuthz, unwrap)) {
    findings.push(
      fault(
        subject,
        'the script that unwraps JSON bodies is missing or stands before ext_authz: wrapped requests cannot be served',
        'put the Lua filter postern.unwrap of envoy.yaml after ext_authz',
      ),
    );
  }
  if (unwrap !== null && !isKnownScript(unwrap)) {
    findings.push(
      warning(
        subject,
        'the script that unwraps JSON bodies is not that of this version: what it does with a wrapper, and with its text in logs, is not known',
        'copy the Lua filter postern.unwrap from envoy.yaml',
      ),
    );
  }
  if (guard === null || !isBefore(chain, unwrap ?? extAuthz, guard)) {
    findings.push(
      fault(
        subject,
        'no guard stands after ext_authz and the unwrap script: what nobody decided, and wrappers with App Key and signature, can reach the back end',
        'put the RBAC filter postern.guard of envoy.yaml last before the router',
      ),
    );
  } else {
    findings.push(...inspectGuard(chain, guard));
  }
  for (const filter of [extAuthz, buffer, unwrap, guard]) {
    if (filter?.isDisabled !== true || manager.routes.some((route) => !isOff(route, filter))) continue;
    findings.push(
      fault(subject, `the filter ${filter.name} is switched off (disabled: true)`, 'remove "disabled" from the filter'),
    );
  }
  return findings;
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
  if (!passesMore && passesDecided && open.length === 0) return [];
  if (!passesMore && open.length === 0) {
    const message =
      'the guard stops some of what Postern decided: requests with wrapped bodies, or all others, get 503';
    return [
      fault(`${manager.name}: guard`, message, 'let it ALLOW postern.body = original and replaced, as envoy.yaml does'),
    ];
  }
  const routes = open.map(({ name }) => name).join(', ');
  return [
    fault(
      `${manager.name}: guard`,
      `the guard lets more pass than what Postern decided${routes === '' ? '' : `: everything on ${routes}`}`,
      'let it ALLOW only postern.body = original or replaced, as envoy.yaml does',
    ),
  ];
}

const MAX_BODY_BYTES = 10_485_760;

/** Three limits in order: Postern's own below the buffer's below ext_authz's. */
export function inspectBodyLimits(chain: PosternChain): readonly Finding[] {
  const { manager, extAuthz } = chain;
  const subject = `${manager.name}: body limits`;
  const authzBytes = numberIn(extAuthz.settings, 'with_request_body', 'max_request_bytes');
  const limits = bufferLimits(chain);
  const [leastBytes, bufferBytes] = limits.length === 0 ? [null, null] : [Math.min(...limits), Math.max(...limits)];
  const findings: Finding[] = [];
  if (authzBytes === null) {
    return [
      fault(
        subject,
        'ext_authz does not send request bodies: signed bodies cannot be verified',
        'give ext_authz with_request_body as in envoy.yaml',
      ),
    ];
  }
  if (flagIn(extAuthz.settings, 'with_request_body', 'allow_partial_message')) {
    findings.push(
      fault(
        subject,
        'ext_authz sends cut bodies (allow_partial_message): a body would be decided by a part of it; Postern refuses those with 413',
        'set allow_partial_message: false',
      ),
    );
  }
  if (!flagIn(extAuthz.settings, 'with_request_body', 'pack_as_bytes')) {
    findings.push(
      fault(
        subject,
        'ext_authz sends bodies as text (pack_as_bytes is off): a body that is not UTF-8 fails',
        'set pack_as_bytes: true',
      ),
    );
  }
  if (bufferBytes !== null && authzBytes <= bufferBytes) {
    findings.push(
      fault(
        subject,
        `ext_authz takes no more bytes (${String(authzBytes)}) than the buffer (${String(bufferBytes)}): it would cut what the buffer passes`,
        'make with_request_body.max_request_bytes larger than the max_request_bytes of the buffer',
      ),
    );
  }
  if (leastBytes !== null && leastBytes <= MAX_BODY_BYTES) {
    findings.push({
      level: 'warning',
      subject,
      message: `the buffer takes ${String(leastBytes)} bytes: larger bodies get Envoy's 413, though signed ones may have ${String(MAX_BODY_BYTES)}`,
      advice: 'raise it to 10486784, or leave it so on purpose',
    });
  }
  return findings;
}

/** What the buffer takes on the routes to back ends; what the filter says when there are none. */
function bufferLimits({ manager, buffer }: PosternChain): readonly number[] {
  if (buffer === null) return [];
  const own = numberIn(buffer.settings, 'max_request_bytes');
  const routes = manager.routes.filter((route) => leadsOn(route) && !isOwn(route) && !isOff(route, buffer));
  const limits = routes.map((route) => numberIn(overrideOf(route, buffer), 'buffer', 'max_request_bytes') ?? own);
  return (limits.length === 0 && !buffer.isDisabled ? [own] : limits).filter((bytes) => bytes !== null);
}

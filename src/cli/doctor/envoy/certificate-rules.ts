import type { Endpoint } from '../../../model/endpoint.ts';
import { fault, type Finding, fine } from '../../../base/finding.ts';
import { flagIn, type JsonObject, objectIn, textIn } from '../../../model/document/json.ts';
import { proofOf } from '../../../check/methods/methods.ts';
import type { HttpManager } from './envoy-config.ts';
import type { PosternChain } from './filter-chain.ts';
import { VALIDATION, VALIDATION_BY_SDS } from './trusted-authorities.ts';

/** With one of these Envoy takes no certificate that it cannot trace back to something. */
const ANCHORS: readonly string[] = [
  'trusted_ca',
  'system_root_certs',
  'ca_certificate_provider_instance',
  'custom_validator_config',
  'verify_certificate_hash',
  'verify_certificate_spki',
];

/**
 * Whether callers' certificates reach Postern, where endpoints take them, and were verified before.
 * `endpoints`: those of the store; null when they are unknown.
 */
export function inspectClientCertificates(
  chain: PosternChain,
  endpoints: readonly Endpoint[] | null,
): readonly Finding[] {
  const names = (endpoints ?? []).filter((each) => each.enabled && proofOf(each) === 'certificate').map(({ id }) => id);
  if (names.length === 0) return [];
  const { manager, config } = chain;
  const subject = `${manager.name}: client certificates`;
  const refuses = names.length === 1 ? `endpoint ${names.join()} refuses` : `endpoints ${names.join(', ')} refuse`;
  if (!asksForCertificates(manager)) {
    if (config.managers.some(asksForCertificates)) return [];
    const message = `no listener asks callers for a certificate: ${refuses} every request`;
    return [
      fault(subject, message, 'give the filter chain a TLS context with a validation_context (docs/mutual-tls.md)'),
    ];
  }
  const found: Finding[] = [];
  if (chain.checks.some(({ settings }) => !flagIn(settings, 'include_peer_certificate'))) {
    const message = `include_peer_certificate of ext_authz is off: ${refuses} every request`;
    found.push(fault(subject, message, 'set include_peer_certificate: true, as envoy.yaml has it'));
  }
  if (!verifiesCertificates(manager)) {
    const message = 'Envoy takes certificates that no authority issued: anyone can make one with any name in it';
    const advice = 'give the validation_context a trusted_ca, and remove trust_chain_verification';
    found.push(fault(subject, message, advice));
  }
  if (found.length === 0 && !flagIn(manager.tls, 'require_client_certificate')) {
    found.push(fine(subject, 'are asked for, and not required: Postern refuses callers without one where it needs it'));
  }
  return found;
}

/** Whether Envoy asks callers of a listener for a certificate. */
export function asksForCertificates({ tls }: HttpManager): boolean {
  if (tls === null) return false;
  const common = objectIn(tls, 'common_tls_context');
  return (
    flagIn(tls, 'require_client_certificate') ||
    [...VALIDATION, ...VALIDATION_BY_SDS].some((steps) => Object.keys(objectIn(common, ...steps)).length > 0)
  );
}

/** Whether Envoy verifies whom it asks; what comes by SDS counts as right, unless the rest says otherwise. */
function verifiesCertificates({ tls }: HttpManager): boolean {
  const common = objectIn(tls ?? {}, 'common_tls_context');
  const contexts = VALIDATION.map((steps) => objectIn(common, ...steps));
  if (contexts.some((context) => textIn(context, 'trust_chain_verification') === 'ACCEPT_UNTRUSTED')) return false;
  const isBySds = VALIDATION_BY_SDS.some((steps) => Object.keys(objectIn(common, ...steps)).length > 0);
  return isBySds || contexts.some(isAnchored);
}

function isAnchored(context: JsonObject): boolean {
  return ANCHORS.some((name) => name in context);
}

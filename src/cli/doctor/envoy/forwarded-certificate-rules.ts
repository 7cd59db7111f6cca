import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { textIn } from '../../../model/document/json.ts';
import { isOwn, matchedPath, type PosternChain } from './filter-chain.ts';

/** What Envoy does without the setting: it takes the header away. */
const DEFAULT = 'SANITIZE';
const WANTED = 'SANITIZE_SET';
const ADVICE = `set forward_client_cert_details: ${WANTED} (docs/mutual-tls.md)`;

/**
 * Whether `x-forwarded-client-cert`, by which access tokens are bound to client certificates, is Envoy's own word where
 * requests for tokens pass.
 *
 * @param bindsTokens whether POSTERN_OAUTH2_CLIENT_CERTIFICATES is on
 */
export function inspectForwardedCertificates({ manager }: PosternChain, bindsTokens: boolean): readonly Finding[] {
  if (!bindsTokens || !mayLeadToTokens(manager)) return [];
  const found = findingsAbout(`${manager.name}: bound access tokens`);
  const setting = textIn(manager.settings, 'forward_client_cert_details') ?? DEFAULT;
  found.warnIf(setting === DEFAULT, {
    message: `forward_client_cert_details is ${DEFAULT}: no access token is bound to a client certificate`,
    advice: `${ADVICE}, or unset POSTERN_OAUTH2_CLIENT_CERTIFICATES`,
  });
  found.faultIf(setting !== DEFAULT && setting !== WANTED, {
    message: `forward_client_cert_details is ${setting}: callers name the certificate that their access tokens are bound to`,
    advice: ADVICE,
  });
  found.faultIf('forward_client_cert_matcher' in manager.settings, {
    message: 'forward_client_cert_matcher can let callers name the certificate that their access tokens are bound to',
    advice: `remove it, and ${ADVICE}`,
  });
  return found.all;
}

/** Not where every route is for paths that are none of the OAuth2 endpoints. */
function mayLeadToTokens({ routes }: PosternChain['manager']): boolean {
  return routes.length === 0 || routes.some((route) => isOwn(route) || matchedPath(route) === '');
}

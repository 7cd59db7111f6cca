import type { PlanLimit } from '../../model/plan.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { formatTime } from '../render/text.ts';
import type { AccessibleEndpoint, PartnerAccess } from '../../partners/handover/partner-access.ts';
import { renderComparison } from './render-examples.ts';
import { renderKeyPair } from './render-key-pair.ts';
import type { EndpointGroup, Handover } from '../../partners/handover/handover-page.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import { block, code, plain, table } from '../../model/document/markdown.ts';
import type { Language } from './samples/language.ts';
import { renderSample } from './samples/sample.ts';
import { hostsOf, originOf } from '../../partners/handover/target.ts';

/** Writes what an operator sends to a partner, as Markdown. */
export function renderHandover(handover: Handover, language: Language): string {
  const { access, origin, groups } = handover;
  const sections = [
    `# Calling ${plain(origin)}`,
    `For ${plain(access.partner)}, with the credential ${code(access.credentialId)}. This page holds no secret.`,
    '## Your credential',
    table(['What', 'Value'], credentialRows(handover)),
    ...(access.publicKey === null ? [] : renderKeyPair(access.publicKey)),
    '## What you may call',
    table(...callable(handover)),
    ...groups.flatMap((group) => groupSections(group, handover, language)),
    '## When a call is refused',
    REFUSED,
    table(
      ['Status', 'Code', 'Meaning'],
      handover.codes.map(({ status, code: name, meaning }) => [String(status), code(name), meaning]),
    ),
    ...(access.endpoints.some(({ limits, planLimits }) => limits.length + planLimits.length > 0)
      ? [LIMIT_HEADERS]
      : []),
  ];
  return `${sections.join('\n\n')}\n`;
}

const REFUSED = `A refusal is JSON with a \`code\` that does not change, a \`message\`, and a \`requestId\` to quote when you write to us:

${block('{"code":"CREDENTIALS_MISSING","message":"The request carries no credentials.","requestId":"1f0c…"}', 'json')}`;

const LIMIT_HEADERS =
  'Answers carry `RateLimit`, `RateLimit-Policy` and `X-RateLimit-*` with what is left of a limit. A refused call that was not authenticated uses nothing up.';

const APART =
  'You get it apart from this page, over another channel. Write to us if you have not received it. Never send it by mail or chat.';

function credentialRows({ access, secretBy }: Handover): readonly (readonly string[])[] {
  const { appKey, opensAlone, hasAppSecret, publicKey, notBefore, expiresAt, formerSecretEndsAt, allowFrom } = access;
  const { knownBy } = access;
  const former = publicKey === null ? 'Former App Secret' : 'Former public key';
  const apart = secretBy === null ? APART : plain(secretBy);
  const unknown = opensAlone ? `It is a secret. ${apart}` : 'You have it already; we keep only its hash.';
  return [
    ...(knownBy.length > 0
      ? knownBy.map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, code(value)])
      : [['App Key', appKey === null ? unknown : code(appKey)]]),
    ...(hasAppSecret ? [['App Secret', apart]] : []),
    ...(publicKey === null ? [] : keyRows(publicKey)),
    ...(notBefore === null ? [] : [['Works from', formatTime(notBefore)]]),
    ['Works until', expiresAt === null ? 'no end is set' : formatTime(expiresAt)],
    ...(allowFrom === null ? [] : [['Call from', allowFrom.map(code).join(', ')]]),
    ...(formerSecretEndsAt === null ? [] : [[former, `works until ${formatTime(formerSecretEndsAt)}`]]),
  ];
}

/** With which key a partner signs: never the key itself. */
function keyRows({ description, thumbprint }: PublicKey): readonly (readonly string[])[] {
  return [
    ['Sign with', `the private key of the public key that you sent us: ${description}`],
    ['Its thumbprint', `${code(thumbprint)} (RFC 7638, SHA-256). Compare it; write to us if it is another one.`],
  ];
}

function callable({ access, address, groups }: Handover): [readonly string[], readonly (readonly string[])[]] {
  const hasEnd = access.endpoints.some(({ endsAt }) => endsAt !== null);
  const rows = groups.flatMap(({ title, endpoints }) =>
    endpoints.map((accessible) => {
      const { id, description, match } = accessible.endpoint;
      const places = hostsOf(match, address).flatMap((host) =>
        match.paths.map((rule) => {
          const origin = originOf(address, host);
          return 'prefix' in rule ? `${code(origin + rule.prefix)} and below` : code(origin + rule.exact);
        }),
      );
      return [
        description === '' ? code(id) : `${code(id)}: ${plain(description)}`,
        places.join(', '),
        match.methods.length === 0 ? 'any' : match.methods.map(code).join(', '),
        title,
        limitText(accessible),
        ...(hasEnd ? [endText(accessible)] : []),
      ];
    }),
  );
  return [['API', 'Address', 'HTTP methods', 'Authentication', 'Limits', ...(hasEnd ? ['Until'] : [])], rows];
}

function limitText({ limits, planLimits }: AccessibleEndpoint): string {
  const own = limits.map(
    ({ per, ...limit }) => `${describeLimit(limit)}${per === 'endpoint' ? ' for all callers together' : ''}`,
  );
  const ofPlan = planLimits.map((limit) => `${describeLimit(limit)} over all APIs of your plan together`);
  return [...own, ...ofPlan].join('; ') || 'none';
}

function describeLimit({ requests, unit }: PlanLimit): string {
  return `${count(requests, 'request', grouped(requests))} a ${unit}`;
}

function endText({ endsAt }: AccessibleEndpoint): string {
  return endsAt === null ? 'no end is set' : formatTime(endsAt);
}

function groupSections(group: EndpointGroup, handover: Handover, language: Language): readonly string[] {
  const { title, summary, rules, endpoints } = group;
  const isOnly = handover.groups.length === 1;
  const sample = renderSample(language, group, handover, group === handover.groups[0]);
  return [
    `## ${title}${isOnly ? '' : `: ${endpoints.map(({ endpoint }) => endpoint.id).join(', ')}`}`,
    summary,
    table(['Rule', 'What holds'], rules),
    ...(sample.length === 0 ? [] : [`### First call${isOnly ? '' : ` to ${endpoints[0]?.endpoint.id ?? ''}`}`]),
    ...sample,
    ...renderComparison(group, appKeyOf(handover.access)),
  ];
}

/** What examples are signed with. */
function appKeyOf({ appKey }: PartnerAccess): 'own' | 'example' {
  return appKey === null ? 'example' : 'own';
}

/** What a page says once after a change. A name is in the address, never a text. */
export const notices = {
  'consumer-created': 'The consumer was created.',
  'consumer-changed': 'The consumer was changed.',
  'consumer-enabled': 'The consumer was enabled.',
  'consumer-disabled': 'The consumer was disabled.',
  'consumer-deleted': 'The consumer was deleted, with its credentials and grants.',
  'credential-changed': 'The credential was changed.',
  'credential-revoked': 'The credential was revoked.',
  'access-given': 'Access was given.',
  'access-changed': 'Access was changed.',
  'access-withdrawn': 'Access was withdrawn.',
  'endpoint-created': 'The endpoint was created.',
  'endpoint-changed': 'The endpoint was changed.',
  'endpoint-enabled': 'The endpoint was enabled.',
  'endpoint-disabled': 'The endpoint was disabled.',
  'endpoint-deleted': 'The endpoint was deleted, with its grants.',
  'plan-created': 'The plan was created.',
  'plan-changed': 'The plan was changed.',
  'plan-deleted': 'The plan was deleted.',
  'issuer-added': 'The issuer was added.',
  'issuer-changed': 'The issuer was changed.',
  'issuer-enabled': 'The issuer was enabled.',
  'issuer-disabled': 'The issuer was disabled.',
  'issuer-deleted': 'The issuer was deleted.',
  'operator-added': 'The operator was added. Issue a token now, unless the operator signs in at the provider.',
  'operator-changed': 'The operator was changed.',
  'operator-removed': 'The operator was removed, with all tokens and sessions.',
  'token-revoked': 'The token was revoked.',
  'job-started': 'It has begun.',
  'job-stopped': 'Nothing further is tried. What was under way may still be done.',
  'change-undone': 'The change was undone.',
  'nothing-changed': 'Nothing was changed: it already is as you asked for.',
} as const;

export type NoticeName = keyof typeof notices;

/** The text of a notice; null for a name that is none. */
export function findNotice(name: string | null): string | null {
  return name !== null && Object.hasOwn(notices, name) ? notices[name as NoticeName] : null;
}

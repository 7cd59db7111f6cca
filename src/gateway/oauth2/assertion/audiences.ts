import { oauth2Paths } from '../../../check/methods/oauth2/oauth2-paths.ts';

/** What the setting `POSTERN_OAUTH2_ASSERTION_AUDIENCE` may be. */
export const assertionAudiences = ['issuer-or-token-endpoint', 'issuer'] as const;
export type AssertionAudience = (typeof assertionAudiences)[number];

/**
 * What the `aud` of a client assertion may be (RFC 7523 §3, spec §3.4), at every endpoint the same: the issuer, and the
 * URL of the token endpoint, which many clients send.
 */
export function audiencesOf(issuer: string, taken: AssertionAudience): readonly string[] {
  return taken === 'issuer' ? [issuer] : [issuer, `${issuer}${oauth2Paths.token}`];
}

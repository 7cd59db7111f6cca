import { html } from 'hono/html';
import { issuerDefaults } from '../../../model/issuer.ts';
import { allows } from '../../../model/operator.ts';
import { type Html, url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { definitions } from '../parts/table.ts';
import { labels, time } from '../parts/values.ts';
import { claimLines, readIssuer, type ShownIssuer } from './shown-issuer.ts';

/** All of one issuer. */
export const issuerPage: Page = {
  path: '/issuers/:id',
  needs: 'read',
  show: async (visit) => {
    const issuer = await readIssuer(visit);
    return {
      title: issuer.id,
      trail: [{ href: '/issuers', text: 'Issuers' }],
      body: html`${summary(issuer)}
${allows(visit.operator.role, 'change-endpoints') ? actions(issuer) : null}`,
    };
  },
};

function summary(issuer: ShownIssuer): Html {
  const claims = claimLines(issuer.requiredClaims);
  return definitions([
    ['Id', html`<code>${issuer.id}</code>`],
    ['State', issuer.enabled ? 'enabled' : 'disabled: its tokens are refused'],
    ['Issuer', html`<code>${issuer.issuer}</code>`],
    ['Keys', keysOf(issuer)],
    ['Audiences', lines(issuer.audiences)],
    ['Algorithms', issuer.algorithms === undefined ? 'all, by the key' : issuer.algorithms.join(', ')],
    ['Clock skew', `${String(issuer.clockSkewSeconds ?? issuerDefaults.clockSkewSeconds)} s`],
    ['Required claims', claims.length === 0 ? 'none' : lines(claims)],
    ['Labels', labels(issuer.labels)],
    ['Description', issuer.description ?? ''],
    ['Created', time(issuer.createdAt)],
    ['Changed', time(issuer.updatedAt)],
  ]);
}

function keysOf({ jwksUri, jwks }: ShownIssuer): Html {
  if (jwksUri !== undefined) return html`at <code>${jwksUri}</code>`;
  return lines((jwks?.keys ?? []).map(({ kty, kid }) => `${String(kty)}, ${typeof kid === 'string' ? kid : 'no kid'}`));
}

function lines(texts: readonly string[]): Html {
  return html`<ul class="plain">${texts.map((text) => html`<li>${text}</li>`)}</ul>`;
}

function actions({ id, enabled }: ShownIssuer): Html {
  const toggle = enabled
    ? html`<li><a class="button danger" href="${url`/issuers/${id}/disable`}">Disable</a></li>`
    : html`<li><a class="button" href="${url`/issuers/${id}/enable`}">Enable</a></li>`;
  return html`<ul class="actions">
<li><a class="button" href="${url`/issuers/${id}/edit`}">Edit</a></li>
${toggle}
<li><a class="button danger" href="${url`/issuers/${id}/delete`}">Delete</a></li>
</ul>`;
}

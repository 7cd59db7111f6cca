import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { shownFields } from '../../../resources/credential-fields.ts';
import { consumerTrail } from '../consumers/shown-consumer.ts';
import { type Html, url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { definitions } from '../parts/table.ts';
import { copyable, time, timeOr } from '../parts/values.ts';
import { type CredentialView, handedOver } from './handed-over.ts';
import {
  factsOf,
  formerEndOf,
  hasPublicKey,
  isKnownBy,
  isRevoked,
  keyRows,
  knownByRows,
  methodsOf,
  readCredential,
  type ShownCredential,
  statusBadge,
} from './shown-credential.ts';

/** The credential view: how a credential stands, and what the partner has to know to call with it. No secret. */
export const credentialPage: Page = {
  path: '/credentials/:id',
  needs: 'read',
  show: async (visit) => {
    const credential = await readCredential(visit);
    const view = await visit.api.get<CredentialView>(url`/v1/credentials/${credential.id}/view`);
    const isChanger = allows(visit.operator.role, 'change-consumers');
    return {
      title: `Credential ${credential.id}`,
      trail: consumerTrail(credential.consumer),
      body: html`${summary(credential)}
${isChanger && !isRevoked(credential) ? actions(credential) : null}
${handedOver(view)}`,
    };
  },
};

function summary(credential: ShownCredential): Html {
  const { id, consumer, appKey, lastUsedAt, createdAt } = credential;
  const formerEnd = formerEndOf(credential);
  const former = hasPublicKey(credential) ? 'key' : 'secret';
  const { endpoints = [], retiringSecretLastUsedAt } = credential;
  return definitions([
    ['Id', html`<code>${id}</code>`],
    ['Consumer', html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`],
    ['State', statusBadge(credential)],
    ['Method', methodsOf(credential).join(', ')],
    ...shownFields.map(({ key, label, otherwise, isTime }) => {
      const value = credential[key];
      if (typeof value === 'object') return [label, value.join(', ')] as const;
      if (value !== undefined) return [label, isTime ? time(value) : value] as const;
      return [label, otherwise === null ? null : html`<span class="muted">${otherwise}</span>`] as const;
    }),
    [`Former ${former} ends`, formerEnd === undefined ? null : time(formerEnd)],
    [`Former ${former} last used`, formerEnd === undefined ? null : timeOr(retiringSecretLastUsedAt, 'never')],
    ['Last used', timeOr(lastUsedAt, 'never')],
    ['Issued', time(createdAt)],
    ...(isKnownBy(credential)
      ? knownByRows(credential)
      : ([
          ['App Key', appKey === undefined ? secretKey(credential) : copyable(appKey, 'the App Key', 'app-key')],
        ] as const)),
    ...keyRows(credential),
    ['Endpoints', endpoints.length === 0 ? 'none lets it in' : endpointLinks(endpoints)],
  ]);
}

function secretKey(credential: ShownCredential): string {
  if (factsOf(credential).appKey !== 'secret') return 'not shown';
  const { appKeyEnd } = credential;
  return `a secret${appKeyEnd === undefined ? '' : ` that ends with …${appKeyEnd}`}: it was shown when it was issued`;
}

function endpointLinks(ids: readonly string[]): Html {
  return html`<ul class="plain">${ids.map((id) => html`<li><a href="${url`/endpoints/${id}`}">${id}</a></li>`)}</ul>`;
}

function actions({ id }: ShownCredential): Html {
  return html`<ul class="actions">
<li><a class="button" href="${url`/credentials/${id}/edit`}">Edit</a></li>
<li><a class="button" href="${url`/credentials/${id}/rotate`}">Rotate</a></li>
<li><a class="button danger" href="${url`/credentials/${id}/revoke`}">Revoke</a></li>
</ul>`;
}

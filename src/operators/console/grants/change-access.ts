import { html } from 'hono/html';
import type { Page, Visit } from '../frame/page.ts';
import { changePage } from '../parts/change-page.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { typedNumber } from '../parts/text-lines.ts';
import { grantFields, type GrantTexts, grantTextsOfForm, termsOf, textsOfGrant } from './grant-fields.ts';
import { priorityField } from './grant-holder.ts';
import { grantTrail, holderOf, pathOfGrant, readGroupGrant, readOwnGrant, type ShownGrant } from './shown-grant.ts';

type Texts = GrantTexts & { readonly priority: string };

/** Changes the end and the limits of the access that a consumer has by its own grant. */
export const changeAccess = changePageOf('/consumers/:id/grants/:endpoint', readOwnGrant);

/** Changes the end, the limits and the priority of a grant for a group. */
export const changeGroupAccess = changePageOf('/endpoints/:id/grants/:holder', readGroupGrant);

function changePageOf(path: string, read: (visit: Visit) => Promise<ShownGrant>): Page {
  return changePage<ShownGrant, Texts>({
    path,
    needs: 'change-consumers',
    read,
    heading: (grant) => ({
      title: `Access of ${holderOf(grant)} to ${grant.endpoint}`,
      trail: grantTrail(grant),
      verb: 'Save',
    }),
    begin: (grant) => ({ ...textsOfGrant(grant), priority: String(grant.priority ?? 0) }),
    typed: (form) => ({ ...grantTextsOfForm(form), priority: form.text('priority') }),
    fields: ({ priority, ...texts }, state, { consumer }) => html`${
      consumer === undefined ? priorityField(priority, state.refused) : null
    }
${grantFields(texts, state)}`,
    request: ({ priority, ...texts }, grant) => ({
      method: 'PATCH',
      path: pathOfGrant(grant),
      body: { ...termsOf(texts), ...(grant.consumer === undefined ? { priority: typedNumber(priority) } : {}) },
    }),
    revisionOf: ({ revision }) => revision,
    done: ({ body }, _, grant) => ({
      href: grantTrail(grant).at(-1)?.href ?? '/',
      notice: outcomeNotice(body, 'access-changed'),
    }),
  });
}

import { consumerTrail } from '../consumers/shown-consumer.ts';
import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { grantFields, type GrantTexts, grantTextsOfForm, termsOf, textsOfGrant } from './grant-fields.ts';
import { pathOfGrant, readGrant, type ShownGrant } from './shown-grant.ts';

/** Changes the end and the limits of the access that a consumer has by its own grant. */
export const changeAccess = changePage<ShownGrant, GrantTexts>({
  path: '/consumers/:id/grants/:endpoint',
  needs: 'change-consumers',
  read: readGrant,
  heading: ({ consumer, endpoint }) => ({
    title: `Access of ${consumer} to ${endpoint}`,
    trail: consumerTrail(consumer),
    verb: 'Save',
  }),
  begin: textsOfGrant,
  typed: grantTextsOfForm,
  fields: grantFields,
  request: (texts, grant) => ({ method: 'PATCH', path: pathOfGrant(grant), body: termsOf(texts) }),
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { consumer }) => ({
    href: url`/consumers/${consumer}`,
    notice: outcomeNotice(body, 'access-changed'),
  }),
});

import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { bodyOf, issuerFields, type IssuerTexts, textsOf, textsOfForm } from './issuer-fields.ts';
import { issuerTrail, readIssuer, type ShownIssuer } from './shown-issuer.ts';

/** Changes an issuer. */
export const editIssuer = changePage<ShownIssuer, IssuerTexts>({
  path: '/issuers/:id/edit',
  needs: 'change-endpoints',
  read: readIssuer,
  heading: ({ id }) => ({ title: `Edit ${id}`, trail: issuerTrail(id), verb: 'Save' }),
  begin: textsOf,
  typed: textsOfForm,
  fields: issuerFields,
  request: (texts, { id, labels = {} }) => ({
    method: 'PATCH',
    path: url`/v1/issuers/${id}`,
    ...bodyOf(texts, labels),
  }),
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({ href: url`/issuers/${id}`, notice: outcomeNotice(body, 'issuer-changed') }),
});

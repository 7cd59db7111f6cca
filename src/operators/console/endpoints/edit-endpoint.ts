import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { bodyOf, endpointFields, type EndpointTexts, textsOf, textsOfForm } from './endpoint-fields.ts';
import { endpointTrail, readEndpoint, type ShownEndpoint } from './shown-endpoint.ts';

/** Changes which requests an endpoint takes, how their callers are authenticated, and who is let in. */
export const editEndpoint = changePage<ShownEndpoint, EndpointTexts>({
  path: '/endpoints/:id/edit',
  needs: 'change-endpoints',
  read: readEndpoint,
  heading: ({ id }) => ({ title: `Edit ${id}`, trail: endpointTrail(id), verb: 'Save' }),
  begin: textsOf,
  typed: textsOfForm,
  fields: endpointFields,
  request: (texts, { id, labels }) => ({ method: 'PATCH', path: url`/v1/endpoints/${id}`, ...bodyOf(texts, labels) }),
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({
    href: url`/endpoints/${id}`,
    notice: outcomeNotice(body, 'endpoint-changed'),
  }),
});

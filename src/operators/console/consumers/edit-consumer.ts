import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { bodyOf, consumerFields, type ConsumerTexts, textsOf, textsOfForm } from './consumer-fields.ts';
import { consumerTrail, readConsumer, type ShownConsumer } from './shown-consumer.ts';

/** Changes name, description and labels of a consumer. */
export const editConsumer = changePage<ShownConsumer, ConsumerTexts>({
  path: '/consumers/:id/edit',
  needs: 'change-consumers',
  read: readConsumer,
  heading: ({ id }) => ({ title: `Edit ${id}`, trail: consumerTrail(id), verb: 'Save' }),
  begin: textsOf,
  typed: textsOfForm,
  fields: consumerFields,
  request: (texts, { id, labels }) => ({ method: 'PATCH', path: url`/v1/consumers/${id}`, ...bodyOf(texts, labels) }),
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({
    href: url`/consumers/${id}`,
    notice: outcomeNotice(body, 'consumer-changed'),
  }),
});

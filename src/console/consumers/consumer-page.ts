import { html } from 'hono/html';
import { allows } from '../../model/operator.ts';
import { type Html, url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { definitions } from '../parts/table.ts';
import { enabledBadge, labels, time } from '../parts/values.ts';
import { readConsumer, type ShownConsumer } from './shown-consumer.ts';

/** All of one consumer. */
export const consumerPage: Page = {
  path: '/consumers/:id',
  show: async (visit) => {
    const consumer = await readConsumer(visit);
    return {
      title: consumer.name ?? consumer.id,
      trail: [{ href: '/consumers', text: 'Consumers' }],
      body: html`${summary(consumer)}
${allows(visit.operator.role, 'change-consumers') ? actions(consumer) : null}`,
    };
  },
};

function summary({ id, name, description, labels: carried, enabled, createdAt, updatedAt }: ShownConsumer): Html {
  return definitions([
    ['Id', html`<code>${id}</code>`],
    ['Name', name ?? null],
    ['Description', description === '' ? null : (description ?? null)],
    ['Labels', labels(carried)],
    ['State', enabledBadge(enabled)],
    ['Created', time(createdAt)],
    ['Changed', time(updatedAt)],
  ]);
}

function actions({ id, enabled }: ShownConsumer): Html {
  return html`<ul class="actions">
<li><a class="button" href="${url`/consumers/${id}/edit`}">Edit</a></li>
<li><a class="button" href="${url`/consumers/${id}/${enabled ? 'disable' : 'enable'}`}">${
    enabled ? 'Disable' : 'Enable'
  }</a></li>
<li><a class="button danger" href="${url`/consumers/${id}/delete`}">Delete</a></li>
</ul>`;
}

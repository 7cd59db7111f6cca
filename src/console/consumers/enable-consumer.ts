import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { consumerTrail, readConsumer } from './shown-consumer.ts';

/** Stops everything that a consumer calls, until it is enabled again. */
export const disableConsumer: Page = pageFor('disable');

/** Lets a disabled consumer call again. */
export const enableConsumer: Page = pageFor('enable');

function pageFor(verb: 'enable' | 'disable'): Page {
  return {
    path: `/consumers/:id/${verb}`,
    needs: 'change-consumers',
    show: async (visit) => {
      const { id, revision } = await readConsumer(visit);
      return askToConfirm(visit, confirmationOf(verb, id), revision);
    },
    submit: async (visit, form) => {
      const id = visit.param('id');
      return await carryOutConfirmed(visit, form, {
        confirmation: confirmationOf(verb, id),
        request: { method: 'PATCH', path: url`/v1/consumers/${id}`, body: { enabled: verb === 'enable' } },
        notice: `consumer-${verb}d`,
        next: url`/consumers/${id}`,
      });
    },
  };
}

function confirmationOf(verb: 'enable' | 'disable', id: string): Confirmation {
  const isDisabling = verb === 'disable';
  return {
    title: `${isDisabling ? 'Disable' : 'Enable'} ${id}`,
    trail: consumerTrail(id),
    explanation: isDisabling
      ? html`<p>All requests with credentials and access tokens of <strong>${id}</strong> are refused, from now on and
until it is enabled again. Nothing is deleted.</p>`
      : html`<p>Requests of <strong>${id}</strong> are decided by its credentials and grants again.</p>`,
    verb: isDisabling ? 'Disable' : 'Enable',
    isDangerous: isDisabling,
    path: url`/consumers/${id}/${verb}`,
    back: url`/consumers/${id}`,
  };
}

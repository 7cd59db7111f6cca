import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { askToConfirm, carryOutConfirmed, type Confirmation } from '../parts/confirmation.ts';
import { endpointTrail, readEndpoint } from './shown-endpoint.ts';

/** Refuses all requests of an endpoint, until it is enabled again. */
export const disableEndpoint: Page = pageFor('disable');

/** Takes the requests of a disabled endpoint again. */
export const enableEndpoint: Page = pageFor('enable');

function pageFor(verb: 'enable' | 'disable'): Page {
  return {
    path: `/endpoints/:id/${verb}`,
    needs: 'change-endpoints',
    show: async (visit) => {
      const { id, revision } = await readEndpoint(visit);
      return askToConfirm(visit, confirmationOf(verb, id), revision);
    },
    submit: async (visit, form) => {
      const id = visit.param('id');
      return await carryOutConfirmed(visit, form, {
        confirmation: confirmationOf(verb, id),
        request: { method: 'PATCH', path: url`/v1/endpoints/${id}`, body: { enabled: verb === 'enable' } },
        notice: `endpoint-${verb}d`,
        next: url`/endpoints/${id}`,
      });
    },
  };
}

function confirmationOf(verb: 'enable' | 'disable', id: string): Confirmation {
  const isDisabling = verb === 'disable';
  return {
    title: `${isDisabling ? 'Disable' : 'Enable'} ${id}`,
    trail: endpointTrail(id),
    explanation: isDisabling
      ? html`<p>All requests to <strong>${id}</strong> are answered with 404, from now on and until it is enabled again. No
other endpoint takes them. Nothing is deleted.</p>`
      : html`<p>Requests to <strong>${id}</strong> are decided again.</p>`,
    verb: isDisabling ? 'Disable' : 'Enable',
    isDangerous: isDisabling,
    path: url`/endpoints/${id}/${verb}`,
    back: url`/endpoints/${id}`,
  };
}

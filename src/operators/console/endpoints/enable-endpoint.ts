import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { endpointTrail, readEndpoint } from './shown-endpoint.ts';

/** Refuses all requests of an endpoint, until it is enabled again. */
export const disableEndpoint = confirmPage({
  path: '/endpoints/:id/disable',
  needs: 'change-endpoints',
  read: readEndpoint,
  heading: ({ id }) => ({
    title: `Disable ${id}`,
    trail: endpointTrail(id),
    verb: 'Disable',
    isDangerous: true,
  }),
  explanation: ({
    id,
  }) => html`<p>From now on, all requests to <strong>${id}</strong> get 404, until you enable it again. No
other endpoint takes them. Nothing is deleted.</p>`,
  request: ({ id }) => ({ method: 'PATCH', path: url`/v1/endpoints/${id}`, body: { enabled: false } }),
  notice: 'endpoint-disabled',
  next: ({ id }) => url`/endpoints/${id}`,
});

/** Takes the requests of a disabled endpoint again. */
export const enableEndpoint = confirmPage({
  path: '/endpoints/:id/enable',
  needs: 'change-endpoints',
  read: readEndpoint,
  heading: ({ id }) => ({ title: `Enable ${id}`, trail: endpointTrail(id), verb: 'Enable' }),
  explanation: ({ id }) => html`<p>Requests to <strong>${id}</strong> are decided again.</p>`,
  request: ({ id }) => ({ method: 'PATCH', path: url`/v1/endpoints/${id}`, body: { enabled: true } }),
  notice: 'endpoint-enabled',
  next: ({ id }) => url`/endpoints/${id}`,
});

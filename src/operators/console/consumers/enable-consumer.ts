import { html } from 'hono/html';
import { url } from '../frame/html.ts';
import { confirmPage } from '../parts/confirmation.ts';
import { consumerTrail, readConsumer } from './shown-consumer.ts';

/** Stops everything that a consumer calls, until it is enabled again. */
export const disableConsumer = confirmPage({
  path: '/consumers/:id/disable',
  needs: 'change-consumers',
  read: readConsumer,
  heading: ({ id }) => ({
    title: `Disable ${id}`,
    trail: consumerTrail(id),
    verb: 'Disable',
    isDangerous: true,
  }),
  explanation: ({
    id,
  }) => html`<p>From now on, all requests with credentials or access tokens of <strong>${id}</strong> are
refused, until you enable it again. Nothing is deleted.</p>`,
  request: ({ id }) => ({ method: 'PATCH', path: url`/v1/consumers/${id}`, body: { enabled: false } }),
  notice: 'consumer-disabled',
  next: ({ id }) => url`/consumers/${id}`,
});

/** Lets a disabled consumer call again. */
export const enableConsumer = confirmPage({
  path: '/consumers/:id/enable',
  needs: 'change-consumers',
  read: readConsumer,
  heading: ({ id }) => ({ title: `Enable ${id}`, trail: consumerTrail(id), verb: 'Enable' }),
  explanation: ({ id }) => html`<p>The credentials and grants of <strong>${id}</strong> decide its requests again.</p>`,
  request: ({ id }) => ({ method: 'PATCH', path: url`/v1/consumers/${id}`, body: { enabled: true } }),
  notice: 'consumer-enabled',
  next: ({ id }) => url`/consumers/${id}`,
});

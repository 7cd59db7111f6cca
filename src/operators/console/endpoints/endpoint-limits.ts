import { html } from 'hono/html';
import { limitScopes } from '../../../model/limit.ts';
import { url } from '../frame/html.ts';
import { changePage } from '../parts/change-page.ts';
import { limitFields, type LimitRow, limitsOfRows, rowsOfForm, rowsOfLimits } from '../parts/limit-rows.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { endpointTrail, readEndpoint, type ShownEndpoint } from './shown-endpoint.ts';

/** Changes the traffic control of an endpoint. */
export const endpointLimits = changePage<ShownEndpoint, readonly LimitRow[]>({
  path: '/endpoints/:id/limits',
  needs: 'change-endpoints',
  read: readEndpoint,
  heading: ({ id }) => ({ title: `Limits of ${id}`, trail: endpointTrail(id), verb: 'Save' }),
  begin: ({ trafficControl }) => rowsOfLimits(trafficControl?.limits ?? []),
  typed: rowsOfForm,
  fields: (rows, { refused }, { scenario }) => {
    const scopes = scenario === 'open' ? (['endpoint'] as const) : limitScopes;
    return html`<p>Windows are fixed and aligned to UTC. The limits of a grant count for its consumer in place of these.</p>
${limitFields(rows, { pointer: '/trafficControl/limits', refused, scopes })}`;
  },
  request: (rows, { id }) => ({
    method: 'PATCH',
    path: url`/v1/endpoints/${id}`,
    body: { trafficControl: rows.length === 0 ? null : { limits: limitsOfRows(rows) } },
  }),
  revisionOf: ({ revision }) => revision,
  done: ({ body }, _, { id }) => ({
    href: url`/endpoints/${id}`,
    notice: outcomeNotice(body, 'endpoint-changed'),
  }),
});

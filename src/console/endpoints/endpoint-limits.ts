import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import { limitScopes } from '../../model/limit.ts';
import { url } from '../frame/html.ts';
import type { Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, type Refused, reasonField, refusal } from '../parts/form.ts';
import { limitFields, type LimitRow, limitsOfRows, rowsOfForm, rowsOfLimits } from '../parts/limit-rows.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { endpointTrail, readEndpoint, type ShownEndpoint } from './shown-endpoint.ts';

/** Changes the traffic control of an endpoint. */
export const endpointLimits: Page = {
  path: '/endpoints/:id/limits',
  needs: 'change-endpoints',
  show: async (visit) => {
    const endpoint = await readEndpoint(visit);
    const rows = rowsOfLimits(endpoint.trafficControl?.limits ?? []);
    return show(visit, endpoint, { rows, revision: String(endpoint.revision), reason: '', refused: null });
  },
  submit: async (visit, form) => {
    const endpoint = await readEndpoint(visit);
    const rows = rowsOfForm(form);
    const [revision, reason] = [form.text('revision'), form.text('reason')];
    const trafficControl = rows.length === 0 ? null : { limits: limitsOfRows(rows) };
    const change = { body: { trafficControl }, revision, reason };
    const answer = await visit.api.change<ChangeOutcome>('PATCH', url`/v1/endpoints/${endpoint.id}`, change);
    const { problem } = answer;
    if (problem !== null) {
      return { ...show(visit, endpoint, { rows, revision, reason, refused: problem }), status: problem.status };
    }
    return { href: url`/endpoints/${endpoint.id}`, notice: outcomeNotice(answer.body, 'endpoint-changed') };
  },
};

interface Given {
  readonly rows: readonly LimitRow[];
  readonly revision: string;
  readonly reason: string;
  readonly refused: Refused;
}

function show(visit: Visit, { id, scenario }: ShownEndpoint, { rows, revision, reason, refused }: Given): Shown {
  const scopes = scenario === 'open' ? (['endpoint'] as const) : limitScopes;
  return {
    title: `Limits of ${id}`,
    trail: endpointTrail(id),
    body: changeForm(
      visit,
      refusal(refused, url`/endpoints/${id}/limits`),
      html`<p>Windows are fixed and aligned to UTC. A grant may have limits of its own, which then count for its consumer.</p>`,
      hiddenField('revision', revision),
      limitFields(rows, { pointer: '/trafficControl/limits', refused, scopes }),
      reasonField(reason, refused),
      buttons({ text: 'Save', cancel: url`/endpoints/${id}` }),
    ),
  };
}

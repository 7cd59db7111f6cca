import { html } from 'hono/html';
import type { FieldChange } from '../../../resources/changes/describe-change.ts';
import { allows, type OperatorRole } from '../../../model/operator.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { type Cell, definitions, table } from '../parts/table.ts';
import { time } from '../parts/values.ts';
import { verbOf } from './event-list.ts';
import type { WholeEvent } from './shown-event.ts';

/** One change, with what was before it and after it. */
export const eventPage: Page = {
  path: '/audit/:event',
  needs: 'read-traces',
  show: async ({ api, param, operator: { role } }) => {
    const event = await api.get<WholeEvent>(url`/v1/audit/${param('event')}`);
    return {
      title: `${event.action} by ${event.actor}`,
      trail: [{ href: '/audit', text: 'Audit' }],
      body: html`${summary(event)}
${fieldTable(event.fields, 'What differs, field by field')}
${mayUndo(event, role) ? html`<p><a class="button" href="${url`/audit/${event.event}/undo`}">Undo</a></p>` : null}`,
    };
  },
};

/** Whether a way to undo it is offered: to those who may change its kind, and for operators never. The API decides. */
function mayUndo({ kind, refused }: WholeEvent, role: OperatorRole): boolean {
  if (kind === 'operator' || kind === 'replica' || refused !== undefined) return false;
  return allows(role, kind === 'endpoint' ? 'change-endpoints' : 'change-consumers');
}

function summary(event: WholeEvent): Html {
  const { at, actor, action, reason, storeRevision, kind, id, reverts, refused } = event;
  const ofRevision = withQuery('/audit', { revision: String(storeRevision) });
  return definitions([
    ['When', time(at)],
    ['Operator', actor],
    ['Action', action],
    ['What', html`${verbOf(event)} ${kind} <code>${id}</code>`],
    ['Reason', reason ?? null],
    ['Refused', refused ?? null],
    ['Revision', html`${String(storeRevision)} (<a href="${ofRevision}">all that was changed at once</a>)`],
    [
      'Reverts',
      reverts === undefined
        ? null
        : html`<a href="${url`/audit/${reverts.event}`}">revision ${String(reverts.storeRevision)}</a>`,
    ],
  ]);
}

/** Fields with their values before and after. */
export function fieldTable(fields: readonly FieldChange[], caption: string): Html {
  return table({
    caption,
    columns: ['Field', 'Before', 'After'],
    rows: fields.map((field) => [html`<code>${field.path}</code>`, ...sidesOf(field)]),
    empty: 'No field is shown: the resource was deleted, or only its secret was sealed again.',
  });
}

function sidesOf({ before, after, secret }: FieldChange): readonly Cell[] {
  if (secret !== undefined) return ['(secret)', `(secret, ${secret})`];
  return [valueOf(before, 'before'), valueOf(after, 'after')];
}

function valueOf(value: unknown, side: 'before' | 'after'): Html {
  if (value === undefined || value === null) return html`<span class="muted">none</span>`;
  return html`<code class="${side}">${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

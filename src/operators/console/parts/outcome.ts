import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import type { Html } from '../frame/html.ts';
import type { NoticeName } from '../frame/notices.ts';

/** What to say of a change that was asked for: that it was made, or that nothing was different. */
export function outcomeNotice({ changes }: ChangeOutcome, made: NoticeName): NoticeName {
  return changes.length === 0 ? 'nothing-changed' : made;
}

/** A body without the fields that get their default. */
export function withoutDefaults(body: object): object {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}

const verbs = { create: 'is created', change: 'is changed', delete: 'is deleted' } as const;

/** What a planned change would do, resource by resource, for a page that asks before it does so. */
export function plannedChanges({ changes }: ChangeOutcome): Html {
  const lines = changes.map(({ action, kind, id }) => html`<li>The ${kind} <code>${id}</code> ${verbs[action]}.</li>`);
  return html`<ul class="planned">${lines}</ul>`;
}

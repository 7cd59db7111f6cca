import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, reasonField, refusal, type Refused } from '../parts/form.ts';
import { outcomeNotice } from '../parts/outcome.ts';
import { fieldTable } from './event-page.ts';
import type { WholeEvent } from './shown-event.ts';

/**
 * Undoes a change, after it has shown what that does. What to undo is in the address: the plan is shown for it, and the
 * form is sent to it. What others change after the plan was shown is a conflict, or is not touched.
 */
export const undoEvent: Page = {
  path: '/audit/:event/undo',
  needs: 'change-consumers',
  show: async (visit) => await show(visit, await readEvent(visit), { reason: '', refused: null }),
  submit: async (visit, form) => {
    const event = await readEvent(visit);
    const reason = form.text('reason');
    const answer = await visit.api.change<RevertOutcome>('POST', url`/v1/audit/${event.event}:revert`, {
      query: queryOf(wishOf(visit)),
      reason,
    });
    const { problem } = answer;
    if (problem === null) {
      return { href: url`/audit/${event.event}`, notice: outcomeNotice(answer.body, 'change-undone') };
    }
    return { ...(await show(visit, event, { reason, refused: problem })), status: problem.status };
  },
};

/** What `POST /v1/audit/EVENT:revert` answers. */
interface RevertOutcome extends ChangeOutcome {
  readonly notes: readonly string[];
}

/** What is to be undone, as the address says. */
interface Wish {
  /** All that was changed at once with the event. */
  readonly isWhole: boolean;
  /** Also brings back what was stopped. */
  readonly isReviving: boolean;
}

function wishOf({ query }: Visit): Wish {
  return { isWhole: query.get('scope') === 'command', isReviving: query.get('revive') === 'true' };
}

function queryOf({ isWhole, isReviving }: Wish): Readonly<Record<string, string>> {
  return { ...(isWhole ? { scope: 'command' } : {}), ...(isReviving ? { revive: 'true' } : {}) };
}

async function readEvent({ api, param }: Visit): Promise<WholeEvent> {
  return await api.get<WholeEvent>(url`/v1/audit/${param('event')}`);
}

async function show(visit: Visit, { event, action, actor }: WholeEvent, { reason, refused }: Sent): Promise<Shown> {
  const wish = wishOf(visit);
  const path = url`/audit/${event}`;
  const planned = await visit.api.change<RevertOutcome>('POST', url`/v1/audit/${event}:revert`, {
    query: queryOf(wish),
    isDryRun: true,
  });
  const { problem } = planned;
  return {
    title: `Undo: ${action} by ${actor}`,
    trail: [
      { href: '/audit', text: 'Audit' },
      { href: path, text: `${action} by ${actor}` },
    ],
    body:
      problem === null
        ? html`${choices(`${path}/undo`, wish)}
${form(visit, planned.body, { reason, refused }, path)}`
        : html`${refusal(refused ?? problem, `${path}/undo`)}
${choices(`${path}/undo`, wish)}
<p><a href="${path}">Back to the change</a></p>`,
    ...(problem === null ? {} : { status: problem.status }),
  };
}

/** What was sent with the form. */
interface Sent {
  readonly reason: string;
  readonly refused: Refused;
}

function choices(path: string, wish: Wish): Html {
  const { isWhole, isReviving } = wish;
  const whole = withQuery(path, queryOf({ ...wish, isWhole: !isWhole }));
  const reviving = withQuery(path, queryOf({ ...wish, isReviving: !isReviving }));
  return html`<p>${isWhole ? 'All that was changed at once is undone.' : 'This change alone is undone.'}
<a href="${whole}">${isWhole ? 'Undo this change alone' : 'Undo all that was changed at once'}</a></p>
<p>${isReviving ? 'What was disabled or revoked, or is retiring, comes back too.' : 'What was stopped does not come back.'}
<a href="${reviving}">${isReviving ? 'Leave it stopped' : 'Bring back what was stopped'}</a></p>`;
}

function form(visit: Visit, { changes, notes }: RevertOutcome, { reason, refused }: Sent, back: string): Html {
  if (changes.length === 0) {
    return html`${refusal(refused, `${back}/undo`)}
<p class="empty">There is nothing to undo: everything is as it was before.</p>
${noteList(notes)}
<p><a href="${back}">Back to the change</a></p>`;
  }
  return changeForm(
    visit,
    refusal(refused, `${back}/undo`),
    html`<h2>What would change</h2>
${changes.map(plannedChange)}
${noteList(notes)}`,
    reasonField(reason, refused),
    buttons({ text: 'Undo', cancel: back, isDangerous: true }),
  );
}

const verbs = { create: 'is created again', change: 'is changed back', delete: 'is deleted' } as const;

function plannedChange({ action, kind, id, fields }: ChangeOutcome['changes'][number]): Html {
  return html`<p>The ${kind} <code>${id}</code> ${verbs[action]}.</p>
${fields.length === 0 ? null : fieldTable(fields, `Fields of the ${kind} ${id}`)}`;
}

function noteList(notes: readonly string[]): Html | null {
  return notes.length === 0 ? null : html`<ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>`;
}

import { html } from 'hono/html';
import { FieldFault } from '../../../model/document/fields.ts';
import { momentAhead, readMoment } from '../../../model/document/moments.ts';
import { declareTime } from '../../../resources/declared.ts';
import { ApiProblem, type ProblemBody, problemBody, type ProblemDetail } from '../../api/problem.ts';
import { ProblemAnswer } from '../frame/api-client.ts';
import type { Html } from '../frame/html.ts';
import type { Form, Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, reasonField, refusal, textArea, textField } from '../parts/form.ts';
import { keyField, keyOfForm } from '../parts/form-key.ts';
import { momentField, momentOfForm } from '../parts/moment-field.ts';
import { type BulkAction, consumerActions, credentialActions } from './bulk-actions.ts';
import type { StepResult } from './jobs.ts';

/** More than a page of a list has. */
const MAX_SELECTED = 100;

/** What several consumers are to get, as a page that asks. */
export const selectedConsumers = selectedPage({ list: '/consumers', text: 'Consumers', actions: consumerActions });

/** What is to happen to several credentials, as a page that asks. */
export const selectedCredentials = selectedPage({
  list: '/credentials',
  text: 'Credentials',
  actions: credentialActions,
});

interface Selected {
  /** The list that they are selected in, whose pages are below it. */
  readonly list: string;
  readonly text: string;
  readonly actions: Readonly<Record<string, BulkAction>>;
}

interface Typed {
  readonly ids: readonly string[];
  readonly action: string;
  readonly typed: string;
  readonly reason: string;
  readonly key: string;
}

function selectedPage(about: Selected): Page {
  const { list, actions } = about;
  return {
    path: `/selected${list}`,
    needs: 'change-consumers',
    show: async (visit) => {
      const action = visit.query.get('action') ?? '';
      const typed = find(actions, action)?.field?.value ?? '';
      const ids = idsOf(visit.query.getAll('id'));
      return await Promise.resolve(ask(visit, about, { ids, action, typed, reason: '', key: '' }, null));
    },
    submit: async (visit, form) => {
      const action = find(actions, form.text('action'));
      const given = readTyped(form, action);
      const { ids, key, reason } = given;
      if (action === null || ids.length === 0) return ask(visit, about, given, null);
      if (key === '') throw new ApiProblem('MALFORMED_REQUEST', 'The form is not one of this console.');
      const { typed, faults } = valueOf(action, given.typed, visit.nowSeconds);
      if (faults.length > 0) {
        const detail = faults.map((each) => each.detail).join('; ');
        const refused = problemBody(new ApiProblem('INVALID_RESOURCE', detail, { errors: faults }), '');
        return await Promise.resolve({ ...ask(visit, about, given, refused), status: refused.status });
      }
      const { api, jobs, operator } = visit;
      const steps = ids.map((id) => ({
        name: id,
        href: `${list}/${encodeURIComponent(id)}`,
        run: async () => await outcomeOf(action.make(api, id, { typed, reason })),
      }));
      await jobs.start(operator.id, { key, title: titleOf(action, ids.length, about), steps });
      return { href: '/jobs', notice: 'job-started' };
    },
  };
}

function readTyped(form: Form, action: BulkAction | null): Typed {
  return {
    ids: idsOf(form.all('id')),
    action: form.text('action'),
    typed: action?.field?.kind === 'moment' ? momentOfForm(form, 'typed') : form.text('typed'),
    reason: form.text('reason'),
    key: keyOfForm(form),
  };
}

/** What was typed for all, as the action takes it: every step of a job gets the same time. */
function valueOf(
  { field, faultsOf }: BulkAction,
  typed: string,
  nowSeconds: number,
): { readonly typed: string; readonly faults: readonly ProblemDetail[] } {
  if (field?.kind !== 'moment') return { typed, faults: faultsOf?.(typed) ?? [] };
  const moment = readMoment(typed);
  if (moment instanceof FieldFault) return { typed, faults: [{ pointer: '/typed', detail: moment.message }] };
  return { typed: declareTime(momentAhead(moment, nowSeconds)), faults: [] };
}

/** Each once. Throws `MALFORMED_REQUEST` for too many. */
function idsOf(given: readonly string[]): readonly string[] {
  const ids = [...new Set(given.filter((id) => id !== ''))];
  if (ids.length <= MAX_SELECTED) return ids;
  throw new ApiProblem(
    'MALFORMED_REQUEST',
    `${String(MAX_SELECTED)} can be changed at once, not ${String(ids.length)}.`,
  );
}

function find(actions: Selected['actions'], name: string): BulkAction | null {
  return Object.hasOwn(actions, name) ? (actions[name] ?? null) : null;
}

/** `Disable 3 consumers`. */
function titleOf({ verb }: BulkAction, count: number, { text }: Selected): string {
  const what = text.toLowerCase();
  return `${verb} ${String(count)} ${count === 1 ? what.slice(0, -1) : what}`;
}

/** What is refused is what came of a step; with an outage no other step is tried. */
async function outcomeOf(making: Promise<StepResult>): Promise<StepResult> {
  try {
    return await making;
  } catch (error) {
    if (!(error instanceof ProblemAnswer)) throw error;
    const { detail, status } = error.problem;
    return { isDone: false, text: detail, endsJob: status >= 500 };
  }
}

/** The page that says what will happen, and to which. */
function ask(visit: Visit, about: Selected, given: Typed, refused: ProblemBody | null): Shown {
  const { list, text, actions } = about;
  const { ids, typed, reason, key } = given;
  const trail = [{ href: list, text }];
  const action = find(actions, given.action);
  if (action === null || ids.length === 0) {
    const what = text.toLowerCase();
    return {
      title: 'Nothing is selected',
      trail,
      body: html`<p>Tick ${what} in the <a href="${list}">list</a>, then choose what is to happen to them.</p>`,
    };
  }
  const { explanation, isDangerous, field } = action;
  const title = titleOf(action, ids.length, about);
  return {
    title,
    trail,
    body: changeForm(
      visit,
      refusal(refused, visit.path),
      html`<p>${explanation}</p>
<p>They are changed one after the other, ${jobNote}</p>
<ul>${ids.map((id) => html`<li><a href="${list}/${encodeURIComponent(id)}">${id}</a></li>`)}</ul>`,
      ...ids.map((id) => hiddenField('id', id)),
      hiddenField('action', given.action),
      keyField(key),
      ...(field === undefined ? [] : [fieldOf(field, typed, refused)]),
      reasonField(reason, refused),
      buttons({ text: title, cancel: list, ...(isDangerous === undefined ? {} : { isDangerous }) }),
    ),
  };
}

const jobNote = 'each as its own change. The next page shows how far that is, and can stop it.';

function fieldOf(
  { label, hint, kind }: NonNullable<BulkAction['field']>,
  value: string,
  refused: ProblemBody | null,
): Html {
  const parts = { name: 'typed', label, value, ...(hint === undefined ? {} : { hint }) };
  return { line: textField, lines: textArea, moment: momentField }[kind](parts, refused);
}

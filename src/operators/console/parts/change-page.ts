import { html } from 'hono/html';
import type { ChangeOutcome } from '../../api/change.ts';
import { ApiProblem, type ProblemBody, problemBody, type ProblemDetail } from '../../api/problem.ts';
import type { Permission } from '../../../model/operator.ts';
import type { ChangeAnswer, ChangeRequest } from '../frame/api-client.ts';
import type { Html } from '../frame/html.ts';
import type { Form, GoTo, Page, Shown, Visit } from '../frame/page.ts';
import { keyField, keyOfForm, sendOnce } from './form-key.ts';
import type { FormBody } from './label-lines.ts';
import { buttons, changeForm, hiddenField, type Refused, reasonField, refusal } from './form.ts';

/** A page with one form, which makes one change over the API. */
export interface ChangePage<About, Texts, Made = ChangeOutcome> {
  readonly path: string;
  readonly needs: Permission;
  /** What the form is about; {@link nothing} for what is yet to be made. Throws `ProblemAnswer`. */
  readonly read: (visit: Visit) => Promise<About>;
  readonly heading: (about: About) => Heading;
  /** What the fields hold at first. */
  readonly begin: (about: About, visit: Visit) => Texts;
  /** What they hold when the form is sent. */
  readonly typed: (form: Form) => Texts;
  readonly fields: (texts: Texts, state: FormState, about: About) => Html | readonly Html[];
  /** The change that was typed. */
  readonly request: (texts: Texts, about: About) => Sending;
  /** The revision that the page shows. The form carries it, and nothing is changed on another one. */
  readonly revisionOf?: (about: About) => number;
  /** What comes after the change. */
  readonly done: (made: MadeChange<Made>, texts: Texts, about: About) => GoTo | Shown;
  /** For an answer with a secret: sent twice, the form makes one change. What is shown where the answer is not. */
  readonly once?: { readonly sentBefore: (texts: Texts, about: About) => Shown };
  /** A page in place of the form, for some problems; null for the form. */
  readonly instead?: (problem: ProblemBody, texts: Texts, about: About) => Shown | null;
}

/** What stands around the fields. Cancel leads to the last page above this one. */
interface Heading {
  readonly title: string;
  readonly trail: NonNullable<Shown['trail']>;
  /** On the button. */
  readonly verb: string;
  readonly isDangerous?: boolean;
}

/** What became of the form the last time. */
export interface FormState {
  readonly refused: Refused;
}

/** A request that changes something. */
interface Sending extends Pick<ChangeRequest, 'body'>, Partial<Pick<FormBody, 'faults'>> {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
}

interface MadeChange<Made> {
  readonly body: Made;
  readonly headers: Headers;
}

/** Reads nothing. */
export async function nothing(): Promise<null> {
  return await Promise.resolve(null);
}

/** The page. What is refused shows the form again, with what was typed and each fault beside its field. */
export function changePage<About, Texts, Made = ChangeOutcome>(parts: ChangePage<About, Texts, Made>): Page {
  const { path, needs, read, begin, request, revisionOf, done, once, instead } = parts;
  return {
    path,
    needs,
    keepsForm: true,
    show: async (visit) => {
      const about = await read(visit);
      if (visit.kept !== null) {
        const shown = render(visit, parts, about, givenBy(visit.kept, parts));
        return { ...shown, body: html`${keptNote}${shown.body}` };
      }
      const revision = String(revisionOf?.(about) ?? '');
      return render(visit, parts, about, { texts: begin(about, visit), revision, reason: '', key: '', refused: null });
    },
    submit: async (visit, form) => {
      const about = await read(visit);
      const given = givenBy(form, parts);
      const { texts, key } = given;
      const { method, path: place, faults = [], ...change } = request(texts, about);
      if (faults.length > 0) {
        const { problem } = await visit.api.change(method, place, { ...change, isDryRun: true });
        return refusedForm(visit, parts, about, { ...given, refused: withFaults(problem, faults) });
      }
      const send = async (): Promise<ChangeAnswer<Made>> =>
        await visit.api.change<Made>(method, place, {
          ...change,
          reason: given.reason,
          ...(revisionOf === undefined ? {} : { revision: given.revision }),
          ...(once === undefined ? {} : { onceKey: key }),
        });
      const sent = once === undefined ? null : await sendOnce(send);
      if (once !== undefined && sent?.isSentBefore === true) return once.sentBefore(texts, about);
      const answer = sent?.answer ?? (await send());
      const { problem } = answer;
      if (problem === null) return done(answer, texts, about);
      return instead?.(problem, texts, about) ?? refusedForm(visit, parts, about, { ...given, refused: problem });
    },
  };
}

interface Given<Texts> extends FormState {
  readonly texts: Texts;
  readonly revision: string;
  readonly reason: string;
  /** By which the API answers the form once; empty for a form that was not sent. */
  readonly key: string;
}

/** What a form holds that was sent. */
function givenBy<About, Texts, Made>(
  form: Form,
  { typed, once }: Pick<ChangePage<About, Texts, Made>, 'typed' | 'once'>,
): Given<Texts> {
  const key = once === undefined ? '' : keyOfForm(form);
  return { texts: typed(form), revision: form.text('revision'), reason: form.text('reason'), key, refused: null };
}

const keptNote = html`<p class="notice" role="status">Your session had ended, and nothing was changed. The form is as you sent
it: look it over, and send it again.</p>`;

/** The form once more, with why it was refused. */
function refusedForm<About, Texts, Made>(
  visit: Visit,
  parts: ChangePage<About, Texts, Made>,
  about: About,
  given: Given<Texts> & { readonly refused: ProblemBody },
): Shown {
  return { ...render(visit, parts, about, given), status: given.refused.status };
}

/** What the API says of a form, and before it what the console found itself. */
function withFaults(problem: ProblemBody | null, faults: readonly ProblemDetail[]): ProblemBody {
  const said = problem === null ? [] : (problem.errors ?? [{ pointer: '', detail: problem.detail }]);
  const errors = [...faults, ...said];
  const detail = errors.map((error) => error.detail).join('; ');
  return problemBody(new ApiProblem('INVALID_RESOURCE', detail, { errors }), problem?.requestId ?? '');
}

function render<About, Texts, Made>(
  visit: Visit,
  { heading, fields, revisionOf, once }: ChangePage<About, Texts, Made>,
  about: About,
  { texts, revision, reason, key, refused }: Given<Texts>,
): Shown {
  const { title, trail, verb: text, isDangerous } = heading(about);
  return {
    title,
    trail,
    body: changeForm(
      visit,
      refusal(refused, visit.path),
      ...[fields(texts, { refused }, about)].flat(),
      ...(revisionOf === undefined ? [] : [hiddenField('revision', revision)]),
      ...(once === undefined ? [] : [keyField(key)]),
      reasonField(reason, refused),
      buttons({ text, cancel: trail.at(-1)?.href ?? '/', ...(isDangerous === undefined ? {} : { isDangerous }) }),
    ),
  };
}

import type { ChangeOutcome } from '../../api/change.ts';
import type { ProblemBody } from '../../api/problem.ts';
import type { Permission } from '../../../model/operator.ts';
import type { ChangeAnswer, ChangeRequest } from '../frame/api-client.ts';
import type { Html } from '../frame/html.ts';
import type { Form, GoTo, Page, Shown, Visit } from '../frame/page.ts';
import { keyField, keyOfForm, sendOnce } from './form-key.ts';
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
  /** The change that was typed, or what is wrong with lines that the console reads itself. */
  readonly request: (texts: Texts, about: About) => Sending | { readonly fault: string };
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
  /** What is wrong with lines that the console reads itself. */
  readonly fault: string | null;
}

/** A request that changes something. */
interface Sending extends Pick<ChangeRequest, 'body'> {
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
  const { path, needs, read, begin, typed, request, revisionOf, done, once, instead } = parts;
  return {
    path,
    needs,
    show: async (visit) => {
      const about = await read(visit);
      const revision = String(revisionOf?.(about) ?? '');
      return render(visit, parts, about, { texts: begin(about, visit), revision, reason: '', key: '', ...untouched });
    },
    submit: async (visit, form) => {
      const about = await read(visit);
      const texts = typed(form);
      const key = once === undefined ? '' : keyOfForm(form);
      const given = { texts, revision: form.text('revision'), reason: form.text('reason'), key, ...untouched };
      const sending = request(texts, about);
      if ('fault' in sending) {
        return { ...render(visit, parts, about, { ...given, fault: sending.fault }), status: 422 };
      }
      const { method, path: place, ...change } = sending;
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
      return (
        instead?.(problem, texts, about) ?? {
          ...render(visit, parts, about, { ...given, refused: problem }),
          status: problem.status,
        }
      );
    },
  };
}

const untouched: FormState = { refused: null, fault: null };

interface Given<Texts> extends FormState {
  readonly texts: Texts;
  readonly revision: string;
  readonly reason: string;
  /** By which the API answers the form once; empty for a form that was not sent. */
  readonly key: string;
}

function render<About, Texts, Made>(
  visit: Visit,
  { heading, fields, revisionOf, once }: ChangePage<About, Texts, Made>,
  about: About,
  { texts, revision, reason, key, refused, fault }: Given<Texts>,
): Shown {
  const { title, trail, verb: text, isDangerous } = heading(about);
  return {
    title,
    trail,
    body: changeForm(
      visit,
      refusal(refused, visit.path),
      ...[fields(texts, { refused, fault }, about)].flat(),
      ...(revisionOf === undefined ? [] : [hiddenField('revision', revision)]),
      ...(once === undefined ? [] : [keyField(key)]),
      reasonField(reason, refused),
      buttons({ text, cancel: trail.at(-1)?.href ?? '/', ...(isDangerous === undefined ? {} : { isDangerous }) }),
    ),
  };
}

import type { ChangeOutcome } from '../../api/change.ts';
import type { Html } from '../frame/html.ts';
import type { NoticeName } from '../frame/notices.ts';
import type { Form, GoTo, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, hiddenField, type Refused, reasonField, refusal } from './form.ts';
import { outcomeNotice } from './outcome.ts';

/** A change that is asked for once more, on a page that says what it does. */
export interface Confirmation {
  readonly title: string;
  readonly trail: NonNullable<Shown['trail']>;
  /** What it does, in words. */
  readonly explanation: Html;
  /** On the button. */
  readonly verb: string;
  readonly isDangerous: boolean;
  /** The page itself, to open it again. */
  readonly path: string;
  /** Where Cancel leads. */
  readonly back: string;
}

/** What was sent with the confirmation. */
interface Confirmed {
  readonly revision: string;
  readonly reason: string;
  readonly refused: Refused;
}

/** Asks. `revision` is what the page shows; others may change it before the answer. */
export function askToConfirm(visit: Visit, confirmation: Confirmation, revision: number): Shown {
  return render(visit, confirmation, { revision: String(revision), reason: '', refused: null });
}

/** Makes the change that was confirmed, on the revision that the page showed. */
export async function carryOutConfirmed(
  visit: Visit,
  form: Form,
  { confirmation, request, notice, next }: ConfirmedWork,
): Promise<Shown | GoTo> {
  const given = { revision: form.text('revision'), reason: form.text('reason') };
  const { method, path, body } = request;
  const answer = await visit.api.change<ChangeOutcome>(method, path, { ...given, body });
  if (answer.problem === null) return { href: next, notice: outcomeNotice(answer.body, notice) };
  return { ...render(visit, confirmation, { ...given, refused: answer.problem }), status: answer.problem.status };
}

interface ConfirmedWork {
  readonly confirmation: Confirmation;
  readonly request: { readonly method: 'PATCH' | 'DELETE' | 'POST'; readonly path: string; readonly body?: unknown };
  /** Says that it was done, on the page that comes next. */
  readonly notice: NoticeName;
  readonly next: string;
}

function render(visit: Visit, confirmation: Confirmation, { revision, reason, refused }: Confirmed): Shown {
  const { title, trail, explanation, verb: text, isDangerous, path, back: cancel } = confirmation;
  return {
    ...{ title, trail },
    body: changeForm(
      visit,
      refusal(refused, path),
      explanation,
      hiddenField('revision', revision),
      reasonField(reason, refused),
      buttons({ text, cancel, isDangerous }),
    ),
  };
}

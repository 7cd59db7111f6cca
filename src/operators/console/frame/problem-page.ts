import { html } from 'hono/html';
import type { ProblemBody } from '../../api/problem.ts';
import type { Html } from './html.ts';
import type { Shown } from './page.ts';

/** What a problem means to the reader, and what to do. The title is the heading of the page. */
interface Meaning {
  readonly title: string;
  readonly advice: string;
}

const meanings: Partial<Readonly<Record<ProblemBody['code'], Meaning>>> = {
  MALFORMED_REQUEST: {
    title: 'The address or the form cannot be read',
    advice: 'Go back, and check what you entered.',
  },
  FORBIDDEN: { title: 'You may not do this', advice: 'Ask an admin for another role or other labels.' },
  NOT_FOUND: {
    title: 'Not found',
    advice: 'It was deleted, it never existed, or its labels are beyond your reach.',
  },
  CONFLICT: { title: 'The change contradicts what is there', advice: 'Look at what is there now.' },
  REVISION_CHANGED: {
    title: 'Others changed this in between',
    advice: 'Your change was not made. Open the page again to see what is there now, and repeat your change.',
  },
  BODY_TOO_LARGE: { title: 'The form is too large', advice: 'Nothing was changed.' },
  INVALID_RESOURCE: { title: 'Some fields are not right', advice: 'Nothing was changed.' },
  TOO_MANY_REQUESTS: { title: 'Too many requests', advice: 'Wait a minute, then try again.' },
  STORE_UNAVAILABLE: {
    title: 'MongoDB does not answer',
    advice: 'Nothing was changed. Try again in a few seconds.',
  },
  OUTCOME_UNKNOWN: {
    title: 'MongoDB did not confirm the change',
    advice: 'The change may be in force now or soon. Look at what is stored before you repeat it.',
  },
};

const fallback: Meaning = {
  title: 'The console failed',
  advice: 'This is a fault of the program. Its log has more, by the id of the request.',
};

/** What a problem means to the reader. */
export function meaningOf({ code }: Pick<ProblemBody, 'code'>): Meaning {
  return meanings[code] ?? fallback;
}

/** A page that says why there is no other. */
export function problemPage(problem: ProblemBody): Shown {
  const { title, advice } = meaningOf(problem);
  return { title, status: problem.status, body: explain(advice, problem) };
}

function explain(advice: string, { code, detail, errors = [], requestId }: ProblemBody): Html {
  return html`${
    errors.length > 0
      ? html`<ul>${errors.map((error) => html`<li>${error.detail}</li>`)}</ul>`
      : html`<p>${sentenceOf(detail)}</p>`
  }
<p>${advice}</p>
<p class="muted">${code}, request <code>${requestId}</code></p>
<p><a href="/">To the start page</a></p>`;
}

/** Details of the API are half sentences. */
function sentenceOf(detail: string): string {
  return `${detail.slice(0, 1).toUpperCase()}${detail.slice(1)}${detail.endsWith('.') ? '' : '.'}`;
}

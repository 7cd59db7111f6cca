import type { Html } from '../frame/html.ts';
import type { NoticeName } from '../frame/notices.ts';
import type { Page } from '../frame/page.ts';
import { type ChangePage, changePage } from './change-page.ts';
import { outcomeNotice } from './outcome.ts';

/** A page that says what a change does, and makes it when that is confirmed. */
interface ConfirmPage<About> extends Pick<ChangePage<About, null>, 'path' | 'needs' | 'read' | 'heading'> {
  /** What it does, in words. */
  readonly explanation: (about: About) => Html;
  readonly request: (about: About) => {
    readonly method: 'POST' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly body?: unknown;
  };
  /** Says that it was done, on the page that comes next. */
  readonly notice: NoticeName;
  readonly next: (about: About) => string;
}

/** The page. The form carries the revision that it showed, as others may change the resource before the answer. */
export function confirmPage<About extends { readonly revision: number }>(parts: ConfirmPage<About>): Page {
  const { path, needs, read, heading, explanation, request, notice, next } = parts;
  return changePage<About, null>({
    path,
    needs,
    read,
    heading,
    begin: () => null,
    typed: () => null,
    fields: (_texts, _state, about) => explanation(about),
    request: (_texts, about) => request(about),
    revisionOf: ({ revision }) => revision,
    done: ({ body }, _texts, about) => ({ href: next(about), notice: outcomeNotice(body, notice) }),
  });
}

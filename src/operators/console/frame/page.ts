import type { Operator, Permission } from '../../../model/operator.ts';
import type { ApiClient } from './api-client.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Html } from './html.ts';
import type { NoticeName } from './notices.ts';

/** A page of the console: a file of its own, listed in `pages.ts`. */
export interface Page {
  /** As Hono writes it: `/consumers/:id`. */
  readonly path: string;
  /** Who may use it. Others get a page that says which role it takes, and no form. */
  readonly needs: Permission;
  /** Its place in the navigation; none for what other pages lead to. */
  readonly menu?: { readonly text: string };
  /** Answers GET. Changes nothing. */
  readonly show: (visit: Visit) => Promise<Shown>;
  /** Whether its form is kept when it is sent after the session has ended. A form with a secret is not. */
  readonly keepsForm?: true;
  /** Answers GET with `format=csv`: what the page lists, as a file. */
  readonly csv?: (visit: Visit) => Promise<CsvTable>;
  /** Answers POST of a form on this page, after the check that the form is ours. */
  readonly submit?: (visit: Visit, form: Form) => Promise<Shown | GoTo>;
}

/** Somebody signed in looks at a page. */
export interface Visit {
  readonly operator: Operator;
  /** Goes into every form that changes something: `formTokens` of parts/form.ts. */
  readonly csrfToken: string;
  readonly api: ApiClient;
  /** What operators change of several at once. */
  readonly jobs: Jobs;
  /** The path of the page, as it was asked for. */
  readonly path: string;
  /** A part of the path by its name in {@link Page.path}, decoded. */
  readonly param: (name: string) => string;
  readonly query: URLSearchParams;
  /** The form of this page that was sent after the session had ended; null for none. It changed nothing. */
  readonly kept: Form | null;
  /** Seconds since the epoch. */
  readonly nowSeconds: number;
}

/** The fields of a form that was sent. */
export interface Form {
  /** The value of a field, without blanks around it; empty when it is not there. */
  readonly text: (name: string) => string;
  /** All values of a field, such as of boxes that are ticked. */
  readonly all: (name: string) => readonly string[];
  /** Whether a box is ticked. */
  readonly isTicked: (name: string) => boolean;
}

/** A list as a file for spreadsheets. */
export interface CsvTable {
  /** Of the file, without its ending. */
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number | boolean | null | undefined)[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
}

/** What a page has to show. */
export interface Shown {
  /** The heading, and first in the title of the window. */
  readonly title: string;
  readonly body: Html;
  /** The pages above this one. */
  readonly trail?: readonly { readonly href: string; readonly text: string }[];
  /** 200 without it. */
  readonly status?: number;
}

/** After a change: another page, which says that it was done. Reloading that page changes nothing. */
export interface GoTo {
  readonly href: string;
  readonly notice: NoticeName;
}

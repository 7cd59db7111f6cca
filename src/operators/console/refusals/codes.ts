import { html } from 'hono/html';
import { type RefusalCode, refusalAnswers } from '../../../check/refusal.ts';
import type { Html } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { table } from '../parts/table.ts';

/** The codes that requests are refused with, for choices. */
export const codes = Object.keys(refusalAnswers) as readonly RefusalCode[];

function isCode(code: string): code is RefusalCode {
  return Object.hasOwn(refusalAnswers, code);
}

/** A code, which leads to what it means. Codes of the OAuth2 endpoints have no page. */
export function codeLink(code: string): Html {
  return isCode(code) ? html`<a href="/refusal-codes#${code}"><code>${code}</code></a>` : html`<code>${code}</code>`;
}

/** What to do about a code; null for one of the OAuth2 endpoints. */
export function adviceFor(code: string): string | null {
  return isCode(code) ? refusalAnswers[code].advice : null;
}

/** What each code means, and what to do about it. */
export const refusalCodes: Page = {
  path: '/refusal-codes',
  needs: 'read',
  show: async () =>
    await Promise.resolve({
      title: 'What the codes of refusals mean',
      trail: [{ href: '/refusals', text: 'Refusals' }],
      body: table({
        caption: 'Codes of refusals',
        columns: ['Code', 'Status', 'What callers read', 'What to do'],
        rows: codes.map((code) => {
          const { status, message, advice } = refusalAnswers[code];
          return [html`<code id="${code}">${code}</code>`, String(status), message, advice];
        }),
        empty: '',
      }),
    }),
};

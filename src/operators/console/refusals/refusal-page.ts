import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { definitions } from '../parts/table.ts';
import { badge, copyable, time } from '../parts/values.ts';
import { adviceFor, codeLink } from './codes.ts';
import type { ExplainedRefusal } from './shown-refusal.ts';

/** One refusal, with what was wrong and how to fix it. */
export const refusalPage: Page = {
  path: '/refusals/:requestId',
  needs: 'read-traces',
  show: async ({ api, param }) => {
    const requestId = param('requestId');
    const { items } = await api.get<{ readonly items: readonly ExplainedRefusal[] }>(url`/v1/refusals/${requestId}`);
    return {
      title: 'A refused request',
      trail: [{ href: '/refusals', text: 'Refusals' }],
      body: html`<p>Request id: ${copyable(requestId, 'the request id', 'request-id')}</p>
${items.map(explain)}`,
    };
  },
};

function explain(refusal: ExplainedRefusal): Html {
  const { at, consumer, credential, endpoint, method, path, code, status, message, detail } = refusal;
  const { observed, sourceAddress, stringToSign, leftOutBefore, mistakes, notes, needsRequest } = refusal;
  const advice = adviceFor(code);
  return html`<section>
<h2>${code}${observed === true ? html` ${badge('let through, the endpoint only observes', 'warning')}` : null}</h2>
${definitions([
  ['When', time(at)],
  ['Consumer', consumer === undefined ? null : html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`],
  ['Credential', credential === undefined ? null : html`<code>${credential}</code>`],
  [
    'Endpoint',
    endpoint === undefined
      ? consumer === undefined
        ? 'none'
        : 'OAuth2 endpoints'
      : html`<a href="${url`/endpoints/${endpoint}`}">${endpoint}</a>`,
  ],
  ['Request', html`<code>${method} ${path}</code>`],
  [
    'Answer',
    html`${status === undefined ? null : html`${String(status)} `}${codeLink(code)}${message === undefined ? null : html`: ${message}`}`,
  ],
  ['Why', detail],
  ['From', sourceAddress ?? null],
])}
<h3>What to do</h3>
<ul>${mistakes.map(({ what, fix }) => html`<li><strong>${what}</strong>: ${fix}.</li>`)}
${mistakes.length === 0 && advice !== null ? html`<li>${advice}</li>` : null}
${notes.map((note) => html`<li>${note}</li>`)}
${needsRequest ? html`<li>Only the request itself says more: ask the partner for it, and run <code>postern explain</code> with it.</li>` : null}
</ul>
${stringToSign === undefined ? null : html`<h3>The string to sign that the gateway built</h3><pre tabindex="0">${stringToSign}</pre>`}
${leftOutBefore === undefined ? null : html`<p class="muted">Before it, ${String(leftOutBefore)} more like it were too many to keep.</p>`}
</section>`;
}

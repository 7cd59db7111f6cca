import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import type { Page, Shown, Visit } from '../frame/page.ts';
import { buttons, changeForm, type Refused, refusal, textArea } from '../parts/form.ts';
import { definitions } from '../parts/table.ts';
import { badge, copyable, time } from '../parts/values.ts';
import { adviceFor, codeLink } from './codes.ts';
import type { ExplainedRefusal, ExplainedRequest } from './shown-refusal.ts';

/** One refusal, with what was wrong and how to fix it. */
export const refusalPage: Page = {
  path: '/refusals/:requestId',
  needs: 'read-traces',
  show: async (visit) => await show(visit, null, null),
  submit: async (visit, form) => {
    const path = url`/v1/refusals/${visit.param('requestId')}:explain`;
    const body = { request: form.text('request') };
    const answer = await visit.api.change<ExplainedRequest>('POST', path, { body });
    if (answer.problem === null) return await show(visit, answer.body, null);
    return { ...(await show(visit, null, answer.problem)), status: answer.problem.status };
  },
};

/** With what the request of the form says, or why that cannot be read. The request holds secrets: it is not shown. */
async function show(visit: Visit, explained: ExplainedRequest | null, refused: Refused): Promise<Shown> {
  const { api, param } = visit;
  const requestId = param('requestId');
  const { items } = await api.get<{ readonly items: readonly ExplainedRefusal[] }>(url`/v1/refusals/${requestId}`);
  const asksForRequest = items.some(({ needsRequest }) => needsRequest);
  return {
    title: 'A refused request',
    trail: [{ href: '/refusals', text: 'Refusals' }],
    body: html`<p>Request id: ${copyable(requestId, 'the request id', 'request-id')}</p>
${explained === null ? null : html`<section><h2>What the request says</h2><pre tabindex="0" role="region" aria-label="Explanation">${explained.text}</pre></section>`}
${items.map(explain)}
${asksForRequest ? requestForm(visit, refused) : null}`,
  };
}

function requestForm(visit: Visit, refused: Refused): Html {
  return changeForm(
    visit,
    refusal(refused, visit.path),
    html`<h2>Ask the partner for the request</h2>`,
    textArea(
      { name: 'request', label: 'Paste what the partner sent', hint: REQUEST_HINT, value: '', rows: 10 },
      refused,
    ),
    buttons({ text: 'Explain', cancel: '/refusals' }),
  );
}

const REQUEST_HINT =
  'A curl command, raw HTTP or a HAR. It is compared with what the gateway expects, and kept nowhere.';

function explain(refused: ExplainedRefusal): Html {
  const { at, consumer, credential, endpoint, method, path, code, status, message, detail } = refused;
  const { observed, sourceAddress, stringToSign, leftOutBefore, mistakes, notes, needsRequest } = refused;
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
${needsRequest ? html`<li>Only the request itself says more: ask the partner for it, and paste it below.</li>` : null}
</ul>
${stringToSign === undefined ? null : html`<h3>The string to sign that the gateway built</h3><pre tabindex="0">${stringToSign}</pre>`}
${leftOutBefore === undefined ? null : html`<p class="muted">Before it, ${String(leftOutBefore)} more like it were too many to keep.</p>`}
</section>`;
}

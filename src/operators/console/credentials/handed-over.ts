import { html } from 'hono/html';
import type { Limit } from '../../../model/limit.ts';
import { type Html, url } from '../frame/html.ts';
import { definitions, table } from '../parts/table.ts';
import { planLimits as planLimitList } from '../plans/plan-values.ts';
import type { ShownPlan } from '../plans/shown-plan.ts';
import { limitList, time } from '../parts/values.ts';

/** What a partner needs, as `GET /v1/credentials/ID/view` shows it. */
export interface CredentialView {
  readonly credential: string;
  /** Where the partner calls. */
  readonly url: string;
  /** The networks that it may be used from; absent for anywhere. */
  readonly allowFrom?: readonly string[];
  readonly endpoints: readonly ViewedEndpoint[];
  readonly examples?: {
    readonly appKey: string;
    readonly appSecret: string;
    readonly requests: readonly { readonly title: string; readonly sent: string; readonly stringToSign?: string }[];
  };
  readonly codes: readonly { readonly code: string; readonly status: number; readonly meaning: string }[];
  /** Why no request gets in, where none does. */
  readonly obstacle?: { readonly what: string };
}

interface ViewedEndpoint {
  readonly id: string;
  readonly description?: string;
  readonly urls: readonly string[];
  readonly paths: readonly { readonly prefix?: string; readonly exact?: string }[];
  /** Empty for any. */
  readonly methods: readonly string[];
  readonly authentication: string;
  /** What requests carry, and where; in Markdown. */
  readonly rules: Readonly<Record<string, string>>;
  readonly limits: readonly Limit[];
  readonly planLimits?: ShownPlan['limits'];
  readonly expiresAt?: string;
}

/** What is handed over with a credential: addresses, header fields, limits, examples, refusals. */
export function handedOver({ endpoints, allowFrom, examples, codes, obstacle }: CredentialView): Html {
  return html`<section aria-labelledby="handed-over">
<h2 id="handed-over">What the consumer needs to call</h2>
${obstacle === undefined ? null : html`<p class="warning">No request gets in with it: ${obstacle.what}.</p>`}
${allowFrom === undefined ? null : html`<p>Call from ${allowFrom.join(', ')}.</p>`}
${endpoints.map(endpointSection)}
${examples === undefined ? null : exampleSection(examples)}
${
  codes.length === 0
    ? null
    : html`<details><summary>Refusals, and what they mean</summary>
${table({
  caption: 'Refusals',
  columns: ['Code', 'Status', 'Means'],
  rows: codes.map(({ code, status, meaning }) => [html`<code>${code}</code>`, String(status), withCode(meaning)]),
  empty: '',
})}</details>`
}
</section>`;
}

function endpointSection(endpoint: ViewedEndpoint): Html {
  const { id, description, urls, paths, methods, authentication, rules, limits, planLimits, expiresAt } = endpoint;
  const places = urls.flatMap((base) =>
    paths.map(
      ({ prefix, exact }) =>
        html`<li><code>${base}${exact ?? prefix}</code>${exact === undefined ? ' and below' : ''}</li>`,
    ),
  );
  return html`<article class="handed-over">
<h3><a href="${url`/endpoints/${id}`}">${id}</a></h3>
${description === undefined || description === '' ? null : html`<p>${description}</p>`}
${definitions([
  ['Address', html`<ul class="plain">${places}</ul>`],
  ['HTTP methods', methods.length === 0 ? 'any' : methods.join(', ')],
  ['Authentication', authentication],
  ...Object.entries(rules).map(([name, text]) => [name, withCode(text)] as const),
  ['Limits', limitList(limits)],
  ['Over all endpoints of its plan', planLimits === undefined ? null : planLimitList({ limits: planLimits })],
  ['Until', expiresAt === undefined ? null : time(expiresAt)],
])}
</article>`;
}

function exampleSection({ appKey, appSecret, requests }: NonNullable<CredentialView['examples']>): Html {
  return html`<h3>Examples</h3>
<p>Made with the App Key <code>${appKey}</code> and the public example secret <code>${appSecret}</code>, to compare a
program with.</p>
${requests.map(
  ({ title, sent, stringToSign }, at) => html`<h4 id="example-${at}">${withCode(title)}</h4>
${stringToSign === undefined ? null : html`<p>The string to sign:</p><pre tabindex="0" role="region" aria-label="String to sign of: ${title.replaceAll('`', '')}">${stringToSign}</pre>`}
<pre tabindex="0" role="region" aria-labelledby="example-${at}">${sent}</pre>`,
)}`;
}

/** Text with code between backticks, which is all of Markdown that these texts use. */
function withCode(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}

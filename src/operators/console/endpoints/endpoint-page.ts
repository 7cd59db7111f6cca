import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import { lastingNote } from '../parts/limit-rows.ts';
import { definitions, table } from '../parts/table.ts';
import { badge, enabledBadge, labels, time } from '../parts/values.ts';
import { callerSections } from './endpoint-callers.ts';
import { formatOption, optionLabel } from './options/option-texts.ts';
import { authenticationOf, formatPathRule, readEndpoint, type ShownEndpoint } from './shown-endpoint.ts';

/** All of one endpoint. */
export const endpointPage: Page = {
  path: '/endpoints/:id',
  needs: 'read',
  show: async (visit) => {
    const endpoint = await readEndpoint(visit);
    const mayChange = allows(visit.operator.role, 'change-endpoints');
    return {
      title: endpoint.id,
      trail: [{ href: '/endpoints', text: 'Endpoints' }],
      body: html`${warningsOf(endpoint)}
${summary(endpoint)}
${mayChange ? actions(endpoint) : null}
${trafficControl(endpoint, mayChange)}
${options(endpoint, mayChange)}
${await callerSections(visit, endpoint)}
${elsewhere(visit, endpoint)}`,
    };
  },
};

function warningsOf({ warnings = [] }: ShownEndpoint): Html | null {
  if (warnings.length === 0) return null;
  return html`<ul class="warnings">${warnings.map((each) => html`<li>${badge('warning', 'warning')} ${each}</li>`)}</ul>`;
}

function summary(endpoint: ShownEndpoint): Html {
  const { id, description, match, enabled, createdAt, updatedAt, options: chosen = {} } = endpoint;
  const isObserving = chosen['mode'] === 'observe';
  return definitions([
    ['Id', html`<code>${id}</code>`],
    ['Description', description ?? null],
    ['State', html`${enabledBadge(enabled)}${isObserving ? html` ${badge('observes only', 'warning')}` : null}`],
    ['Paths', codes(match.paths.map(formatPathRule))],
    ['Hosts', match.hosts === undefined ? 'any' : codes(match.hosts)],
    ['Methods', match.methods === undefined ? 'any' : codes(match.methods)],
    ['Authentication', authenticationOf(endpoint)],
    ['Who is let in', whoIsLetIn(endpoint)],
    ['Labels', labels(endpoint.labels)],
    ['Created', time(createdAt)],
    ['Changed', time(updatedAt)],
  ]);
}

function codes(texts: readonly string[]): Html {
  return html`<ul class="labels">${texts.map((text) => html`<li><code>${text}</code></li>`)}</ul>`;
}

function whoIsLetIn({ scenario, accessCondition }: ShownEndpoint): string {
  if (scenario === 'open') return 'everyone';
  return accessCondition === 'authenticated-and-authorized'
    ? 'consumers with a grant'
    : 'every consumer that proves who it is';
}

function actions({ id, enabled }: ShownEndpoint): Html {
  const verb = enabled ? 'disable' : 'enable';
  return html`<ul class="actions">
<li><a class="button" href="${url`/endpoints/${id}/edit`}">Edit</a></li>
<li><a class="button" href="${url`/endpoints/${id}/${verb}`}">${enabled ? 'Disable' : 'Enable'}</a></li>
<li><a class="button danger" href="${url`/endpoints/${id}/delete`}">Delete</a></li>
</ul>`;
}

function trafficControl({ id, trafficControl: control }: ShownEndpoint, mayChange: boolean): Html {
  return html`<h2>Traffic control</h2>
${table({
  caption: 'Limits of this endpoint; a grant may have others for its consumer',
  columns: ['Requests', 'Counted for'],
  rows: (control?.limits ?? []).map(({ requests, unit, per }) => [
    `${requests.toLocaleString('en')} each ${unit}`,
    per === 'consumer' ? 'each consumer' : 'all callers together',
  ]),
  empty: 'It has no limits of its own.',
})}
${lastingNote(control?.limits ?? [])}
${mayChange ? html`<p><a class="button" href="${url`/endpoints/${id}/limits`}">Change the limits</a></p>` : null}`;
}

function options({ id, options: chosen = {} }: ShownEndpoint, mayChange: boolean): Html {
  return html`<h2>Options</h2>
${table({
  caption: 'Options that are not the default',
  columns: ['Option', 'Value'],
  rows: Object.entries(chosen).map(([name, value]) => [
    html`${optionLabel(name)} <code>${name}</code>`,
    formatOption(name, value),
  ]),
  empty: 'Every option has its default.',
})}
${mayChange ? html`<p><a class="button" href="${url`/endpoints/${id}/options`}">Change the options</a></p>` : null}`;
}

function elsewhere({ operator }: Visit, { id }: ShownEndpoint): Html {
  const maySeeTraces = allows(operator.role, 'read-traces');
  const to = (path: string): string => withQuery(path, { endpoint: id });
  return html`<h2>More about it</h2>
<ul>
<li><a href="${to('/usage')}">Usage</a></li>
${maySeeTraces ? html`<li><a href="${to('/refusals')}">Recent refusals</a></li>` : null}
${maySeeTraces ? html`<li><a href="${to('/audit')}">Changes to it</a></li>` : null}
</ul>`;
}

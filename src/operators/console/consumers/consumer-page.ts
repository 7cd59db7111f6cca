import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { allowFromWords } from '../../../resources/allow-from.ts';
import { consumerTexts } from '../../../resources/consumer-fields.ts';
import { type ShownCredential, statusBadge, credentialLink, methodsOf } from '../credentials/shown-credential.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import type { ListPage } from '../parts/pager.ts';
import { definitions, table } from '../parts/table.ts';
import { labels, time, timeOr } from '../parts/values.ts';
import { refusalTable } from '../refusals/refusal-list.ts';
import type { ShownRefusal } from '../refusals/shown-refusal.ts';
import type { ShownAccess } from '../grants/shown-access.ts';
import type { ShownEvent } from '../audit/shown-event.ts';
import type { ShownUsage } from '../usage/shown-usage.ts';
import { accessSection } from './access-section.ts';
import { glance } from './glance.ts';
import { limitSection } from './limit-section.ts';
import { readConsumer, type ShownConsumer } from './shown-consumer.ts';

/** More than a consumer has in practice; what is left out is said. */
const MOST = '200';
const LATEST = '5';

/** All of one consumer: its credentials, what it may call, and where to look further. */
export const consumerPage: Page = {
  path: '/consumers/:id',
  needs: 'read',
  show: async (visit) => {
    const { api, operator } = visit;
    const consumer = await readConsumer(visit);
    const { id } = consumer;
    const isChanger = allows(operator.role, 'change-consumers');
    const seesTraces = allows(operator.role, 'read-traces');
    const [credentials, access, refusals, usage, changes] = await Promise.all([
      api.get<ListPage<ShownCredential>>(withQuery('/v1/credentials', { consumer: id, limit: MOST })),
      api.get<ListPage<ShownAccess>>(withQuery(url`/v1/consumers/${id}/access`, { limit: MOST })),
      seesTraces
        ? api.find<ListPage<ShownRefusal>>(withQuery('/v1/refusals', { consumer: id, limit: LATEST }))
        : Promise.resolve(null),
      api.get<ShownUsage>(withQuery('/v1/usage', { by: 'hour', consumer: id, limits: 'true' })),
      seesTraces
        ? api.get<ListPage<ShownEvent>>(withQuery('/v1/audit', { consumer: id, limit: '1' }))
        : Promise.resolve(null),
    ]);
    return {
      title: consumer.name ?? id,
      trail: [{ href: '/consumers', text: 'Consumers' }],
      body: html`${glance({
        consumer,
        usage,
        credentials: credentials.items,
        access: access.items,
        refusals: refusals?.items ?? null,
        lastChange: changes?.items[0] ?? null,
      })}
${summary(consumer)}
${isChanger ? actions(consumer) : null}
${furtherPages(id, seesTraces)}
${credentialSection(credentials, id, isChanger)}
${accessSection(access, id, isChanger)}
${limitSection(usage)}
${refusals === null ? null : refusalSection(refusals, id)}`,
    };
  },
};

function summary(consumer: ShownConsumer): Html {
  const { id, labels: carried, allowFrom, createdAt, updatedAt } = consumer;
  return definitions([
    ['Id', html`<code>${id}</code>`],
    ...consumerTexts.map(({ name, label }) => [label, consumer[name] || null] as const),
    ['Labels', labels(carried)],
    [allowFromWords.label, allowFrom?.join(', ') ?? html`<span class="muted">${allowFromWords.otherwise}</span>`],
    ['Created', time(createdAt)],
    ['Changed', time(updatedAt)],
  ]);
}

function actions({ id, enabled }: ShownConsumer): Html {
  return html`<ul class="actions">
<li><a class="button" href="${url`/consumers/${id}/edit`}">Edit</a></li>
<li><a class="button" href="${url`/consumers/${id}/${enabled ? 'disable' : 'enable'}`}">${
    enabled ? 'Disable' : 'Enable'
  }</a></li>
<li><a class="button danger" href="${url`/consumers/${id}/delete`}">Delete</a></li>
</ul>`;
}

function furtherPages(consumer: string, seesTraces: boolean): Html {
  return html`<ul class="actions">
<li><a href="${withQuery('/usage', { consumer })}">Usage</a></li>
<li><a href="${withQuery('/credentials', { consumer })}">Credentials as a list</a></li>
${seesTraces ? html`<li><a href="${withQuery('/refusals', { consumer })}">Refusals</a></li>` : null}
${seesTraces ? html`<li><a href="${withQuery('/audit', { consumer })}">Audit</a></li>` : null}
</ul>`;
}

function refusalSection({ items, nextCursor }: ListPage<ShownRefusal>, consumer: string): Html {
  return html`<section aria-labelledby="refusals">
<h2 id="refusals">Latest refusals</h2>
${refusalTable(items, 'Latest refusals of this consumer')}
${nextCursor === null ? null : html`<p><a href="${withQuery('/refusals', { consumer })}">All refusals of ${consumer}</a></p>`}
</section>`;
}

function credentialSection(
  { items, nextCursor }: ListPage<ShownCredential>,
  consumer: string,
  isChanger: boolean,
): Html {
  return html`<section aria-labelledby="credentials">
<h2 id="credentials">Credentials</h2>
${isChanger ? html`<p><a class="button" href="${url`/consumers/${consumer}/issue`}">Issue a credential</a></p>` : null}
${table({
  caption: 'Credentials of this consumer',
  columns: ['Id', 'Method', 'State', 'Ends', 'Last used'],
  rows: items.map((credential) => [
    credentialLink(credential.id),
    `${methodsOf(credential).join(', ')}${credential.appKeyEnd === undefined ? '' : ` …${credential.appKeyEnd}`}`,
    statusBadge(credential),
    timeOr(credential.expiresAt, 'never'),
    timeOr(credential.lastUsedAt, 'never'),
  ]),
  empty: 'It has no credentials yet.',
})}
${nextCursor === null ? null : html`<p class="muted">There are more credentials than are shown here.</p>`}
</section>`;
}

import { html } from 'hono/html';
import { allows } from '../../../model/operator.ts';
import { formerEndOf } from '../credentials/shown-credential.ts';
import { credentialLink, credentials, ENDING_WITHIN } from '../endings/ending-list.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import type { ListPage } from '../parts/pager.ts';
import { badge, labels, timeOr } from '../parts/values.ts';
import { codeLink } from '../refusals/codes.ts';
import type { ShownRefusal } from '../refusals/shown-refusal.ts';
import { type ShownReplicas, troubleOf } from '../replicas/replica-list.ts';
import type { ShownUsage } from '../usage/shown-usage.ts';
import { rankings } from './ranking.ts';

const SHOWN = 5;

/** What needs attention, and the ways to everything else. */
export const home: Page = {
  path: '/',
  needs: 'read',
  menu: { text: 'Start' },
  show: async (visit) => {
    const mayTrace = allows(visit.operator.role, 'read-traces');
    const ranking = rankings(visit);
    const cards = await Promise.all([
      firstSteps(visit),
      endings(visit),
      formerInUse(visit),
      ...(mayTrace ? [refusals(visit)] : []),
      usage(visit),
      replicas(visit),
    ]);
    return {
      title: 'What needs attention',
      body: html`${search()}${mayTrace ? findRefusal() : null}<div class="cards">${cards}</div>${await ranking}`,
    };
  },
};

function search(): Html {
  return html`<form method="get" action="/consumers" role="search" aria-label="Consumers" class="filters">
<div class="field"><label for="q">Find a consumer</label>
<input type="search" id="q" name="q" maxlength="100" autocomplete="off" spellcheck="false"></div>
<p class="buttons"><button type="submit" class="primary">Find</button></p>
</form>`;
}

function findRefusal(): Html {
  return html`<form method="get" action="/refusals" role="search" aria-label="Refused requests" class="filters">
<div class="field"><label for="requestId">Find a refused request by its request id, or the whole answer</label>
<input type="search" id="requestId" name="requestId" maxlength="2000" autocomplete="off" spellcheck="false"></div>
<p class="buttons"><button type="submit">Find</button></p>
</form>`;
}

/**
 * As long as there is no endpoint or no consumer within reach: what leads to a first partner, for those who may create
 * either; for operators with labels, that nothing carries them.
 */
async function firstSteps({ api, operator: { role, selector } }: Visit): Promise<Html> {
  const isThere = async (what: string): Promise<boolean> =>
    (await api.get<ListPage<unknown>>(withQuery(`/v1/${what}`, { limit: '1', fields: 'id' }))).items.length > 0;
  const [hasEndpoints, hasConsumers] = await Promise.all([isThere('endpoints'), isThere('consumers')]);
  if (hasEndpoints && hasConsumers) return await html``;
  const missing = [...(hasEndpoints ? [] : ['endpoint']), ...(hasConsumers ? [] : ['consumer'])].join(' and no ');
  const [mayEndpoints, mayConsumers] = [allows(role, 'change-endpoints'), allows(role, 'change-consumers')];
  if (Object.keys(selector).length > 0) {
    return await beyondLabels(missing, selector, mayConsumers && !hasConsumers);
  }
  if (!mayConsumers) {
    return await html`<section class="card"><h2>Nothing is here yet</h2><p>There is no ${missing}.</p></section>`;
  }
  const step = (path: string, text: string, mayCreate: boolean, isDone: boolean): Html => {
    const shown = mayCreate && !isDone ? html`<a href="${path}">${text}</a>` : text;
    return html`<li>${shown}${isDone ? ' (done)' : null}${mayCreate || isDone ? null : ': an admin does this'}</li>`;
  };
  return await html`<section class="card"><h2>First steps</h2>
<ol>${step('/new/endpoint', 'Create an endpoint', mayEndpoints, hasEndpoints)}
${step('/new/consumer', 'Create a consumer', mayConsumers, hasConsumers)}
<li>On the page of the consumer, give it access and issue a credential</li></ol></section>`;
}

/** There may be much, but not for this operator. */
function beyondLabels(missing: string, selector: Visit['operator']['selector'], mayCreateConsumer: boolean): Html {
  return html`<section class="card"><h2>No ${missing} here carries your labels</h2>
${labels(selector)}
<p>You see only what carries them. Who manages operators can say whether they are the right ones.</p>
${mayCreateConsumer ? html`<p><a href="/new/consumer">Create a consumer with your labels</a></p>` : null}</section>`;
}

async function endings(visit: Visit): Promise<Html> {
  const { items, nextCursor } = await credentials(visit, { expiringWithin: ENDING_WITHIN, limit: String(SHOWN) });
  const lines = items.map(
    (each) => html`<li>${credentialLink(each)} of ${each.consumer} ends ${timeOr(each.expiresAt, 'never')}</li>`,
  );
  const isMore = nextCursor !== null;
  return await card('Credentials that end within 30 days', {
    lines,
    isMore,
    more: '/endings',
    moreText: 'All that runs out',
    none: 'None.',
  });
}

async function formerInUse(visit: Visit): Promise<Html> {
  const { items, nextCursor } = await credentials(visit, { formerInUse: 'true', limit: String(SHOWN) });
  const lines = items.map((each) => {
    const end = timeOr(formerEndOf(each) ?? each.expiresAt, 'never');
    return html`<li>${credentialLink(each)} of ${each.consumer}: the former one ends ${end}</li>`;
  });
  return await card('Former secrets that are still in use', {
    lines,
    isMore: nextCursor !== null,
    more: '/endings',
    moreText: 'All that runs out',
    none: 'None.',
  });
}

async function refusals({ api }: Visit): Promise<Html> {
  const path = withQuery('/v1/refusals', { since: '24h', limit: String(SHOWN) });
  const { items } = await api.get<ListPage<ShownRefusal>>(path);
  const lines = items.map(({ consumer, endpoint, code }) => {
    const where = endpoint === undefined ? '' : ` on ${endpoint}`;
    // Without a selection of others, each is of a consumer.
    const who = consumer ?? '';
    return html`<li><a href="${url`/consumers/${who}`}">${who}</a>${where}: ${codeLink(code)}</li>`;
  });
  return await card('Refusals of the last 24 hours', {
    lines,
    isMore: true,
    more: '/refusals?since=24h',
    moreText: 'All refusals',
    none: 'None of a known consumer.',
  });
}

async function usage({ api }: Visit): Promise<Html> {
  const { total } = await api.get<ShownUsage>(withQuery('/v1/usage', { by: 'hour' }));
  const lines = (['allowed', 'refused', 'limited'] as const).map(
    (name) => html`<li>${total[name].toLocaleString('en')} ${name}</li>`,
  );
  return await card('Requests of the last 24 hours', {
    lines,
    isMore: true,
    more: '/usage?by=hour',
    moreText: 'Usage',
    none: '',
  });
}

async function replicas({ api }: Visit): Promise<Html> {
  const { items } = await api.get<ShownReplicas>('/v1/replicas');
  const lines = items.flatMap((replica) => {
    const trouble = troubleOf(replica);
    return trouble === null ? [] : [html`<li>${replica.name}: ${badge(trouble, 'bad')}</li>`];
  });
  return await card('Replicas', {
    lines,
    isMore: true,
    more: '/replicas',
    moreText: 'All replicas',
    none: readinessOf(items.length),
  });
}

function readinessOf(count: number): string {
  if (count === 0) return 'No replica reports.';
  return count === 1 ? '1 replica, ready.' : `${String(count)} replicas, all ready.`;
}

interface Card {
  readonly lines: readonly Html[];
  readonly isMore: boolean;
  readonly more: string;
  readonly moreText: string;
  /** Instead of lines. */
  readonly none: string;
}

function card(title: string, { lines, isMore, more, moreText, none }: Card): Html {
  return html`<section class="card"><h2>${title}</h2>
${lines.length === 0 ? html`<p>${none}</p>` : html`<ul>${lines}</ul>`}
${isMore ? html`<p><a href="${more}">${moreText}</a></p>` : null}</section>`;
}

import { html } from 'hono/html';
import type { ShownEvent } from '../audit/shown-event.ts';
import { credentialLink, formerEndOf, type ShownCredential } from '../credentials/shown-credential.ts';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { ShownAccess } from '../grants/shown-access.ts';
import { type Cell, definitions } from '../parts/table.ts';
import { enabledBadge, time } from '../parts/values.ts';
import { shareOf, useMeter } from '../plans/plan-values.ts';
import { codeLink } from '../refusals/codes.ts';
import type { ShownRefusal } from '../refusals/shown-refusal.ts';
import type { ShownUsage } from '../usage/shown-usage.ts';
import type { ShownConsumer } from './shown-consumer.ts';

/** What is known of a consumer; null for what the operator may not see. */
export interface Glance {
  readonly consumer: ShownConsumer;
  readonly credentials: readonly ShownCredential[];
  readonly access: readonly ShownAccess[];
  /** Of the last 24 hours. */
  readonly usage: ShownUsage | null;
  /** The newest first. */
  readonly refusals: readonly ShownRefusal[] | null;
  readonly lastChange: ShownEvent | null;
}

/** What answers a phone call: whether it works, since when not, what is used up, what ends, who changed it. */
export function glance({ consumer, credentials, access, usage, refusals, lastChange }: Glance): Html {
  const { id, enabled, updatedAt } = consumer;
  const working = credentials.filter(({ status }) => ['active', 'rotating', 'retiring'].includes(status)).length;
  const ratio = `${String(working)} of ${String(credentials.length)} credentials work`;
  return html`<section aria-labelledby="glance">
<h2 id="glance">At a glance</h2>
${definitions([
  ['State', html`${enabledBadge(enabled)} ${credentials.length === 0 ? 'no credentials' : ratio}`],
  ['Last call', lastCall(credentials)],
  ['Refused in 24 hours', refused(id, usage, refusals)],
  ['Most used limit', tightest(usage, id)],
  ['Ends next', endsNext(credentials, access)],
  ['Last changed', lastChange === null ? time(updatedAt) : changed(lastChange)],
])}
</section>`;
}

function lastCall(credentials: readonly ShownCredential[]): Cell {
  const used = credentials.filter(({ lastUsedAt }) => lastUsedAt !== undefined);
  const [latest] = used.sort((one, other) => ((one.lastUsedAt ?? '') < (other.lastUsedAt ?? '') ? 1 : -1));
  if (latest?.lastUsedAt === undefined) return html`<span class="muted">never</span>`;
  return html`${time(latest.lastUsedAt)}, with ${credentialLink(latest.id)}`;
}

function refused(consumer: string, usage: ShownUsage | null, refusals: Glance['refusals']): Cell {
  if (usage === null) return null;
  const { refused: other, limited } = usage.total;
  const count = (other + limited).toLocaleString('en');
  const newest = refusals?.[0];
  if (newest === undefined) return count;
  const href = withQuery('/refusals', { consumer, since: '24h' });
  return html`<a href="${href}">${count}</a>, the newest kept ${time(newest.at)}: ${codeLink(newest.code)}`;
}

/** Of its plans, its grants and its endpoints. */
function tightest(usage: ShownUsage | null, consumer: string): Cell {
  const uses = [
    ...(usage?.plans ?? []).map((use) => ({ use, href: url`/plans/${use.plan}`, text: use.plan })),
    ...(usage?.limits ?? []).map((use) => ({ use, href: url`/endpoints/${use.endpoint}`, text: use.endpoint })),
  ];
  const [most] = uses.sort((one, other) => other.use.used / other.use.requests - one.use.used / one.use.requests);
  if (most === undefined) return null;
  const { use, href, text } = most;
  return html`${shareOf(use)} of ${use.requests.toLocaleString('en')} each ${use.unit}
(<a href="${href}">${text}</a>) ${useMeter(use, consumer)}`;
}

function endsNext(credentials: readonly ShownCredential[], access: readonly ShownAccess[]): Cell {
  const ends = [
    ...credentials
      .filter(({ status }) => status !== 'expired' && status !== 'revoked')
      .flatMap((each) => [
        { at: each.expiresAt, what: html`the credential ${credentialLink(each.id)}` },
        { at: formerEndOf(each), what: html`the former secret or key of ${credentialLink(each.id)}` },
      ]),
    ...access.map(({ endpoint, until }) => ({
      at: until,
      what: html`access to <a href="${url`/endpoints/${endpoint}`}">${endpoint}</a> as it is`,
    })),
  ].flatMap(({ at, what }) => (at === undefined ? [] : [{ at, what }]));
  const [first] = ends.sort((one, other) => (one.at < other.at ? -1 : 1));
  return first === undefined ? html`<span class="muted">nothing</span>` : html`${time(first.at)}: ${first.what}`;
}

function changed({ event, at, actor, action }: ShownEvent): Html {
  return html`<a href="${url`/audit/${event}`}">${time(at)}</a> by ${actor}: ${action}`;
}

import { html } from 'hono/html';
import { type Html, url, withQuery } from '../frame/html.ts';
import type { Page, Visit } from '../frame/page.ts';
import type { ListPage } from '../parts/pager.ts';
import { type Cell, table } from '../parts/table.ts';
import { formerEndOf } from '../credentials/shown-credential.ts';
import { timeOr } from '../parts/values.ts';

/** A credential as `GET /v1/credentials` shows it, as far as this page needs it. */
export interface EndingCredential {
  readonly id: string;
  readonly consumer: string;
  readonly status: string;
  readonly expiresAt?: string;
  readonly lastUsedAt?: string;
  readonly retiringSecret?: { readonly expiresAt: string };
  readonly retiringPublicKey?: { readonly expiresAt: string };
  readonly retiringSecretLastUsedAt?: string;
}

/** What is asked for, with the days of its list. */
export const ENDING_WITHIN = '30d';
const UNUSED_FOR = '90d';
const PAGE_SIZE = '100';

/** Credentials that need attention: they end soon, an old secret is still in use, or they are not used. */
export const endingList: Page = {
  path: '/endings',
  needs: 'read',
  menu: { text: 'What runs out' },
  show: async (visit) => {
    const [ending, former, unused] = await Promise.all([
      credentials(visit, { expiringWithin: ENDING_WITHIN }),
      credentials(visit, { formerInUse: 'true' }),
      credentials(visit, { unusedFor: UNUSED_FOR }),
    ]);
    return {
      title: 'What runs out',
      body: html`<h2>Credentials that end within 30 days</h2>
${section(ending, {
  caption: 'They still work; then they are refused',
  columns: ['Credential', 'Consumer', 'Ends', 'Last used'],
  cells: ({ expiresAt, lastUsedAt }) => [timeOr(expiresAt, 'never'), timeOr(lastUsedAt, 'never')],
  empty: 'No credential ends within 30 days.',
})}
<h2>Former secrets and keys that are still in use</h2>
${section(former, {
  caption: 'The partner has not changed over yet',
  columns: ['Credential', 'Consumer', 'Ends', 'Last used'],
  cells: (each) => [
    timeOr(formerEndOf(each) ?? each.expiresAt, 'never'),
    timeOr(each.retiringSecretLastUsedAt ?? each.lastUsedAt, 'never'),
  ],
  empty: 'No former secret or key is in use.',
})}
<h2>Credentials that were not used for 90 days</h2>
${section(unused, {
  caption: 'Revoke what is not needed',
  columns: ['Credential', 'Consumer', 'Last used'],
  cells: ({ lastUsedAt }) => [timeOr(lastUsedAt, 'never')],
  empty: 'Every working credential was used in the last 90 days.',
})}`,
    };
  },
};

/** Credentials within reach that fit. */
export async function credentials(
  { api }: Pick<Visit, 'api'>,
  wish: Readonly<Record<string, string>>,
): Promise<ListPage<EndingCredential>> {
  return await api.get<ListPage<EndingCredential>>(withQuery('/v1/credentials', { limit: PAGE_SIZE, ...wish }));
}

interface Section {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly cells: (credential: EndingCredential) => readonly Cell[];
  readonly empty: string;
}

function section({ items, nextCursor }: ListPage<EndingCredential>, { caption, columns, cells, empty }: Section): Html {
  const rows = items.map((each) => [credentialLink(each), consumerLink(each), ...cells(each)]);
  return html`${table({ caption, columns, rows, empty })}
${nextCursor === null ? null : html`<p class="muted">There are more. The page shows the first ${items.length}.</p>`}`;
}

/** Leads to the credential. */
export function credentialLink({ id }: EndingCredential): Html {
  return html`<a href="${url`/credentials/${id}`}">${id}</a>`;
}

function consumerLink({ consumer }: EndingCredential): Html {
  return html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`;
}

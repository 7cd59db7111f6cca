import { html } from 'hono/html';
import type { DeclaredReplica } from '../../../resources/changes/replicas.ts';
import type { Html } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { table } from '../parts/table.ts';
import { badge } from '../parts/values.ts';

/** What `GET /v1/replicas` shows. */
export interface ShownReplicas {
  readonly storeRevision: number;
  readonly items: readonly DeclaredReplica[];
}

/** The processes that decide requests, and which changes are in force there. */
export const replicaList: Page = {
  path: '/replicas',
  needs: 'read',
  menu: { text: 'Replicas' },
  show: async ({ api }) => {
    const { storeRevision, items } = await api.get<ShownReplicas>('/v1/replicas');
    return {
      title: 'Replicas',
      body: html`<p>These processes decide requests. Each reports every five seconds. The newest change has revision
${String(storeRevision)}. It is in force on replicas with this revision.</p>
${table({
  caption: 'Replicas',
  columns: ['Name', 'State', 'Revision', 'Last report', 'Running for', 'Version', 'Id'],
  rows: items.map((replica) => [
    replica.name,
    stateOf(replica),
    revisionOf(replica),
    `${formatSpan(replica.lastSeenSeconds)} ago`,
    formatSpan(replica.ageSeconds),
    replica.version,
    html`<code>${replica.id}</code>`,
  ]),
  empty: 'No replica reports.',
})}`,
    };
  },
};

/** What is the matter with a replica; null where nothing is. */
export function troubleOf({ stale, ready, reason, mode }: DeclaredReplica): string | null {
  if (stale) return 'does not report';
  if (!ready) return `not ready: ${reason ?? 'no reason is known'}`;
  return mode === 'waiting' ? 'no changes arrive' : null;
}

function stateOf(replica: DeclaredReplica): Html {
  const trouble = troubleOf(replica);
  if (trouble === null) return badge('ready', 'good');
  return badge(trouble, replica.ready && !replica.stale ? 'warning' : 'bad');
}

function revisionOf({ revision, behind }: DeclaredReplica): string {
  if (revision === null) return 'not known yet';
  return behind === null || behind === 0 ? String(revision) : `${String(revision)}, ${String(behind)} behind`;
}

const spans = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

function formatSpan(seconds: number): string {
  const [size, unit] = spans.find(([each]) => seconds >= each) ?? [1, 's'];
  return `${String(Math.floor(seconds / size))} ${unit}`;
}

import type { Change } from '../../manage/change.ts';
import { count } from '../render/format-time.ts';

/** More records than these are not named one by one. */
const MAX_NAMED = 10;

/**
 * How to find out whether changes were made whose outcome no server told: for each record the command that shows it, and
 * what that shows when they were. A line each.
 */
export function waysToFindOut(changes: readonly Change[]): readonly string[] {
  const lines = changes.slice(0, MAX_NAMED).map((change) => {
    const seen = change.after === null ? 'finds it no more' : change.before === null ? 'finds it' : revisionOf(change);
    return `  ${nameOf(change)}: it was, when "${showCommand(change)}" ${seen}`;
  });
  const more = changes.length - MAX_NAMED;
  const rest = more > 0 ? [`  … and ${count(more, 'more record')}, which changed with these or not at all`] : [];
  return [...lines, ...rest];
}

function revisionOf({ before }: Change): string {
  return `shows revision ${String((before?.revision ?? 0) + 1)}`;
}

function nameOf({ kind, id }: Change): string {
  return kind === 'grant' ? `grant of ${id.replace(/^(.*)\/(.*)$/, '$2 on $1')}` : `${kind} ${id}`;
}

/** The command that shows the resource of a change. */
export function showCommand({ kind, id }: Pick<Change, 'kind' | 'id'>): string {
  if (kind !== 'grant') return `postern ${kind} show ${id}`;
  const [endpoint = '', consumer = ''] = id.split('/');
  return `postern grant list --endpoint ${endpoint} --consumer ${consumer} -o json`;
}

import { isDeepStrictEqual } from 'node:util';
import { type Command, InvalidArgumentError } from 'commander';
import { ID_PATTERN } from '../document/fields.ts';
import { findNearestName } from '../document/nearest-name.ts';
import type { AuditEvent, AuditSelection } from '../manage/resource-store.ts';
import { parseGrantId } from '../resources/grant.ts';
import { resourceKinds } from '../resources/resource.ts';
import { addNoun, type CommandContext } from './command.ts';
import type { StoreFlags } from './flags/options.ts';
import { type Moment, momentBack, parseMoment } from './flags/times.ts';
import { parseCount } from './flags/values.ts';
import { type ListView, printList } from './render/list.ts';
import { formatTime } from './render/text.ts';
import { addReadAction } from './store/read-store.ts';

/** Adds `postern audit` with its verbs. */
export function registerAudit(program: Command, context: CommandContext): void {
  const noun = addNoun(program, 'audit', 'What was changed, by whom and when.', 'audit list --since 7d');
  const command = noun
    .command('list')
    .description('List what was changed, by whom and when, newest first. Secrets are in no event.')
    .option('--since <time>', 'from then on: 7d, 12h, or 2026-11-01T00:00:00Z', parseMoment)
    .option('--actor <name>', 'what this one changed')
    .option('--resource <resource>', 'changes of this: consumer/acme, grant/orders/acme, endpoint', parseResource)
    .option('--limit <number>', 'the newest so many', parseCount, DEFAULT_LIMIT);
  addReadAction(command, context, {
    notes: `JSON and YAML have each resource before and after the change.`,
    examples: [
      'postern audit list --since 7d --resource consumer/acme',
      'postern audit list --actor ada --limit 1000 -o json',
    ],
    show: async ({ audit }, { since, actor, resource, limit, output }: ListFlags) => {
      const sinceMs = since && momentBack(since, context.clock.nowSeconds()) * 1000;
      await printList(audit.events({ limit, sinceMs, actor, resource }), view, output, context.terminal);
    },
  });
}

interface ListFlags extends StoreFlags {
  readonly since?: Moment;
  readonly actor?: string;
  readonly resource?: AuditSelection['resource'];
  readonly limit: number;
}

const DEFAULT_LIMIT = 100;

const view: ListView<AuditEvent> = {
  columns: [
    { heading: 'WHEN', cell: ({ atMs }) => formatTime(Math.floor(atMs / 1000)) },
    { heading: 'WHO', cell: ({ actor }) => actor },
    { heading: 'COMMAND', cell: ({ action }) => action },
    { heading: 'RESOURCE', cell: ({ kind, id }) => `${kind}/${id}` },
    { heading: 'CHANGED', cell: changed, canShrink: true },
    { heading: 'REASON', cell: ({ reason = '' }) => reason, canShrink: true },
  ],
  declare: ({ atMs, ...event }) => ({ at: new Date(atMs).toISOString(), ...event }),
  none: 'There is no such event.',
};

/** What a change did, in a few words: `created`, `deleted`, or the fields that differ. */
function changed({ before, after }: AuditEvent): string {
  if (before === null) return 'created';
  if (after === null) return 'deleted';
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const differing = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  // Secrets are in neither, so that a rotation of them alone leaves no difference.
  return differing.length === 0 ? 'secrets' : differing.join(', ');
}

/** `consumer`, `consumer/acme`, `grant/orders/acme`, `grant/orders/tier=gold`. */
export function parseResource(text: string): NonNullable<AuditSelection['resource']> {
  const [name = '', ...ids] = text.split('/');
  const kind = resourceKinds.find((known) => known === name);
  if (kind === undefined) {
    const nearest = findNearestName(name, resourceKinds);
    const advice = nearest === null ? '' : ` Did you mean ${nearest}?`;
    throw new InvalidArgumentError(`It must be ${resourceKinds.join(', ')}, with /ID for one of them.${advice}`);
  }
  if (ids.length === 0) return { kind, id: null };
  const id = ids.join('/');
  if (kind === 'grant' ? parseGrantId(id) === null : !ID_PATTERN.test(id)) {
    const form = 'grant/ENDPOINT/CONSUMER, or grant/ENDPOINT/NAME=VALUE,… for labels in the order of their names';
    throw new InvalidArgumentError(`The form is ${kind === 'grant' ? form : `${kind}/ID`}.`);
  }
  return { kind, id };
}

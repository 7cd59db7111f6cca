import type { Command } from 'commander';
import { declareAccess } from '../../resources/changes/declare-access.ts';
import { type ConsumerAccess, listAccess } from '../../resources/changes/who-may.ts';
import { listPlans } from '../../resources/changes/resource-store.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { count, grouped } from '../../base/text/printable.ts';
import type { CommandContext } from '../command.ts';
import type { StoreFlags } from '../flags/options.ts';
import { parseCount, parseId } from '../flags/values.ts';
import { formatHolder } from '../render/grants.ts';
import { type ListView, printList } from '../render/list.ts';
import { formatDistance, formatLimits } from '../render/text.ts';
import { addReadAction, requireResource, selectFrom } from '../store/read-store.ts';

interface WhoMayFlags extends StoreFlags {
  readonly limit?: number;
}

/** Adds `postern who-may`. */
export function registerWhoMay(program: Command, context: CommandContext): void {
  const command = program
    .command('who-may')
    .description('List the consumers that may call an endpoint: by which grant, with which limits, until when.')
    .argument('<endpoint>', 'its id', parseId)
    .option('--limit <number>', 'list this many at most, and count the rest', parseCount);
  addReadAction(command, context, {
    notes: `A consumer may call when it is enabled, has a credential of the endpoint's method that works, and has a grant where
the endpoint needs one. UNTIL is when that grant ends, or the last of its credentials. Why another may not:
"postern may CONSUMER ENDPOINT".`,
    examples: ['postern who-may orders', 'postern who-may orders -o json'],
    exits: { notFound: 'no such endpoint' },
    show: async ({ resources }, { limit, output }: WhoMayFlags, id: string) => {
      const { terminal, clock } = context;
      const { resource: endpoint } = await requireResource(resources, 'endpoint', id);
      const now = clock.nowSeconds();
      let lacking = 0;
      const isAllowed = ({ access: { obstacles } }: ConsumerAccess): boolean => {
        if (obstacles.some(({ code }) => code === 'no-credential')) lacking += 1;
        return obstacles.length === 0;
      };
      let more = 0;
      const allowed = firstOf(selectFrom(listAccess(resources, endpoint, now), isAllowed), limit, () => (more += 1));
      for (const note of notesOf(endpoint)) terminal.err.write(`note: ${note}\n`);
      const hasPlans = (await listPlans(resources)).length > 0;
      await printList(allowed, viewOf(endpoint, hasPlans, now), output, terminal);
      if (more > 0) {
        const all = grouped(more + (limit ?? 0));
        terminal.err.write(`note: ${count(more, 'more consumer', grouped(more))} may call it, ${all} in all\n`);
      }
      if (endpoint.enabled && lacking > 0 && output === 'table') {
        const word = `no credential for ${endpoint.authentication ?? ''} that works`;
        terminal.err.write(`note: left out, with ${word}: ${count(lacking, 'consumer')} who would be let in\n`);
      }
    },
  });
}

/** The first so many; the others are only counted. */
async function* firstOf<T>(items: AsyncIterable<T>, most: number | undefined, more: () => void): AsyncGenerator<T> {
  let taken = 0;
  for await (const item of items) {
    if (taken === most) {
      more();
      continue;
    }
    taken += 1;
    yield item;
  }
}

/** Why the list is not what it may seem. */
function notesOf(endpoint: Endpoint): readonly string[] {
  const { id } = endpoint;
  if (!endpoint.enabled) return [`${id} is disabled: it refuses every request`];
  if (endpoint.scenario === 'open') return [`${id} is open: it lets in every caller, without credentials`];
  if (endpoint.accessCondition === 'authenticated-and-authorized') return [];
  return [`${id} lets in every authenticated consumer, with or without a grant`];
}

function viewOf(endpoint: Endpoint, hasPlans: boolean, now: number): ListView<ConsumerAccess> {
  return {
    columns: [
      { heading: 'CONSUMER', cell: ({ consumer }) => consumer.id },
      { heading: 'BY', cell: ({ access }) => byOf(access.grant), canShrink: true },
      { heading: 'LIMITS', cell: ({ access }) => formatLimits(access.limits), canShrink: true },
      ...(hasPlans ? [{ heading: 'PLAN', cell: ({ access }: ConsumerAccess) => access.plan?.id ?? '-' }] : []),
      {
        heading: 'UNTIL',
        cell: ({ access: { endsAt } }) => (endsAt === null ? '-' : formatDistance(endsAt, now)),
      },
    ],
    declare: ({ consumer, access }) => ({ consumer: consumer.id, ...declareAccess(endpoint, access) }),
    none: endpoint.scenario === 'open' ? 'No consumer is needed.' : 'No consumer may call it.',
  };
}

function byOf(grant: ConsumerAccess['access']['grant']): string {
  if (grant === null) return 'authenticated';
  return 'consumerId' in grant ? 'own grant' : formatHolder(grant);
}

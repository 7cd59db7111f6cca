import type { Command } from 'commander';
import { renderValue } from '../../manage/render-change.ts';
import type { Stored } from '../../manage/resource.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Grant } from '../../model/grant.ts';
import type { CommandContext } from '../command-context.ts';
import { parseId } from '../flags/parse-id.ts';
import { formatPathRule } from '../flags/parse-path-rule.ts';
import { addStoreOptions, type StoreFlags } from '../flags/store-options.ts';
import { formatData } from '../output-format.ts';
import { declareWholeEndpoint } from '../../document/declare/declare-whole.ts';
import { formatLimit } from '../render/describe-limits.ts';
import { count } from '../render/format-time.ts';
import { paintFor } from '../render/paint-for.ts';
import { declareVersion, type Field, renderFields, versionFields } from '../render/render-resource.ts';
import { requireResource } from '../store/require-resource.ts';
import { selectFrom } from '../store/select-from.ts';
import { useStore } from '../store/use-store.ts';
import { exitCodes } from '../terminal.ts';

/** Grants that are read for a look at their endpoint: there can be one for every consumer. */
const MAX_GRANTS = 10;

/** Adds `postern endpoint show`. */
export function registerEndpointShow(noun: Command, context: CommandContext): void {
  const command = noun
    .command('show')
    .description('Show an endpoint with all its options and who is authorised on it.')
    .argument('<id>', 'its id', parseId);
  addStoreOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  $ postern endpoint show orders
  $ postern endpoint show orders -o yaml

Exit codes: 0 done, 1 failed, 2 usage, 3 no such endpoint, 5 the store is unreachable.`,
    )
    .action(async (id: string, flags: StoreFlags) => {
      const use = { command: 'endpoint show', store: flags.store, timeout: flags.timeout, needsSecrets: false };
      const code = await useStore(context, use, async ({ resources }) => {
        const { terminal, clock } = context;
        const stored = await requireResource(resources, 'endpoint', id);
        if (flags.output !== 'table') {
          terminal.out.write(
            formatData({ ...declareWholeEndpoint(stored.resource), ...declareVersion(stored) }, flags.output),
          );
          return exitCodes.done;
        }
        const grants: Grant[] = [];
        const some = selectFrom(resources.list('grant', { endpointId: id }), () => true, MAX_GRANTS + 1);
        for await (const { resource } of some) grants.push(resource);
        const paint = paintFor(terminal.out, terminal.environment);
        const fields = [...fieldsOf(stored.resource, grants), ...versionFields(stored, clock.nowSeconds())];
        terminal.out.write(renderFields(headingOf(stored), fields, paint));
        return exitCodes.done;
      });
      context.finish(code);
    });
}

function headingOf({ resource: { id, enabled } }: Stored<Endpoint>): string {
  return `endpoint ${id}${enabled ? '' : ' (disabled)'}`;
}

function fieldsOf(endpoint: Endpoint, grants: readonly Grant[]): readonly Field[] {
  const { description, scenario, match, limits, options } = endpoint;
  const { hosts, paths, methods } = match;
  return [
    ['description', description === '' ? null : description],
    ['scenario', scenario],
    ['hosts', hosts.length === 0 ? 'any' : hosts],
    ['paths', paths.map((rule) => ('prefix' in rule ? `${rule.prefix} and below` : formatPathRule(rule)))],
    ['methods', methods.length === 0 ? 'any' : methods.join(', ')],
    ['authentication', endpoint.authentication],
    ['access condition', endpoint.scenario === 'open' ? null : endpoint.accessCondition],
    ['authorised', grantsOf(endpoint, grants)],
    ['limits', limits.length === 0 ? 'none' : limits.map(formatLimit)],
    ['options', Object.entries(options).map(([name, value]) => `${name}: ${renderValue(value)}`)],
  ];
}

function grantsOf(endpoint: Endpoint, grants: readonly Grant[]): string {
  if (grants.length > MAX_GRANTS) {
    return `more than ${String(MAX_GRANTS)} consumers: postern grant list --endpoint ${endpoint.id}`;
  }
  if (grants.length === 0) return 'no consumer';
  return `${count(grants.length, 'consumer')}: ${grants.map(({ consumerId }) => consumerId).join(', ')}`;
}

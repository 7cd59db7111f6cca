import { type Command, Option } from 'commander';
import type { Declared } from '../../document/declare/declared.ts';
import type { EndpointField, EndpointWish } from '../../manage/endpoints/endpoint-wish.ts';
import { accessConditions, authenticationMethods, type PathRule, scenarios } from '../../model/endpoint.ts';
import { collect } from '../flags/collect.ts';
import { collectLimit } from '../flags/parse-limit.ts';
import { collectOption } from '../flags/parse-option.ts';
import { collectPathRule } from '../flags/parse-path-rule.ts';

/** The flags that describe an endpoint; they mirror the declarative file (interfaces §4). */
export interface EndpointFlags {
  readonly scenario?: string;
  readonly description?: string;
  readonly host?: readonly string[];
  readonly path?: readonly PathRule[];
  readonly method?: readonly string[];
  readonly authentication?: string;
  readonly accessCondition?: string;
  readonly limit?: readonly Declared[];
  readonly option?: Declared;
  /** Of `edit` only. */
  readonly unset?: readonly EndpointField[];
}

/** Adds the flags that `create` and `edit` share. */
export function addEndpointFlags(command: Command): Command {
  return command
    .addOption(new Option('--scenario <scenario>', 'whether callers are authenticated').choices(scenarios))
    .option('--description <text>', 'what it is, for people')
    .option('--host <host>', 'api.example.com or *.example.com; any host without it; repeatable', collect)
    .option('--path <path>', '/orders: everything below; exact:/orders: this path only; repeatable', collectPathRule)
    .option('--method <method>', 'GET, POST, …; any method without it; repeatable', collect)
    .addOption(new Option('--authentication <method>', 'how callers prove who they are').choices(authenticationMethods))
    .addOption(new Option('--access-condition <condition>', 'who of them is let in').choices(accessConditions))
    .option(
      '--limit <limit>',
      'traffic control, such as 100/minute/consumer or 5000/hour/endpoint; repeatable',
      collectLimit,
    )
    .option('--option <name=value>', 'an option, such as clockSkewSeconds=60; repeatable', collectOption);
}

/** What the flags wish. */
export function wishOf(flags: EndpointFlags): EndpointWish {
  const { host, path, method, limit, option } = flags;
  const { scenario, description, authentication, accessCondition, unset } = flags;
  const lists = { hosts: host, paths: path, methods: method, limits: limit, options: option };
  const wished = { scenario, description, authentication, accessCondition, unset, ...lists };
  return Object.fromEntries(Object.entries(wished).filter(([, value]) => value !== undefined));
}

const flagOfField: Readonly<Record<string, string>> = {
  id: 'ID',
  scenario: '--scenario',
  description: '--description',
  'match.hosts': '--host',
  'match.paths': '--path',
  'match.methods': '--method',
  authentication: '--authentication',
  accessCondition: '--access-condition',
  trafficControl: '--limit',
  enabled: '--disabled',
};

/** The flag that sets what a path of a declared endpoint leads to. */
export function endpointFlagOf(path: string): string | null {
  const option = /^options\.(\w+)/.exec(path)?.[1];
  if (option !== undefined) return `--option ${option}`;
  const field = Object.keys(flagOfField).find(
    (known) => path === known || (/^[.[]/.test(path.slice(known.length)) && path.startsWith(known)),
  );
  return field === undefined ? null : (flagOfField[field] ?? null);
}

import type { Command } from 'commander';
import type { ConsumerField, ConsumerWish } from '../../manage/consumers/plan-consumer.ts';
import { collectLabel } from '../flags/parse-option.ts';

/** The flags that describe a consumer; they mirror the declarative file (interfaces §4). */
export interface ConsumerFlags {
  readonly name?: string;
  readonly description?: string;
  readonly label?: Readonly<Record<string, string>>;
  /** Of `edit` only. */
  readonly unset?: readonly ConsumerField[];
}

/** Adds the flags that `create` and `edit` share. */
export function addConsumerFlags(command: Command): Command {
  return command
    .option('--name <name>', 'what back ends see as X-Consumer-Username; the id without it')
    .option('--description <text>', 'who it is, for people')
    .option('--label <name=value>', 'a label, such as tier=gold; repeatable', collectLabel);
}

/** What the flags wish. */
export function wishOf({ name, description, label, unset }: ConsumerFlags): ConsumerWish {
  const wished = { name, description, labels: label, unset };
  return Object.fromEntries(Object.entries(wished).filter(([, value]) => value !== undefined));
}

/** The flag that sets what a path of a declared consumer leads to. */
export function consumerFlagOf(path: string): string | null {
  const [field = ''] = path.split(/[.[]/);
  const flags: Readonly<Record<string, string>> = {
    id: 'ID',
    name: '--name',
    description: '--description',
    labels: '--label',
    enabled: '--disabled',
  };
  return flags[field] ?? null;
}

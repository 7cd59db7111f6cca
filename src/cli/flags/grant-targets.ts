import { type Command, Option } from 'commander';
import type { GrantTarget } from '../../model/grant.ts';
import type { LabelSelector } from '../../model/labels.ts';
import { UsageError } from '../failure.ts';
import { collectId, collectLabel, parseId } from './values.ts';

/** An endpoint, and consumers on it: one by one, or by their labels. */
export interface TargetFlags {
  readonly endpoint: string;
  readonly consumer?: readonly string[];
  readonly label?: LabelSelector;
}

/** Adds `--endpoint`, `--consumer` and `--label`. */
export function addTargetOptions(command: Command): Command {
  return command
    .requiredOption('--endpoint <id>', 'the endpoint', parseId)
    .addOption(new Option('--consumer <id>', 'the consumer; repeatable').argParser(collectId).conflicts('label'))
    .addOption(groupOption('the consumers with this label; repeatable: those with all of them'));
}

/** `--label`, which names a group of consumers. */
export function groupOption(description: string): Option {
  return new Option('--label <name=value>', description).argParser(collectLabel).conflicts('consumer');
}

/** The grants that the flags name. Throws {@link UsageError} when they name none. */
export function targetsOf({ endpoint: endpointId, consumer = [], label }: TargetFlags): readonly GrantTarget[] {
  if (label !== undefined) return [{ endpointId, consumerSelector: label }];
  if (consumer.length === 0) throw new UsageError('--consumer or --label is missing: for whom is the grant?');
  return [...new Set(consumer)].map((consumerId) => ({ endpointId, consumerId }));
}

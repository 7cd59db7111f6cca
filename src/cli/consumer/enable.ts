import type { Command } from 'commander';
import { planConsumerEdit } from '../../manage/consumers/plan-consumer.ts';
import type { CommandContext } from '../command-context.ts';
import { registerEnable } from '../store/register-enable.ts';
import { consumerFlagOf } from './consumer-flags.ts';

/** Adds `postern consumer enable` and `disable`. */
export function registerConsumerEnable(noun: Command, context: CommandContext): void {
  registerEnable(noun, context, {
    kind: 'consumer',
    enable: 'Let a consumer call again, with the credentials that it has.',
    disable: 'Refuse all credentials and tokens of a consumer, until it is enabled.',
    example: 'acme',
    plan: (current, enabled) => planConsumerEdit(current, { enabled }),
    flagOf: consumerFlagOf,
  });
}

import type { Command } from 'commander';
import { planEndpointEdit } from '../../manage/endpoints/plan-endpoint.ts';
import type { CommandContext } from '../command-context.ts';
import { registerEnable } from '../store/register-enable.ts';
import { endpointFlagOf } from './endpoint-flags.ts';

/** Adds `postern endpoint enable` and `disable`. */
export function registerEndpointEnable(noun: Command, context: CommandContext): void {
  registerEnable(noun, context, {
    kind: 'endpoint',
    enable: 'Take the requests of an endpoint again.',
    disable: 'Refuse all requests of an endpoint with 404; they fall to no other one.',
    example: 'orders',
    // Beside no others: that it is enabled or not changes no match, so it cannot collide.
    plan: (current, enabled) => planEndpointEdit(current, { enabled }, []),
    flagOf: endpointFlagOf,
  });
}

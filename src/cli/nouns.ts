import type { Command } from 'commander';
import type { CommandContext, RegisterVerbs } from './command-context.ts';

/** What operators manage: a noun, with the verbs that are loaded when it is named. */
interface Noun {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly load: () => Promise<RegisterVerbs>;
}

const nouns: readonly Noun[] = [
  {
    name: 'endpoint',
    description: 'Protected APIs: which requests, how callers are authenticated, who is let in.',
    example: 'endpoint create orders --path /orders --authentication hmac',
    load: async () => (await import('./endpoint/endpoint.ts')).registerEndpointVerbs,
  },
  {
    name: 'consumer',
    description: 'Partners who call.',
    example: 'consumer create acme --name "Acme Ltd"',
    load: async () => (await import('./consumer/consumer.ts')).registerConsumerVerbs,
  },
  {
    name: 'credential',
    description: 'App Keys and App Secrets of consumers.',
    example: 'credential issue --consumer acme --method hmac',
    load: async () => (await import('./credential/credential.ts')).registerCredentialVerbs,
  },
  {
    name: 'grant',
    description: 'Which consumers are authorised on which endpoints.',
    example: 'grant add --endpoint orders --consumer acme',
    load: async () => (await import('./grant/grant.ts')).registerGrantVerbs,
  },
  {
    name: 'limit',
    description: 'Traffic control of endpoints and of single consumers on them.',
    example: 'limit set 100/minute/consumer --endpoint orders',
    load: async () => (await import('./limit/limit.ts')).registerLimitVerbs,
  },
  {
    name: 'audit',
    description: 'What was changed, by whom and when.',
    example: 'audit list --since 7d',
    load: async () => (await import('./audit/audit.ts')).registerAuditVerbs,
  },
];

/** Adds every noun to the program, and to those in `named` their verbs. */
export async function registerNouns(
  program: Command,
  named: (noun: string) => boolean,
  context: CommandContext,
): Promise<void> {
  for (const { name, description, example, load } of nouns) {
    const command = program
      .command(name)
      .helpGroup('Resources:')
      .description(description)
      .addHelpText('after', `\nExample:\n  $ postern ${example}`);
    if (named(name)) (await load())(command, context);
  }
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import { findNearestName } from '../../model/document/nearest-name.ts';
import { oauth2ErrorCodes } from '../../gateway/oauth2/messages.ts';
import { refusalAnswers } from '../../check/refusal.ts';
import { addAction, addHelp, type CommandContext, readExits } from '../command.ts';
import { addStoreOptions, type OutputFormat } from '../flags/options.ts';
import type { Moment } from '../../model/document/moments.ts';
import { parseMoment } from '../flags/times.ts';
import { parseCount, parseId, parseRequestId } from '../flags/values.ts';
import type { RefusalPlaceFlags } from './open-refusals.ts';
import { DEFAULT_LIMIT, FOLLOWED_LIMIT } from './usual-limits.ts';

/** The flags of `postern refusals`. */
export interface RefusalFlags extends RefusalPlaceFlags {
  readonly consumer?: string;
  readonly since?: Moment;
  readonly code?: string;
  readonly endpoint?: string;
  readonly credential?: string;
  readonly requestId?: string;
  readonly unmatched?: true;
  readonly follow?: true;
  readonly limit?: number;
  readonly output: OutputFormat;
}

/** `--admin`, for commands that look up refusals. */
export function adminOption(): Option {
  return new Option(
    '--admin <url>',
    'ask the admin listener of the replica on this machine; for a declarative file, POSTERN_ADMIN_ADDRESS without it',
  );
}

/** Adds `postern refusals`. */
export function registerRefusals(program: Command, context: CommandContext): void {
  const command = program
    .command('refusals')
    .description('Show what was refused to partners in the last seven days, and why.')
    .option('--consumer <id>', 'to this consumer', parseId)
    .option('--since <time>', 'from then on: 1h, 30m, or 2026-11-01T00:00:00Z', parseMoment)
    .option('--code <code>', 'with this code, such as AUTHENTICATION_FAILED', parseCode)
    .option('--endpoint <id>', 'at this endpoint', parseId)
    .option('--credential <id>', 'with this credential', parseId)
    .option('--request-id <id>', 'the one with this request id, or its first characters', parseRequestId)
    .addOption(
      new Option(
        '--unmatched',
        'requests that no endpoint took, such as those with a wrong method, instead of those of known callers',
      ).conflicts(['consumer', 'endpoint', 'credential']),
    )
    .option('--follow', 'go on with new ones until Ctrl-C')
    .option(
      '--limit <number>',
      `show this many at most, newest first; ${String(DEFAULT_LIMIT)}, or ${String(FOLLOWED_LIMIT)} with --follow`,
      parseCount,
    );
  addStoreOptions(command).addOption(adminOption().conflicts('store'));
  addHelp(command, {
    notes: `Only requests whose App Key or client is known are here, and with --unmatched those that no endpoint took. The
table joins those of the same credential, endpoint and reason; JSON and YAML have each. With MongoDB it shows all replicas; with a declarative file, what one replica on this
machine remembers. Of a partner who is refused very often, not every refusal is kept; the output says how many are missing.`,
    examples: [
      'postern refusals --consumer acme',
      'postern refusals --consumer acme --since 1h --code AUTHENTICATION_FAILED',
      'postern refusals --consumer acme --follow',
      'postern refusals --request-id baac2dab',
      'postern refusals --unmatched',
    ],
    exits: { ...readExits, notFound: 'no refusal has this request id, or there is no such consumer' },
  });
  addAction(command, context, async (flags: RefusalFlags) => {
    const { showRefusals } = await import('./show-refusals.ts');
    return await showRefusals(flags, context);
  });
}

const codes: readonly string[] = [...Object.keys(refusalAnswers), ...oauth2ErrorCodes];

function parseCode(text: string): string {
  const found = codes.find((code) => code.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const nearest = findNearestName(text.toUpperCase(), codes);
  throw new InvalidArgumentError(
    nearest === null
      ? 'There is no such code; docs/behaviour.md lists them.'
      : `There is no such code. Did you mean ${nearest}?`,
  );
}

import type { Command } from 'commander';
import { declareTime } from '../../resources/declared.ts';
import { addAction, addHelp, type CommandContext } from '../command.ts';
import { type OutputFormat, outputOption } from '../flags/options.ts';
import { formatData } from '../render/data.ts';
import { formatTimeFrom, printFields } from '../render/text.ts';
import { exitCodes } from '../terminal.ts';
import { findApi } from './api-address.ts';
import { findMe } from './api-sessions.ts';
import { SignInRefused } from './sign-in-refused.ts';
import { storedToken } from './stored-session.ts';

interface WhoamiFlags {
  readonly store?: string;
  readonly output: OutputFormat;
}

/** Adds `postern whoami`. */
export function registerWhoami(program: Command, context: CommandContext): void {
  const command = program
    .command('whoami')
    .description('Show who you are at a management API, with role and labels, and until when.')
    .option('--store <url>', 'the management API, instead of POSTERN_STORE')
    .addOption(outputOption());
  addHelp(command, {
    examples: ['postern whoami', 'postern whoami -o json'],
    exits: { failed: 'not signed in', unreachable: 'the API or the provider is unreachable' },
  });
  addAction(command, context, async ({ store, output }: WhoamiFlags) => {
    const { terminal, clock } = context;
    const api = await findApi(store, terminal.environment);
    const token = await storedToken({ store: new URL(api.origin), environment: terminal.environment, clock });
    if (token === undefined) {
      throw new SignInRefused(`nobody is signed in at ${api.origin}; run "postern login --store ${api.origin}"`);
    }
    const { expiresAt, ...me } = await findMe(api, token);
    if (output !== 'table') {
      const shown = { store: api.origin, ...me, expiresAt: declareTime(expiresAt) };
      terminal.out.write(formatData(shown, output));
      return exitCodes.done;
    }
    const labels = Object.entries(me.labels).map(([name, value]) => `${name}=${String(value)}`);
    printFields(
      me.id,
      [
        ['at', api.origin],
        ['name', me.name === me.id ? null : me.name],
        ['role', me.role],
        ['labels', labels.length === 0 ? 'none: reaches everything' : labels],
        ['hosts', me.hosts.length === 0 ? null : me.hosts.map(String)],
        ['paths', me.pathPrefixes.length === 0 ? null : me.pathPrefixes.map(String)],
        ['by', me.by === 'session' ? 'a session' : 'an own token'],
        ['until', formatTimeFrom(expiresAt, clock.nowSeconds())],
      ],
      terminal,
    );
    return exitCodes.done;
  });
}

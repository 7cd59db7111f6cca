import type { Command } from 'commander';
import { addAction, addHelp, type CommandContext } from '../command.ts';
import { writeSafely } from '../failure.ts';
import { exitCodes } from '../terminal.ts';
import { findApi } from './api-address.ts';
import { giveBack } from './give-back.ts';
import { isOwnToken } from './own-token.ts';
import { readSessions, sessionFileOf } from './session-file.ts';
import { keepSession } from './stored-session.ts';

/** Adds `postern logout`. */
export function registerLogout(program: Command, context: CommandContext): void {
  const command = program
    .command('logout')
    .description('Sign out of a management API.')
    .option('--store <url>', 'the management API, instead of POSTERN_STORE');
  addHelp(command, {
    notes:
      'It ends the session, and revokes at the provider what it is renewed with. An own token works until it is revoked.',
    examples: ['postern logout'],
    exits: { failed: 'failed', unreachable: 'forgotten here, but not ended at the API or the provider' },
  });
  addAction(command, context, async ({ store }: { readonly store?: string }) => {
    const { environment, out, err } = context.terminal;
    const api = await findApi(store, environment);
    const path = sessionFileOf(environment);
    const kept = (await readSessions(path)).get(api.origin);
    if (kept === undefined) {
      out.write(`Nobody is signed in at ${api.origin}.\n`);
      return exitCodes.done;
    }
    await keepSession(path, api.origin, null);
    const faults = await giveBack(api, kept);
    writeSafely(out, `Signed out of ${api.origin}.\n`);
    if (isOwnToken(kept.token)) {
      const advice = `postern operator token revoke ${kept.operator}`;
      writeSafely(out, `The token itself works until it ends; to end it now: ${advice} ID\n`);
    }
    for (const fault of faults) writeSafely(err, `postern logout: not ended: ${fault}\n`);
    return faults.length === 0 ? exitCodes.done : exitCodes.unreachable;
  });
}

import type { Command } from 'commander';
import { addAction, addHelp, type CommandContext } from '../command.ts';
import { UsageError, writeSafely } from '../failure.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import { formatTimeFrom } from '../render/text.ts';
import { exitCodes, type Terminal } from '../terminal.ts';
import type { Api } from '../management-api/exchange.ts';
import { findApi } from './api-address.ts';
import { beginSession, findMe, findProvider, type Provider } from './api-sessions.ts';
import { giveBack } from './give-back.ts';
import type { DeviceCode } from './openid.ts';
import { type KeptSession, readSessions, sessionFileOf } from './session-file.ts';
import { keepSession } from './stored-session.ts';

interface LoginFlags {
  readonly store?: string;
  readonly tokenFrom?: string;
}

/** Adds `postern login`. */
export function registerLogin(program: Command, context: CommandContext): void {
  const command = program
    .command('login')
    .description('Sign in to a management API, so that commands work there in your name.')
    .option('--store <url>', 'the management API, instead of POSTERN_STORE')
    .option('--token-from <source>', 'with an own token: env:NAME, file:PATH, or - for standard input');
  addHelp(command, {
    notes: `Where the API has an OpenID Connect provider for commands, you open a page and enter a code; else you are asked for a
token of "postern operator token issue". What you get is kept in ~/.config/postern/sessions.json, for you only.`,
    examples: ['postern login --store https://postern.example.com:9004', 'postern login --token-from - < token'],
    exits: { failed: 'not signed in', unreachable: 'the API or the provider is unreachable' },
  });
  addAction(command, context, async ({ store, tokenFrom }: LoginFlags) => {
    const { terminal, clock } = context;
    const { environment, out, err } = terminal;
    const api = await findApi(store, environment);
    const path = sessionFileOf(environment);
    const former = (await readSessions(path)).get(api.origin);
    const given = tokenFrom === undefined ? null : readSecretArgument(tokenFrom, environment, '--token-from');
    const provider = given === null ? await findProvider(api) : null;
    const proof =
      provider === null ? { token: given ?? (await askToken(api, terminal)) } : await signIn(api, provider, context);
    const { id, role, expiresAt } = await findMe(api, proof.token);
    await keepSession(path, api.origin, { operator: id, expiresAt, ...proof });
    if (former !== undefined && former.token !== proof.token) {
      for (const fault of await giveBack(api, former)) writeSafely(err, `the former sign-in: ${fault}\n`);
    }
    const end = formatTimeFrom(expiresAt, clock.nowSeconds());
    const until = 'renewal' in proof ? 'It is renewed without you while the provider allows it.' : `It ends ${end}.`;
    writeSafely(out, `Signed in at ${api.origin} as ${id} (${role}). ${until}\n`);
    return exitCodes.done;
  });
}

async function askToken(api: Api, { ask }: Terminal): Promise<string> {
  if (ask === undefined || ask === null) {
    throw new UsageError(`${api.origin} takes own tokens only, and there is no terminal to ask at: give --token-from`);
  }
  return (await ask(`Token for ${api.origin}: `, true)).trim();
}

async function signIn(
  api: Api,
  provider: Provider,
  { terminal, clock }: CommandContext,
): Promise<Pick<KeptSession, 'token' | 'renewal'>> {
  const { signInByDevice } = await import('./openid.ts');
  const tell = ({ uri, code, uriWithCode, seconds }: DeviceCode): void => {
    const lines = [
      `Open ${uri} and enter the code ${code}`,
      ...(uriWithCode === null ? [] : [`or open ${uriWithCode} and compare the code.`]),
      `The code ends ${formatTimeFrom(clock.nowSeconds() + seconds, clock.nowSeconds())}.`,
    ];
    writeSafely(terminal.err, `${lines.join('\n')}\n`);
  };
  const { issuer, clientId, scopes, asksUserInfo } = provider;
  const granted = await signInByDevice({ issuer, clientId }, scopes, tell);
  const { token } = await beginSession(api, granted, provider);
  const { refreshToken } = granted;
  return refreshToken === null ? { token } : { token, renewal: { issuer, clientId, refreshToken, asksUserInfo } };
}

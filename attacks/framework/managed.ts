import { runPostern } from '../../test/support/cli/run-postern.ts';
import { startManagementProcess } from '../../test/support/management/management-process.ts';
import type { PosternSettings } from '../../test/support/stack/postern-process.ts';

/** Operators who attack, and one who does not. Those with a team reach its consumers and endpoints only. */
export const attackers = {
  viewer: '--role viewer',
  support: '--role support',
  operator: '--role operator --label team=orders',
  admin: '--role admin --label team=orders',
} as const;

export type AttackerRole = keyof typeof attackers;

/** Where the management API is, and what operators sign in with. */
export interface ManagedTarget {
  readonly port: number;
  readonly tokens: Readonly<Record<AttackerRole, string>>;
  /** Of an admin who reaches everything, to see what became of it. */
  readonly rootToken: string;
}

/** A running `postern manage`. */
export interface Managed extends AsyncDisposable {
  readonly target: ManagedTarget;
  readonly pid: number;
}

/** What two teams have: the operators who attack have `team=orders`. */
const setUp = [
  'consumer create acme --label team=orders',
  'consumer create globex --label team=payments',
  'endpoint create orders --path /orders --authentication hmac --label team=orders',
  'endpoint create payments --path /payments --authentication hmac --label team=payments',
  'credential issue --consumer acme --method hmac --id acme-hmac',
  'credential issue --consumer globex --method hmac --id globex-hmac',
  'grant add --endpoint payments --consumer globex',
];

/** Starts the built `manage` on the database of `settings`, behind a proxy on this machine, as attackers reach it. */
export async function startManaged(settings: PosternSettings, folder: string): Promise<Managed> {
  const environment = { ...settings, POSTERN_ACTOR: 'attacks' };
  const run = async (command: string): Promise<string> => {
    const { code, out, err } = await runPostern(command.split(' '), environment, folder);
    if (code !== 0) throw new Error(`postern ${command}: ${err}`);
    return out;
  };
  const tokenOf = async (id: string, flags: string): Promise<string> => {
    const made = JSON.parse(await run(`operator add ${id} ${flags} -o json`)) as { token: { token: string } };
    return made.token.token;
  };
  const rootToken = await tokenOf('root', '--role admin');
  const tokens: [string, string][] = [];
  for (const [id, flags] of Object.entries(attackers)) tokens.push([id, await tokenOf(id, flags)]);
  for (const command of setUp) await run(command);
  const manage = await startManagementProcess({ ...settings, POSTERN_MANAGE_TRUSTED_PROXIES: '127.0.0.0/8' });
  return {
    target: { port: manage.port, tokens: Object.fromEntries(tokens) as ManagedTarget['tokens'], rootToken },
    pid: manage.pid,
    [Symbol.asyncDispose]: async () => {
      await manage[Symbol.asyncDispose]();
    },
  };
}

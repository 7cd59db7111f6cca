import { systemClock } from '../base/clock.ts';
import { Command, CommanderError } from 'commander';
import { readVersion } from '../base/version.ts';
import { attachTo, type CommandPorts, refuseRepeated, type RegisterCommand } from './command.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';
import { writeSafely } from './failure.ts';

/** The real ports of commands. The store's part is loaded when a command opens it. */
export function systemPorts(): CommandPorts {
  return {
    clock: systemClock,
    openStore: async (wish) => await (await import('./store/open-store.ts')).openStore(wish, systemClock),
  };
}

/** Every command, in the order of the help. */
const commands: Readonly<Record<string, () => Promise<RegisterCommand>>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  manage: async () => (await import('./manage.ts')).registerManage,
  validate: async () => (await import('./validate.ts')).registerValidate,
  apply: async () => (await import('./apply/apply.ts')).registerApply,
  diff: async () => (await import('./apply/diff.ts')).registerDiff,
  export: async () => (await import('./export.ts')).registerExport,
  import: async () => (await import('./import.ts')).registerImport,
  config: async () => (await import('./config.ts')).registerConfig,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  envoy: async () => (await import('./envoy.ts')).registerEnvoy,
  replicas: async () => (await import('./replicas.ts')).registerReplicas,
  wait: async () => (await import('./wait.ts')).registerWait,
  login: async () => (await import('./login/login.ts')).registerLogin,
  logout: async () => (await import('./login/logout.ts')).registerLogout,
  whoami: async () => (await import('./login/whoami.ts')).registerWhoami,
  demo: async () => (await import('./demo.ts')).registerDemo,
  sign: async () => (await import('./sign.ts')).registerSign,
  handover: async () => (await import('./handover/handover.ts')).registerHandover,
  may: async () => (await import('./access/may.ts')).registerMay,
  'who-may': async () => (await import('./access/who-may.ts')).registerWhoMay,
  explain: async () => (await import('./explain.ts')).registerExplain,
  refusals: async () => (await import('./refusals/refusals.ts')).registerRefusals,
  keyring: async () => (await import('./keyring/keyring.ts')).registerKeyring,
  'complete-ids': async () => (await import('./complete-ids.ts')).registerCompleteIds,
  completion: async () => (await import('./completion.ts')).registerCompletion,
  endpoint: async () => (await import('./endpoint/endpoint.ts')).registerEndpoint,
  consumer: async () => (await import('./consumer.ts')).registerConsumer,
  credential: async () => (await import('./credential/credential.ts')).registerCredential,
  grant: async () => (await import('./grant.ts')).registerGrant,
  limit: async () => (await import('./limit.ts')).registerLimit,
  plan: async () => (await import('./plan.ts')).registerPlan,
  issuer: async () => (await import('./issuer.ts')).registerIssuer,
  usage: async () => (await import('./usage/usage.ts')).registerUsage,
  operator: async () => (await import('./operator.ts')).registerOperator,
  audit: async () => (await import('./audit/audit.ts')).registerAudit,
};

/**
 * The program with the commands that arguments need: the one that is named, or all for the help. The others are names,
 * so that a mistyped one finds its neighbour.
 */
export async function loadProgram(
  args: readonly string[],
  terminal: Terminal,
  finish: (code: ExitCode) => void,
  ports: CommandPorts = systemPorts(),
): Promise<Command> {
  const program = attachTo(terminal, new Command('postern'))
    .description('Authentication gateway for partner APIs behind Envoy.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText(
      'after',
      `
Examples:
  $ postern validate -f postern.yaml     check a declarative file
  $ postern serve                        serve the store of POSTERN_STORE
  $ postern config                       show every setting
  $ postern endpoint list                list what is protected
  $ postern credential issue --help      how to give a partner an App Key

Exit codes: 0 done, 1 failed or differences found, 2 usage, 3 not found,
4 conflict, 5 a dependency is unreachable, 6 outcome unknown: the change
may be in force.`,
    );
  const named = args[0] === 'help' ? args[1] : args[0];
  const isVersion = named === '-V' || named === '--version';
  // The help lists all commands, and completion looks at all; otherwise names are enough, for one that was mistyped.
  const needsAll = named === 'completion' || !(isVersion || Object.hasOwn(commands, named ?? ''));
  for (const [name, load] of Object.entries(commands)) {
    if (needsAll || name === named) (await load())(program, { ...ports, terminal, finish });
    else program.command(name);
  }
  refuseRepeated(program);
  return program;
}

/** Runs `postern` with its arguments and gives the exit code. Only the command that is named is loaded. */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  ports: CommandPorts = systemPorts(),
): Promise<ExitCode> {
  const exposed = findExposedPassword(args);
  if (exposed !== null) {
    terminal.err.write(`postern: ${exposed}\n`);
    return exitCodes.usage;
  }
  let exitCode: ExitCode = exitCodes.done;
  const finish = (code: ExitCode): void => {
    exitCode = code;
  };
  const program = await loadProgram(args, terminal, finish, ports);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      const advice = error.code === 'commander.excessArguments' ? adviseOnExcess(args) : null;
      if (advice !== null) writeSafely(terminal.err, `${advice}\n`);
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    writeSafely(terminal.err, `postern: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return exitCodes.failed;
  }
}

/**
 * What to do about operands that a command does not take, where they stand behind the value of a flag: most probably
 * they are meant as further values of it. Null for others.
 */
function adviseOnExcess(args: readonly string[]): string | null {
  const at = args.findIndex(
    (word, index) => index > 1 && !word.startsWith('-') && isFlag(args[index - 2]) && !isFlag(args[index - 1]),
  );
  const flag = args[at - 2];
  if (at === -1 || flag === undefined) return null;
  const end = args.findIndex((word, index) => index > at && word.startsWith('-'));
  const values = args.slice(at - 1, end === -1 ? undefined : end);
  return `Write a flag again for each of its values: ${values.map((value) => `${flag} ${value}`).join(' ')}`;
}

function isFlag(word: string | undefined): boolean {
  return word !== undefined && /^--[a-z][a-z-]*$/.test(word);
}

const ADDRESS = /^(?:--?[\w-]+=)?mongodb(?:\+srv)?:\/\/(.*)$/is;
/** Hosts with their ports, and nothing before them. */
const HOSTS_ONLY = /^(?:\[[^\]@]*\]|[^,:@[\]]+)(?::\d+)?(?:,(?:\[[^\]@]*\]|[^,:@[\]]+)(?::\d+)?)*$/;
/** Options of an address that hold a secret (MongoDB connection string options). */
const SECRET_OPTION = /[?&](?:tlsCertificateKeyFilePassword|proxyPassword)=[^&]|AWS_SESSION_TOKEN/i;

/**
 * Why arguments cannot be taken: one of them is an address of MongoDB with a password, which every user of the machine
 * reads in `ps`, and the history of the shell keeps. Null when there is none. The text repeats nothing of it.
 *
 * An address that is not well formed, as with a "/" or "?" in its password, counts as well: only one that surely has no
 * password passes.
 */
export function findExposedPassword(args: readonly string[]): string | null {
  return args.some(holdsPassword) ? ADVICE : null;
}

const ADVICE = `a MongoDB address with a password is not accepted on the command line, where "ps" and the shell's history show it.
Put it into the environment instead, from a file that only you can read, and leave --store out:
  POSTERN_STORE="$(cat store-address)" postern …
The password may have been seen where it was used until now: change it.`;

function holdsPassword(argument: string): boolean {
  const rest = ADDRESS.exec(argument)?.[1];
  if (rest === undefined) return false;
  if (SECRET_OPTION.test(rest)) return true;
  if (!rest.includes('@')) return false;
  const [authority = ''] = rest.split(/[/?]/, 1);
  if (HOSTS_ONLY.test(authority)) return (rest.split('?', 1)[0] ?? '').includes('@');
  // A name alone, as X.509 has it, is no secret.
  const name = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  return name === '' || name.includes(':');
}

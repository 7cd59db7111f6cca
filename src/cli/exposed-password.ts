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

const ADVICE = `an address of MongoDB with a password is not taken from the command line, where "ps" and the history of the shell show it.
Put it into the environment instead, from a file that only you can read, and leave --store out:
  POSTERN_STORE="$(cat store-address)" postern …
Where it stood until now the password may have been seen: change it.`;

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

import { readFile } from 'node:fs/promises';
import { createContext, runInContext } from 'node:vm';
import { type Db, type Document } from 'mongodb';

/** What a script of the MongoDB shell saw and asked. */
export interface ShellRun {
  readonly printed: readonly string[];
  /** How many passwords it asked for. */
  readonly prompts: number;
}

/**
 * Runs a script of the MongoDB shell without the shell: `db` has the few methods below, each sends the command that the
 * shell would. As in the shell, calls are waited for without a word; outside of functions of the script only.
 */
export async function runShellScript(path: URL, db: Db, passwords: Iterator<string>): Promise<ShellRun> {
  const printed: string[] = [];
  let prompts = 0;
  const first = async (command: Document, field: string): Promise<Document | null> => {
    const found = (await db.command(command))[field] as readonly Document[];
    return found[0] ?? null;
  };
  const shell = {
    getName: () => db.databaseName,
    getRole: (name: string) => first({ rolesInfo: name }, 'roles'),
    createRole: ({ role, ...rest }: Document) => db.command({ createRole: role as unknown, ...rest }),
    updateRole: (role: string, rest: Document) => db.command({ updateRole: role, ...rest }),
    getUser: (name: string) => first({ usersInfo: name }, 'users'),
    createUser: ({ user, ...rest }: Document) => db.command({ createUser: user as unknown, ...rest }),
    updateUser: (user: string, rest: Document) => db.command({ updateUser: user, ...rest }),
  };
  const context = createContext({
    db: shell,
    print: (text: string) => printed.push(text),
    passwordPrompt: () => {
      prompts += 1;
      return String(passwords.next().value);
    },
  });
  const script = (await readFile(path, 'utf8')).replaceAll(/\bdb\.(get|create|update)(Role|User)\(/g, 'await db.$1$2(');
  await (runInContext(`(async () => {${script}\n})()`, context) as Promise<void>);
  return { printed, prompts };
}

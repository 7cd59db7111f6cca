import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { projectRoot } from '../../support/docs/documents.ts';
import { runProgram } from '../../support/docs/documented-program.ts';

/** The folder of the collection. */
export const postmanFolder = join(projectRoot, 'clients/postman');
const newmanProgram = join(postmanFolder, 'node_modules/newman/bin/newman.js');

/** Installs newman in the folder of the collection, where its lock file is, unless it is there. */
export async function installNewman(): Promise<void> {
  if (!existsSync(newmanProgram))
    await runProgram('npm', ['ci', '--silent', '--ignore-scripts'], { cwd: postmanFolder });
}

/** What became of a run of a folder. */
export interface CollectionRun {
  /** The statuses of the answers, in the order of the requests. */
  readonly statuses: readonly number[];
  /** Why scripts before a request, or checks after it, failed. */
  readonly errors: readonly string[];
}

interface Summary {
  readonly run: {
    readonly executions: readonly {
      readonly cursor: { readonly ref: string };
      readonly response?: { readonly code: number };
    }[];
    readonly failures: readonly { readonly error: { readonly message: string } }[];
  };
}

/** The part of newman, which has no types, that its own command line calls. */
interface Newman {
  run(options: object, done: (error: Error | null, summary: Summary) => void): void;
}

/** Runs a folder of the collection with these variables, and all else as the collection has it. */
export async function runCollection(
  folder: string,
  variables: Readonly<Record<string, string>>,
  { iterations = 1 }: { readonly iterations?: number } = {},
): Promise<CollectionRun> {
  const newman = createRequire(join(postmanFolder, 'package.json'))('newman') as Newman;
  const options = {
    collection: join(postmanFolder, 'postern.postman_collection.json'),
    folder,
    envVar: Object.entries(variables).map(([key, value]) => ({ key, value })),
    iterationCount: iterations,
  };
  const { run } = await new Promise<Summary>((resolve, reject) => {
    newman.run(options, (error, summary) => {
      if (error === null) resolve(summary);
      else reject(error);
    });
  });
  // What a script sent, such as a question for a token, is listed with the request that the script belongs to.
  const last = new Map(run.executions.map(({ cursor, response }) => [cursor.ref, response?.code]));
  return {
    statuses: [...last.values()].flatMap((code) => code ?? []),
    errors: run.failures.map(({ error }) => error.message),
  };
}

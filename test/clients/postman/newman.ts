import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../support/docs/documents.ts';
import { runProgram } from '../../support/docs/documented-program.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

/** The folder of the collection. */
export const postmanFolder = join(projectRoot, 'clients/postman');
const newman = join(postmanFolder, 'node_modules/newman/bin/newman.js');

/** Installs newman in the folder of the collection, where its lock file is, unless it is there. */
export async function installNewman(): Promise<void> {
  if (!existsSync(newman)) await runProgram('npm', ['ci', '--silent', '--ignore-scripts'], { cwd: postmanFolder });
}

/** What became of a run of a folder. */
export interface CollectionRun {
  /** The statuses of the answers, in the order of the requests. */
  readonly statuses: readonly number[];
  /** Why scripts before a request, or checks after it, failed. */
  readonly errors: readonly string[];
}

interface Report {
  readonly run: {
    readonly executions: readonly {
      readonly cursor: { readonly ref: string };
      readonly response?: { readonly code: number };
    }[];
    readonly failures: readonly { readonly error: { readonly message: string } }[];
  };
}

/** Runs a folder of the collection with these variables, and all else as the collection has it. */
export async function runCollection(
  folder: string,
  variables: Readonly<Record<string, string>>,
  { iterations = 1 }: { readonly iterations?: number } = {},
): Promise<CollectionRun> {
  await using place = await temporaryDirectory();
  const report = join(place.path, 'report.json');
  const given = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const collection = join(postmanFolder, 'postern.postman_collection.json');
  await runProgram(process.execPath, [
    ...[newman, 'run', collection, '--folder', folder, ...given, '--iteration-count', String(iterations)],
    ...['--suppress-exit-code', '--reporters', 'json', '--reporter-json-export', report],
  ]);
  const { run } = JSON.parse(await readFile(report, 'utf8')) as Report;
  // What a script sent, such as a question for a token, is listed with the request that the script belongs to.
  const last = new Map(run.executions.map(({ cursor, response }) => [cursor.ref, response?.code]));
  return {
    statuses: [...last.values()].flatMap((code) => code ?? []),
    errors: run.failures.map(({ error }) => error.message),
  };
}

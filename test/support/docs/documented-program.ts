import { execFile } from 'node:child_process';
import { readDocument, readFences } from './documents.ts';

/** The page that has the programs of OAuth2 clients. */
export const OAUTH2_EXAMPLES = 'examples/oauth2/README.md';

const PUBLIC_URL = 'http://127.0.0.1:10000';

/** The programs in a language that a page on OAuth2 shows, with the public URL of a test in place of the demo's. */
export function documentedPrograms(language: string, url: string, page = 'docs/oauth2.md'): readonly string[] {
  return readFences(readDocument(page), language).map((text) => text.replaceAll(PUBLIC_URL, url));
}

/**
 * Runs a program to its end and gives its standard output; fails with everything it wrote when it does not exit with 0.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile(command, args, { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command} failed: ${error.message}\n${stdout}${stderr}`, { cause: error }));
    });
  });
}

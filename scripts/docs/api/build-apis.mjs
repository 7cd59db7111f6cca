// The API documentation of the clients, as part of the site.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installAdvice, installTools, thisMachine } from '../../clients/tools.mjs';
import { readVersion } from '../../clients/versions.mjs';
import { DocsFailure } from '../failure.mjs';
import { apis } from './packages.mjs';

/** Where the site has them. */
export const API_FOLDER = 'clients';

/**
 * Writes the documentation of every client of the project at `root` into a new `folder`, one below it for each, and
 * gives that with the `outcomes` `{ client, title, page, missing }`, where `missing` is null for what was written.
 *
 * @throws DocsFailure as {@link buildApi} does
 */
export async function buildApis(root) {
  installTools(root);
  const [version, machine] = [readVersion(root), thisMachine(root)];
  const folder = mkdtempSync(join(tmpdir(), 'postern-apis-'));
  const outcomes = [];
  try {
    for (const api of apis) {
      const missing = await buildApi(api, { root, out: join(folder, api.client), version, machine });
      outcomes.push({ client: api.client, title: api.title, page: api.page, missing });
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return { folder, outcomes };
}

/**
 * Writes the documentation of one client into `out`: what is missing for it, as a sentence, or null. `machine` is as
 * for `releasePackage`.
 *
 * @throws DocsFailure when a tool fails, or a page lacks what it must hold
 */
export async function buildApi(api, { root, out, version, machine }) {
  const { client, tools, commands, finish, symbols } = api;
  const missing = tools.find((tool) => machine.findTool(tool) === null);
  if (missing !== undefined) return `${missing} is missing: ${installAdvice(missing)}`;
  const folder = join(root, 'clients', client);
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'postern-docs-'));
  const text = (name, content) => {
    writeFileSync(join(scratch, name), content);
    return join(scratch, name);
  };
  try {
    for (const { program, args, cwd, env, into } of commands({ folder, root, out, version, text })) {
      const { code, stdout, output } = await machine.run(machine.findTool(program) ?? program, args, { cwd, env });
      if (code !== 0) throw new DocsFailure(`clients/${client}: "${[program, ...args].join(' ')}" failed:\n${output}`);
      if (into !== undefined) writeFileSync(into, stdout);
    }
    finish?.({ folder, out });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const lacking = Object.entries(symbols).flatMap(([file, symbol]) => {
    const path = join(out, file);
    return existsSync(path) && readFileSync(path, 'utf8').includes(symbol) ? [] : [`${file} does not hold ${symbol}`];
  });
  if (lacking.length > 0) throw new DocsFailure(`clients/${client}: ${lacking.join('; ')}`);
  return null;
}

/** The page that leads to all of them, in Markdown, by the outcomes of {@link buildApis}. */
export function apiPage(outcomes) {
  const rows = outcomes.map(({ title, client, page, missing }) =>
    missing === null
      ? `| ${title} | <a href="${API_FOLDER}/${client}/${page}" target="_self">API of ${client}</a> |`
      : `| ${title} | not in this copy: ${missing} |`,
  );
  return `# API of the signing clients

Written from the sources of each client. How to begin is in its [README](repository/clients/README.md).

| Language | Documentation |
|---|---|
${rows.join('\n')}
| POSIX shell | [its README](repository/clients/shell/README.md) |
`;
}

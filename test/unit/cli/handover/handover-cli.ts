import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import { type CommandResult, runCli } from '../run-cli.ts';

/** What the tests of `handover` use: an endpoint of each method, and a credential for each. */
export const demoYaml = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
  - { id: invoices, scenario: partner-openapi, match: { paths: [{ prefix: /invoices }] }, authentication: hmac }
  - id: shipments
    scenario: partner-openapi
    match: { paths: [{ prefix: /shipments }] }
    authentication: parameter-signature
  - { id: stock, scenario: partner-openapi, match: { paths: [{ prefix: /stock }] }, authentication: oauth2 }
consumers:
  - id: acme
    name: Acme Ltd
    credentials:
      - { id: acme-key, method: key, appKey: acme-key-which-is-secret }
      - { id: acme-hmac, method: hmac, appKey: acme-hmac-key, appSecret: the-secret-of-acme-for-hmac }
      - { id: acme-parameters, method: parameter-signature, appKey: acme-par-key, appSecret: the-secret-for-parameters }
      - { id: acme-oauth2, method: oauth2, appKey: acme-oauth2-key, appSecret: the-secret-for-oauth2 }
`;

/** A document with one hmac credential `acme-hmac` and these endpoints and grants, YAML in flow style. */
export function hmacYaml(endpoints: readonly string[], grants: readonly string[] = []): string {
  return credentialYaml('{ id: acme-hmac, method: hmac, appKey: K, appSecret: the-secret-of-acme }', endpoints, grants);
}

/** A document with one credential of `acme`. */
export function credentialYaml(
  credential: string,
  endpoints: readonly string[],
  grants: readonly string[] = [],
): string {
  return [
    'version: 1',
    'endpoints:',
    ...endpoints.map((text) => `  - ${text}`),
    'consumers:',
    '  - id: acme',
    '    credentials:',
    `      - ${credential}`,
    ...(grants.length === 0 ? [] : ['grants:', ...grants.map((text) => `  - ${text}`)]),
    '',
  ].join('\n');
}

export const url = 'https://api.example.com';

/** Runs `postern handover` with a store of this text. */
export async function handover(yaml: string, ...args: readonly string[]): Promise<CommandResult> {
  await using folder = await temporaryDirectory();
  const path = join(folder.path, 'postern.yaml');
  writeFileSync(path, yaml);
  return await runCli(['handover', ...args], { POSTERN_STORE: `file:${path}` });
}

/** The page of a credential. Throws where there is none. */
export async function pageOf(yaml: string, credential: string, ...args: readonly string[]): Promise<string> {
  const { code, out, err } = await handover(yaml, '--credential', credential, '--url', url, ...args);
  if (code !== 0 || err !== '') throw new Error(`postern handover ended with ${String(code)}: ${err}`);
  return out;
}

/** The cell beside a name in the tables of a page. */
export function valueOf(page: string, name: string): string | null {
  const row = page.split('\n').find((line) => line.startsWith(`| ${name} | `));
  return row?.slice(name.length + 5, -2) ?? null;
}

/** The codes that a page explains. */
export function codesOf(page: string): readonly string[] {
  return [...page.matchAll(/^\| \d{3} \| `([A-Z_0-9]+)` \|/gm)].map(([, code = '']) => code);
}

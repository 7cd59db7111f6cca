import type { ExitCode, Terminal } from '../../../src/cli/terminal.ts';
import { runCommand } from '../../../src/cli/program.ts';

/** What a command printed, and its exit code. */
export interface CommandResult {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** Runs `postern` in this process, with its own terminal. */
export async function runCli(
  args: readonly string[],
  environment: Terminal['environment'] = {},
): Promise<CommandResult> {
  let out = '';
  let err = '';
  const code = await runCommand(args, {
    environment,
    out: { isTerminal: false, write: (text) => (out += text) },
    err: { isTerminal: false, write: (text) => (err += text) },
    onStopSignal: () => undefined,
    onCrash: () => undefined,
    exit: (exitCode) => {
      throw new Error(`exit ${String(exitCode)}`);
    },
  });
  return { code, out, err };
}

/** The endpoints that the tests of `sign` and `explain` use, one of each method. */
export const endpointsYaml = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: key }
  - id: by-header
    scenario: partner-openapi
    match: { paths: [{ prefix: /by-header }] }
    authentication: key
    options: { keyNames: [{ header: X-App-Key }] }
  - { id: invoices, scenario: partner-openapi, match: { paths: [{ prefix: /invoices }] }, authentication: hmac }
  - id: shipments
    scenario: partner-openapi
    match: { paths: [{ prefix: /shipments }] }
    authentication: parameter-signature
  - { id: stock, scenario: partner-openapi, match: { paths: [{ prefix: /stock }] }, authentication: oauth2 }
  - { id: status, scenario: open, match: { paths: [{ prefix: /status }] } }
`;

import type { ExitCode, Terminal } from '../../../src/cli/terminal.ts';
import type { CommandPorts } from '../../../src/cli/command.ts';
import { runCommand } from '../../../src/cli/program.ts';

/** What a command printed, and its exit code. */
export interface CommandResult {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** What a test gives a command besides its environment. */
export interface Given {
  /** A store, such as one in memory; without it, the command opens its own. */
  readonly ports?: CommandPorts;
  /** Answers the command's questions; without it, nobody is there. */
  readonly ask?: (question: string) => Promise<string>;
  /** What the command prints goes to a terminal of this width. */
  readonly columns?: number;
  /** Who reads what it prints goes away after this many times that it looks whether somebody does. */
  readonly readsFor?: number;
}

/** Runs `postern` in this process, with its own terminal. */
export async function runCli(
  args: readonly string[],
  environment: Terminal['environment'] = {},
  given: Given = {},
): Promise<CommandResult> {
  let out = '';
  let err = '';
  const { ports, ask = null, columns, readsFor } = given;
  let looks = 0;
  const settled = async (): Promise<boolean> => await Promise.resolve((looks += 1) < (readsFor ?? Infinity));
  const shape = columns === undefined ? { isTerminal: false } : { isTerminal: true, columns };
  const terminal: Terminal = {
    environment,
    out: { ...shape, write: (text) => (out += text), ...(readsFor === undefined ? {} : { settled }) },
    err: { ...shape, write: (text) => (err += text) },
    ask,
    onStopSignal: () => undefined,
    onCrash: () => undefined,
    exit: (exitCode) => {
      throw new Error(`exit ${String(exitCode)}`);
    },
  };
  const code = await runCommand(args, terminal, ports);
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
  - id: payments
    scenario: partner-openapi
    match: { paths: [{ prefix: /payments }] }
    authentication: http-message-signature
    options: { scheme: http, tag: pay }
`;

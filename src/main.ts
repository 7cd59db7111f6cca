#!/usr/bin/env node
import { readBuiltHelp } from './cli/built-help.ts';
import { processTerminal } from './cli/process-terminal.ts';

/** How long connections may take to close. */
const LINGER_MS = 250;

const args = process.argv.slice(2);
const terminal = processTerminal();
const help = readBuiltHelp(args, terminal.out);
if (help === null) process.exitCode = await (await import('./cli/program.ts')).runCommand(args, terminal);
else terminal.out.write(help);
// Calls to a frozen server run until they time out. The process waits for unread output only.
setInterval(() => {
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
}, LINGER_MS).unref();

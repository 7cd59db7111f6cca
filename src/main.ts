#!/usr/bin/env node
import { runCommand } from './cli/program.ts';
import { processTerminal } from './cli/process-terminal.ts';

/** How long connections may take to close. */
const LINGER_MS = 250;

process.exitCode = await runCommand(process.argv.slice(2), processTerminal());
// Calls to a frozen server run until they time out. The process waits for unread output only.
setInterval(() => {
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
}, LINGER_MS).unref();

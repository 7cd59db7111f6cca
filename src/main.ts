#!/usr/bin/env node
import { runCommand } from './cli/program.ts';
import { processTerminal } from './cli/process-terminal.ts';

/** How long connections may take to close. */
const LINGER_MS = 250;

process.exitCode = await runCommand(process.argv.slice(2), processTerminal());
// What a frozen server was asked goes on until its time is over: nobody waits for that, but for output that is not read yet.
setInterval(() => {
  if (process.stdout.writableLength === 0 && process.stderr.writableLength === 0) process.exit();
}, LINGER_MS).unref();

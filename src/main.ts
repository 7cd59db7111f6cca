#!/usr/bin/env node
import { runCommand } from './cli/program.ts';
import { processTerminal } from './cli/process-terminal.ts';

process.exitCode = await runCommand(process.argv.slice(2), processTerminal());

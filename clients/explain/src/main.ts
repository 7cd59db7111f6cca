/** `postern-explain`: Postern's own `explain`, for partners. */
import { processTerminal } from '../../../src/cli/process-terminal.ts';
import { runExplain } from './command.ts';

process.exitCode = await runExplain(process.argv.slice(2), processTerminal());

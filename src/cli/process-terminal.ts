import { isatty } from 'node:tty';
import type { Output, Terminal } from './terminal.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** The terminal of this very process. A reader that has gone away (`postern config | head -1`, a closed window) ends writing quietly. */
export function processTerminal(): Terminal {
  return {
    environment: process.env,
    out: outputOf(process.stdout, STANDARD_OUTPUT),
    err: outputOf(process.stderr, STANDARD_ERROR),
    onStopSignal: (stop) => {
      // SIGHUP: the terminal was closed.
      for (const name of ['SIGTERM', 'SIGHUP'] as const) {
        process.on(name, () => {
          stop({ isHurried: false });
        });
      }
      process.on('SIGINT', () => {
        stop({ isHurried: true });
      });
    },
    onCrash: (report) => {
      process.on('uncaughtException', report);
    },
    exit: (code) => process.exit(code),
  };
}

function outputOf(stream: NodeJS.WriteStream, descriptor: number): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  });
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: isatty(descriptor),
  };
}

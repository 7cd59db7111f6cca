import { type Output, type Terminal } from './terminal.ts';

/** The terminal of this very process. A reader that has gone away (`postern config | head -1`) ends writing quietly. */
export function processTerminal(): Terminal {
  return {
    environment: process.env,
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    onStopSignal: (stop) => {
      process.on('SIGTERM', () => {
        stop({ isHurried: false });
      });
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

function outputOf(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    write: (text) => {
      stream.write(text);
    },
    isTerminal: stream.isTTY,
  };
}

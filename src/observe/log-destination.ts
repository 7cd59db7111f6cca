import { pino, type DestinationStream } from 'pino';
import { build as buildPretty } from 'pino-pretty';
import type { LogFormat } from './log-settings.ts';

const STANDARD_OUTPUT = 1;
/** What waits for a slow reader at most, in bytes; lines beyond it are dropped, because a log must never stall a check. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Where log lines go, and how the last of them are brought out before the process ends. */
export interface LogDestination {
  readonly stream: DestinationStream;
  flush(): void;
}

/** Standard output, written without waiting: as JSON lines, or as text for people. */
export function openLogDestination(format: LogFormat, useColor: boolean): LogDestination {
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: false, maxLength: MAX_WAITING_BYTES });
  const flush = (): void => {
    try {
      output.flushSync();
    } catch {
      // Nothing was written yet, or nobody reads any more: there is nothing left to bring out.
    }
  };
  if (format === 'json') return { stream: output, flush };
  const pretty = buildPretty({
    colorize: useColor,
    destination: output,
    messageKey: 'message',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
  });
  return { stream: pretty, flush };
}

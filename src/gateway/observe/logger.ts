import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import type { LogFormat, LogLevel } from '../../base/config-values.ts';

/** Values that a log line may hold besides its message. Never a secret, a header, a query or a body. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Structured log lines. `message` is a constant of the program; what varies goes into the fields. */
export interface Logger {
  /** For skipping work that only a debug line needs. */
  readonly isDebug: boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  /** `error`, when given, is logged with its stack. */
  error(message: string, fields?: LogFields, error?: unknown): void;
}

/** JSON lines with `time` (RFC 3339), `level` as a word and `message`. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  const log: PinoLogger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    isDebug: log.isLevelEnabled('debug'),
    debug: (message, fields = {}) => {
      log.debug(fields, message);
    },
    info: (message, fields = {}) => {
      log.info(fields, message);
    },
    warn: (message, fields = {}) => {
      log.warn(fields, message);
    },
    error: (message, fields = {}, error) => {
      log.error(error === undefined ? fields : { ...fields, err: error }, message);
    },
  };
}

const STANDARD_OUTPUT = 1;
/** What waits for a slow reader at most, in bytes; lines beyond it are dropped: a log must never stall a check. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

/** Where log lines go, and how the last of them are brought out before the process ends. */
export interface LogDestination {
  readonly stream: DestinationStream;
  flush(): void;
}

/** Standard output, written without waiting: as JSON lines, or as text for a person. */
export async function openLogDestination(format: LogFormat, useColor: boolean): Promise<LogDestination> {
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: false, maxLength: MAX_WAITING_BYTES });
  const flush = (): void => {
    try {
      output.flushSync();
    } catch {
      // Nothing was written yet, or the reader is gone: there is nothing left to bring out.
    }
  };
  if (format === 'json') return { stream: output, flush };
  const { build } = await import('pino-pretty');
  const pretty = build({
    colorize: useColor,
    destination: output,
    messageKey: 'message',
    translateTime: 'SYS:HH:MM:ss.l',
    singleLine: true,
  });
  return { stream: pretty, flush };
}

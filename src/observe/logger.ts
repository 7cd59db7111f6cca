import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';
import type { LogLevel } from './log-settings.ts';

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

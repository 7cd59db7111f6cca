import {
  type ConnectionProblem,
  errorCode,
  frameFlag,
  frameType,
  MAX_FRAME_BYTES,
  MAX_WINDOW_BYTES,
  setting,
} from './frame.ts';

/**
 * What is wrong with the stream or the length of a frame other than DATA, HEADERS and CONTINUATION (RFC 9113 §6),
 * from either side; null when nothing is.
 */
export function findFrameFault(
  type: number,
  flags: number,
  streamId: number,
  length: number,
): ConnectionProblem | null {
  switch (type) {
    case frameType.priority:
      if (streamId === 0) return { code: errorCode.protocolError, reason: 'PRIORITY on the connection' };
      return length === 5 ? null : wrongSize('PRIORITY has not five octets');
    case frameType.rstStream:
      return length === 4 ? null : wrongSize('RST_STREAM has not four octets');
    case frameType.settings:
      if (streamId !== 0) return { code: errorCode.protocolError, reason: 'SETTINGS on a stream' };
      if (length % 6 === 0 && (length === 0 || (flags & frameFlag.ack) === 0)) return null;
      return wrongSize('SETTINGS has a wrong length');
    case frameType.ping:
      if (streamId !== 0) return { code: errorCode.protocolError, reason: 'PING on a stream' };
      return length === 8 ? null : wrongSize('PING has not eight octets');
    case frameType.goaway:
      if (streamId !== 0) return { code: errorCode.protocolError, reason: 'GOAWAY on a stream' };
      return length >= 8 ? null : wrongSize('GOAWAY is too short');
    case frameType.windowUpdate:
      return length === 4 ? null : wrongSize('WINDOW_UPDATE has not four octets');
    default:
      return null;
  }
}

/** What is wrong with a setting, from either side (RFC 9113 §6.5.2); null when nothing is, and for unknown ones. */
export function findSettingFault(identifier: number, value: number): ConnectionProblem | null {
  if (identifier === setting.initialWindowSize && value > MAX_WINDOW_BYTES) return windowTooLarge;
  if (identifier === setting.enablePush && value > 1) {
    return { code: errorCode.protocolError, reason: 'SETTINGS_ENABLE_PUSH is neither 0 nor 1' };
  }
  if (identifier === setting.maxFrameSize && (value < MAX_FRAME_BYTES || value > 0xffffff)) {
    return { code: errorCode.protocolError, reason: 'SETTINGS_MAX_FRAME_SIZE is out of its range' };
  }
  return null;
}

/** SETTINGS_INITIAL_WINDOW_SIZE above its range, or a window that it would move above the largest (RFC 9113 §6.9.2). */
export const windowTooLarge: ConnectionProblem = {
  code: errorCode.flowControlError,
  reason: 'SETTINGS_INITIAL_WINDOW_SIZE is too large',
};

function wrongSize(reason: string): ConnectionProblem {
  return { code: errorCode.frameSizeError, reason };
}

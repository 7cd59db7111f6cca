/**
 * What a call may send before we answer WINDOW_UPDATE (SETTINGS_INITIAL_WINDOW_SIZE): a body of 100 KiB then comes in
 * one go, which saves a write and a wake-up of both sides (docs/performance.md).
 */
export const FIRST_WINDOW_BYTES = 128 * 1024;
/** The largest message that a stream's first window takes whole, after the five octets before it. */
export const MAX_SMALL_MESSAGE_BYTES = FIRST_WINDOW_BYTES - 5;

/** The command line was used wrongly; the message says how to use it. Ends a command with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

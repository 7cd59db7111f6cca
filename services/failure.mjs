/** A service that cannot be had here. The message says what is wrong and what to do; it is meant for people. */
export class InstallFailure extends Error {
  constructor(what, details = []) {
    super([what, ...details.map((line) => `  ${line}`)].join('\n'));
    this.name = 'InstallFailure';
  }
}

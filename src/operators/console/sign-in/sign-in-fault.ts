/** A sign-in that came to nothing. The message is for people and the log; it holds no code, token or secret. */
export class SignInFault extends Error {
  override readonly name = 'SignInFault';

  /** `provider`: it does not answer, or not as it must. `refused`: what came back is not taken. */
  readonly kind: 'provider' | 'refused';

  constructor(kind: 'provider' | 'refused', message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
  }
}

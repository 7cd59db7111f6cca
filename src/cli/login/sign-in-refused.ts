/** A sign-in that came to nothing for good. The message is for people, and holds no token. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
}

/** By what a request shows who sends it. Times are seconds since the epoch. */
export type Proof =
  | { readonly by: 'token'; readonly id: string; readonly expiresAt: number }
  | { readonly by: 'session'; readonly hash: string; readonly expiresAt: number }
  | { readonly by: 'id-token'; readonly subject: string }
  | { readonly by: 'certificate' }
  | { readonly by: 'console' };

/** Every way, in the order of the type. */
export const proofWays = ['token', 'session', 'id-token', 'certificate', 'console'] as const satisfies Proof['by'][];

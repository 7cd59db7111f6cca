import { Secret } from '../../../model/secret.ts';

/** Stands for the App Secret in examples. It is public: docs/partners.md uses it too. */
export const EXAMPLE_SECRET = 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9';

/** Stands for an App Key that is a secret itself. Public as well. */
export const EXAMPLE_APP_KEY = '8c1f0b7d52e94a3c9d6e7f8a1b2c3d4e';

/** When examples are signed: 2026-11-21 02:40:00 UTC, in seconds since the epoch. */
export const EXAMPLE_TIME = 1_795_228_800;

/** Stands for the nonce of a request, which is another one each time. */
export const EXAMPLE_NONCE = '000102030405060708090a0b0c0d0e0f';

/** {@link EXAMPLE_SECRET} as signing takes it. */
export const exampleSecret = Secret.fromText(EXAMPLE_SECRET);

/** The credentials of vectors.json. */
export const appKey = '3f0c9a1be27d4856af0312c4d5e6b798';
export const appSecret = 'n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6eMpXiVqTzRb9';
/** Sat, 21 Nov 2026 02:40:00 GMT in seconds. */
export const nowSeconds = 1_795_228_800;
export const now = (): number => nowSeconds * 1000;

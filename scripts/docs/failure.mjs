/** Something is wrong with the documents or with the site made of them. The message says what, line by line. */
export class DocsFailure extends Error {
  name = 'DocsFailure';
}

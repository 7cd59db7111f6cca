/** Something is wrong with the documents or with the site made of them. The message says what, line by line. */
export declare class DocsFailure extends Error {}

/** What the site is made of; paths are those within the site. */
export interface Book {
  readonly pages: readonly { readonly path: string; readonly text: string }[];
  readonly images: readonly { readonly from: string; readonly path: string }[];
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly sidebar: readonly {
    readonly text: string;
    readonly collapsed: boolean;
    readonly items: readonly { readonly text: string; readonly link: string }[];
  }[];
}

/**
 * Reads docs/ of the project at `root`, and every document that a link leads to from there.
 *
 * @throws DocsFailure when a link leads to nothing
 */
export declare function readBook(root: string): Book;

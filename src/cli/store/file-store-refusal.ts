/** A change was wished of a declarative file, which only people edit. */
export class FileStoreRefusal extends Error {
  override readonly name = 'FileStoreRefusal';

  constructor(path: string) {
    super(`the store is a file, which commands do not change: edit the file ${path}`);
  }
}

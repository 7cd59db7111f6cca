/** A digest of what folders below deploy say, whatever their comments and layout. */
export function digestOf(folders: readonly string[]): Promise<string>;

/** Files of a folder below deploy by name, each with its objects; without what it takes from others. */
export function readFolder(folder: string): Promise<readonly (readonly [file: string, objects: readonly unknown[]])[]>;

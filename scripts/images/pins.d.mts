/** The files of a tree, as the checks of a release read them. */
export interface ImageTree {
  readonly read: (path: string) => string;
  readonly list: (path: string) => readonly string[];
}

/** An image that manifests name. */
export interface NamedImage {
  readonly name: string;
  readonly tag: string;
}

/** Where the component is that says the digests. */
export declare const componentPath: string;

/** The images that manifests of kustomize name, each once. */
export declare function namedImages(tree?: ImageTree): readonly NamedImage[];

/** The text of the component; digests by the name of the image. */
export declare function writeComponent(images: readonly NamedImage[], digests: ReadonlyMap<string, string>): string;

/** The digests that the text of the component has, by the name of the image. */
export declare function readDigests(text: string): ReadonlyMap<string, string>;

/** What keeps a release from running what was tested, as sentences. */
export declare function findUnpinned(tree: ImageTree): readonly string[];

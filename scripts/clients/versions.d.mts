/** The one place that says the version of the clients. */
export declare const versionFile: 'clients/VERSION';

/** The version of the clients of the project in a folder; throws an Error when it is not of the form X.Y.Z. */
export declare function readVersion(root: string): string;

/** The places that say another version than clients/VERSION, as sentences. */
export declare function findOtherClientVersions(root: string): readonly string[];

/** Whether it is a version that {@link writeVersion} takes. */
export declare function isVersion(text: string): boolean;

/** Writes a version into clients/VERSION and every place that repeats it, changelogs apart. */
export declare function writeVersion(root: string, version: string): void;

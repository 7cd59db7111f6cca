/** The user that containers run as. */
export declare const containerUser: 65532;

/** Makes both base images of the Dockerfile from npm and Debian packages unless they are there, and gives their names. */
export declare function makeBaseImages(): Promise<{ readonly buildImage: string; readonly runImage: string }>;

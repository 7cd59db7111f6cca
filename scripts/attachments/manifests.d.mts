/** A digest of what an overlay below deploy/overlays says, whatever its comments and layout. */
export function overlayDigest(name: string): Promise<string>;

/** Files of an overlay by name, each with its objects; without what the overlay takes from the base. */
export function readOverlay(name: string): Promise<readonly (readonly [file: string, objects: readonly unknown[]])[]>;

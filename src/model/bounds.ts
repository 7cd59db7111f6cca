/**
 * How much of each thing may be written, by people and programs. What a store had before is read, served and removed
 * beyond them, and may shrink (docs/resource-accounting.md).
 */

/** Labels of a resource, and of a selector. */
export const MAX_LABELS = 32;
/** Characters of the name of a label, and of its value. */
export const MAX_LABEL_CHARACTERS = 63;
/** Characters of a name: that of a consumer goes into a request header. */
export const MAX_NAME_CHARACTERS = 256;
/** Characters of an e-mail address (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const MAX_EMAIL_CHARACTERS = 254;
/** Characters of a description. */
export const MAX_DESCRIPTION_CHARACTERS = 1024;

/** Networks that a consumer or a credential may call from. */
export const MAX_ALLOWED_NETWORKS = 100;

/** Hosts of the match of one endpoint. */
export const MAX_HOSTS = 100;
/** Path rules of the match of one endpoint. */
export const MAX_PATHS = 100;
/** HTTP methods of the match of one endpoint. */
export const MAX_METHODS = 32;
/** Characters of a host of a match. */
export const MAX_HOST_CHARACTERS = 256;
/** Characters of a path rule of a match. */
export const MAX_PATH_CHARACTERS = 1024;
/** Characters of an HTTP method of a match. */
export const MAX_METHOD_CHARACTERS = 32;
/** Hosts, and path prefixes, that an operator's endpoints are bound to. */
export const MAX_OPERATOR_BOUNDS = 50;
/** Places of one endpoint that may hold an App Key. */
export const MAX_KEY_NAMES = 16;
/** Characters of the name of a place that may hold an App Key. */
export const MAX_KEY_NAME_CHARACTERS = 256;
/** Components that the signatures of one endpoint cover besides those that all do. */
export const MAX_COVERED_COMPONENTS = 32;
/** Characters of the name of such a component. */
export const MAX_COVERED_COMPONENT_CHARACTERS = 256;
/** Characters of the tag of an endpoint's signatures. */
export const MAX_SIGNATURE_TAG_CHARACTERS = 256;

/** Endpoints of a store, all of which are in memory. */
export const MAX_ENDPOINTS = 10_000;
/** Bytes of all endpoints of a store, as a database keeps them. */
export const MAX_ENDPOINTS_BYTES = 16 * 1024 * 1024;
/** Segments of all path rules of a store, for each host of an endpoint again. */
export const MAX_PATH_SEGMENTS = 200_000;

/**
 * Changes of one transaction; more are made in steps. Any server carries so many of the usual size: a transaction lies
 * in the cache until it is committed, and 256 MB, the smallest that MongoDB has, took 14 000 new resources.
 */
export const MAX_CHANGES_PER_COMMIT = 10_000;

/** For how long the numbers of requests are kept: each month beside the same one of the year before. */
export const TRAFFIC_MONTHS = 13;

/** Grants for groups on one endpoint, which a check looks through. */
export const MAX_GROUP_GRANTS_OF_ENDPOINT = 100;
/** Grants for groups of a store, all of which are in memory. */
export const MAX_GROUP_GRANTS = 5000;
/** Plans of a store, all of which are in memory; a check looks through those that cover its endpoint. */
export const MAX_PLANS = 100;
/** Endpoints that one plan lists; more are selected by labels. */
export const MAX_PLAN_ENDPOINTS = 1000;
/** Issuers of a store, all of which are in memory. */
export const MAX_ISSUERS = 100;
/** Keys of one issuer. */
export const MAX_ISSUER_KEYS = 64;
/** Bytes of a set of keys, in a file or at an address. */
export const MAX_JWKS_BYTES = 256 * 1024;
/** Characters of the `kid` of a key. */
export const MAX_KEY_ID_CHARACTERS = 256;
/** Characters of the `iss` of an issuer, and of an audience. */
export const MAX_ISSUER_CHARACTERS = 512;
/** Characters of the address of a set of keys. */
export const MAX_JWKS_URI_CHARACTERS = 2048;
/** Audiences of one issuer. */
export const MAX_AUDIENCES = 16;
/** Seconds that the clock of an issuer may differ by. */
export const MAX_ISSUER_SKEW_SECONDS = 600;
/** Claims that an issuer requires. */
export const MAX_REQUIRED_CLAIMS = 16;
/** Values that a required claim may have. */
export const MAX_CLAIM_VALUES = 32;
/** Different sets of claims, by their names, that the credentials of one issuer have: each is a look-up of a check. */
export const MAX_CLAIM_NAMES_OF_ISSUER = 8;
/**
 * Characters of what names the holder of a grant, percent-encoded: 32 labels of plain letters fit. In a URL, where it
 * is percent-encoded once more, it takes less than 8 KiB.
 */
export const MAX_GRANT_HOLDER_CHARACTERS = 4096;

/** From here on an expiry is warned of: issuers that renew by themselves have done it long before. */
export const EXPIRY_WARNING_DAYS = 14;

export const DAY_MS = 86_400_000;

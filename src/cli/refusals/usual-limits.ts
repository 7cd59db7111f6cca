/** How many refusals are shown where nothing is said. */
export const DEFAULT_LIMIT = 1000;
/** The same where those that follow are shown too. */
export const FOLLOWED_LIMIT = 10;

/** How long keys count as fresh that come without `Cache-Control`, in seconds. */
export const DEFAULT_LIFE_SECONDS = 600;
/** {@link MAX_LIFE_SECONDS} is the longest, this is the shortest, whatever the other end says. */
export const MIN_LIFE_SECONDS = 60;
/** See {@link MIN_LIFE_SECONDS}. */
export const MAX_LIFE_SECONDS = 86_400;

/** For how many seconds an answer counts as fresh, by its `Cache-Control` (RFC 9111 §5.2.2), within the bounds. */
export function lifeSeconds(cacheControl: string | undefined): number {
  const directives = (cacheControl ?? '').toLowerCase().split(',');
  let life = DEFAULT_LIFE_SECONDS;
  for (const directive of directives.map((each) => each.trim())) {
    if (directive === 'no-store' || directive === 'no-cache') return MIN_LIFE_SECONDS;
    const seconds = /^max-age="?(\d{1,15})"?$/.exec(directive)?.[1];
    if (seconds !== undefined) life = Number(seconds);
  }
  return Math.min(Math.max(life, MIN_LIFE_SECONDS), MAX_LIFE_SECONDS);
}

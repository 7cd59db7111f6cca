const MAX_LENGTH = 1024;
/** Stands for this host while an address is read. */
const HERE = 'http://here.invalid';
/** Whoever signed in wants none of these. */
const NOT_PAGES = /^\/(sign-in|sign-out|v1)(\/|$)/;

/**
 * Where to go after signing in: a path of this host with its query, as a browser would read it; `/` for anything that
 * leads elsewhere.
 */
export function returnPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > MAX_LENGTH || !text.startsWith('/')) return '/';
  if (!URL.canParse(text, HERE)) return '/';
  const { origin, pathname, search } = new URL(text, HERE);
  // `/.//example.com` is a path, and what it becomes is the address of another host.
  if (origin !== HERE || pathname.startsWith('//') || NOT_PAGES.test(pathname)) return '/';
  return `${pathname}${search}`;
}

/** The sign-in page that leads back to what was asked for, or to the page of a form that is kept. */
export function signInPath(request: Request, isKept = false): string {
  const { pathname, search } = new URL(request.url);
  const path = request.method === 'GET' || isKept ? returnPath(`${pathname}${search}`) : '/';
  return path === '/' ? '/sign-in' : `/sign-in?return=${encodeURIComponent(path)}`;
}

/** The query of a request target: what follows its first `?`; `''` when nothing does. */
export function queryOf(path: string): string {
  const mark = path.indexOf('?');
  return mark === -1 ? '' : path.slice(mark + 1);
}

/** The request target with another query; without `?` when the query is empty. All other bytes stay. */
export function withQuery(path: string, query: string): string {
  const mark = path.indexOf('?');
  const bare = mark === -1 ? path : path.slice(0, mark);
  return query === '' ? bare : `${bare}?${query}`;
}

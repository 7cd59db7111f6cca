/** Resolves `.` and `..` segments of a path as curl does without `--path-as-is` (RFC 3986 §5.2.4); the query stays. */
export function removeDotSegments(target: string): string {
  if (!target.includes('/.')) return target;
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  const segments = path.split('/').slice(1);
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === '..') kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (isLast) kept.push('');
  }
  return `/${kept.join('/')}${mark === -1 ? '' : target.slice(mark)}`;
}

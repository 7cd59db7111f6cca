/** Which requests the endpoints may take that an operator changes. An empty list binds nothing. */
export interface OperatorBounds {
  /** As `match.hosts` has them. */
  readonly hosts: readonly string[];
  readonly pathPrefixes: readonly string[];
}

/** Whether an operator is bound to some hosts or paths. */
export function isBound({ hosts, pathPrefixes }: OperatorBounds): boolean {
  return hosts.length > 0 || pathPrefixes.length > 0;
}

/** Bounds on one line: `hosts *.example.com; paths /payments`. Empty for none. */
export function describeBounds({ hosts, pathPrefixes }: OperatorBounds): string {
  return [
    ...(hosts.length === 0 ? [] : [`hosts ${hosts.join(' ')}`]),
    ...(pathPrefixes.length === 0 ? [] : [`paths ${pathPrefixes.join(' ')}`]),
  ].join('; ');
}

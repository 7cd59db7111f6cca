/** The fields that a search by {@link isNamedLike} looks at, besides the id. Endpoints have none of them. */
export const searchedFields = ['name', 'email', 'team'] as const;

type Named = { readonly id: string } & { readonly [N in (typeof searchedFields)[number]]?: unknown };

/** Whether the id of a resource begins with a text, or its name or contact holds it, in upper or lower case. */
export function isNamedLike(resource: Named, text: string): boolean {
  const wanted = text.toLowerCase();
  const holds = (value: unknown): boolean => typeof value === 'string' && value.toLowerCase().includes(wanted);
  return resource.id.startsWith(wanted) || searchedFields.some((name) => holds(resource[name]));
}

/** A text as part of a regular expression of MongoDB (PCRE), where it stands for itself. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/#\s-]/g, '\\$&');
}

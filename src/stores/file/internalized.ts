/**
 * The same text, as V8 keeps it for names of properties and the constants of a program: once only ("internalized").
 *
 * Two such texts are equal when their addresses are, and one that names a property need not be looked up. What another
 * thread sent are copies, and code that V8 has optimized for internalized texts is thrown away when it gets a copy.
 */
export function internalized<T extends string>(text: T): T {
  // As a name of a property, a text comes back as the one that V8 keeps.
  const [kept] = Object.keys({ [text]: null });
  return kept as T;
}

/**
 * Puts {@link internalized} texts in the place of those within a list or object, however deep. Gives the same object.
 */
export function internalizeWithin<T extends object>(value: T): T {
  const fields = value as Record<string, unknown>;
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'string') fields[name] = internalized(field);
    else if (typeof field === 'object' && field !== null) internalizeWithin(field);
  }
  return value;
}

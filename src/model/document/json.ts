/** The value of a JSON text; undefined for other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A JSON object of which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, not a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as an object; an empty one when it is not an object, so that a look into it finds nothing. */
export function objectIn(value: unknown, ...steps: readonly string[]): JsonObject {
  const found = valueIn(value, ...steps);
  return isJsonObject(found) ? found : {};
}

/** The value as a list of objects; other items are passed over. */
export function listIn(value: unknown, ...steps: readonly string[]): readonly JsonObject[] {
  const found = valueIn(value, ...steps);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

/** The list of texts there; other items are passed over. */
export function textsIn(value: unknown, ...steps: readonly string[]): readonly string[] {
  const found = valueIn(value, ...steps);
  return Array.isArray(found) ? found.filter((item) => typeof item === 'string') : [];
}

/** The text there; null when there is none. */
export function textIn(value: unknown, ...steps: readonly string[]): string | null {
  const found = valueIn(value, ...steps);
  return typeof found === 'string' ? found : null;
}

/** The number there, also one written as a text, as protobuf JSON writes 64-bit numbers; null when there is none. */
export function numberIn(value: unknown, ...steps: readonly string[]): number | null {
  const found = valueIn(value, ...steps);
  if (typeof found === 'number') return found;
  return typeof found === 'string' && /^\d{1,15}$/.test(found) ? Number(found) : null;
}

/** Whether `true` is there. Protobuf JSON leaves out what is false. */
export function flagIn(value: unknown, ...steps: readonly string[]): boolean {
  return valueIn(value, ...steps) === true;
}

/** What is at the end of these steps; undefined when one is missing. */
export function valueIn(value: unknown, ...steps: readonly string[]): unknown {
  let found = value;
  for (const step of steps) {
    if (!isJsonObject(found) || !Object.hasOwn(found, step)) return undefined;
    found = found[step];
  }
  return found;
}

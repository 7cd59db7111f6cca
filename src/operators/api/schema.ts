import { type Field, type Fields, type MappingKind, type Schema, timeField } from '../../model/document/fields.ts';

/** JSON Schema, as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of a mapping by the rules of its reader. It says what a client can know before it asks; the reader
 * decides. `isPatch`: no key is needed, and null gives a key its default again (RFC 7396). `isShown`: without bounds,
 * beyond which a store may have older resources.
 */
export function jsonSchemaOf(kind: MappingKind<Fields>, { isPatch = false, isShown = false } = {}): JsonSchema {
  const { fields, required } = kind;
  const properties = Object.entries(fields).map(([key, field]) => {
    const schema = schemaOfField(field, isShown);
    return [key, isPatch ? { anyOf: [schema, { type: 'null' }] } : schema] as const;
  });
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(isPatch || required.length === 0 ? {} : { required: [...required] }),
    additionalProperties: false,
  };
}

function schemaOfField(field: Field<unknown>, isShown: boolean): JsonSchema {
  if (field === timeField) return { type: 'string', format: 'date-time' };
  const bound = isShown ? {} : translate(field.bound?.schema ?? {});
  if (field.inside === undefined) return { ...translate(field.schema ?? {}), ...bound };
  const inside = jsonSchemaOf(field.inside, { isShown });
  return field.schema?.['bsonType'] === 'array' ? { type: 'array', items: inside, ...bound } : inside;
}

const typeNames: Readonly<Record<string, JsonSchema>> = {
  bool: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
  number: { type: 'integer' },
};

/** From the words of MongoDB's `$jsonSchema`, which names types of BSON. */
function translate({ bsonType, ...others }: Schema): JsonSchema {
  const inner = Object.fromEntries(
    Object.entries(others).map(([key, value]) => [key, isSchema(value) ? translate(value) : value]),
  );
  if (typeof bsonType !== 'string') return inner;
  return { ...(typeNames[bsonType] ?? { type: bsonType }), ...inner };
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

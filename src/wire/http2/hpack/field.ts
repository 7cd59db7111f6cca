/** What a decoder's user makes of a name. {@link valueUnread} (0) says that the value need not become a string. */
export type FieldKind = number;
/** The kind of a field whose value nobody reads. */
export const valueUnread: FieldKind = 0;

/** One header field. Entries of the tables are fields too and are handed out as they are: no field is ever changed. */
export interface Field {
  readonly name: string;
  /** Octets as Latin-1; empty when {@link kind} is {@link valueUnread}. */
  readonly value: string;
  readonly kind: FieldKind;
  /** Octets of name and value and 32 more, whether or not the value was read (RFC 7541 §4.1). */
  readonly sizeBytes: number;
  /** Whether the value holds octets that no field may (NUL, CR, LF, outer white space; RFC 9113 §8.2.1). */
  readonly malformedValue: boolean;
}

/** Gets the fields of a block in their order. */
export interface FieldSink {
  field(field: Field): void;
}

/** What a name is to the decoder's user; called once per literal name. */
export type Classify = (name: string) => FieldKind;

/** What a field costs besides its octets (RFC 7541 §4.1). */
export const FIELD_OVERHEAD_BYTES = 32;

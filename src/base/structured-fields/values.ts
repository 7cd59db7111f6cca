/** A bare item of structured fields (RFC 8941 §3.3). */
export type BareItem =
  | { readonly type: 'integer' | 'decimal'; readonly value: number }
  | { readonly type: 'string' | 'token'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Buffer }
  | { readonly type: 'boolean'; readonly value: boolean };

/** Parameters in the order received (RFC 8941 §3.1.2). */
export type Parameters = ReadonlyMap<string, BareItem>;

/** An item with its parameters. */
export interface Item {
  readonly bare: BareItem;
  readonly parameters: Parameters;
}

/** A list within a list or dictionary (RFC 8941 §3.1.1). */
export interface InnerList {
  readonly items: readonly Item[];
  readonly parameters: Parameters;
}

/** A member of a list or dictionary. */
export interface Member {
  readonly value: Item | InnerList;
  /** The value and its parameters as received, byte for byte. */
  readonly text: string;
}

/** Whether a member is an inner list. */
export function isInnerList(value: Item | InnerList): value is InnerList {
  return 'items' in value;
}

/** What is wrong with the text of a structured field, in words that follow its name. */
export interface FieldSyntaxFault {
  readonly fault: string;
}

/** What has no parameters. */
export const noParameters: Parameters = new Map();

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** A span as a collector gets it. */
export interface ReceivedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  /** OTLP: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly attributes: ReadonlyMap<string, string>;
}

type Fields = ReadonlyMap<number, readonly (Uint8Array | number)[]>;

/** Reads an ExportTraceServiceRequest in protobuf (opentelemetry-proto, trace/v1/trace.proto). */
export function readOtlpSpans(bytes: Uint8Array): ReceivedSpan[] {
  return messagesOf(fieldsOf(bytes), 1).flatMap((resourceSpans) => {
    const [resource] = messagesOf(resourceSpans, 1);
    const service = attributesOf(resource ?? new Map(), 1).get('service.name') ?? '';
    return messagesOf(resourceSpans, 2).flatMap((scopeSpans) =>
      messagesOf(scopeSpans, 2).map((span) => ({
        service,
        name: textOf(span, 5),
        traceId: hexOf(span, 1),
        spanId: hexOf(span, 2),
        parentSpanId: hexOf(span, 4),
        kind: Number(span.get(6)?.[0] ?? 0),
        attributes: attributesOf(span, 9),
      })),
    );
  });
}

/** Reads the same in JSON (OTLP/HTTP: ids are hex). */
export function readJsonSpans(text: string): ReceivedSpan[] {
  const request = JSON.parse(text) as JsonRequest;
  return request.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = jsonAttributes(resource.attributes).get('service.name') ?? '';
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ parentSpanId = '', attributes, ...span }) => ({
        ...span,
        ...{ service, parentSpanId, attributes: jsonAttributes(attributes) },
      })),
    );
  });
}

interface JsonAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface JsonRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly JsonAttribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'service' | 'parentSpanId' | 'attributes'> & {
        readonly parentSpanId?: string;
        readonly attributes: readonly JsonAttribute[];
      })[];
    }[];
  }[];
}

function jsonAttributes(list: readonly JsonAttribute[]): ReadonlyMap<string, string> {
  return new Map(list.map(({ key, value }) => [key, String(Object.values(value)[0])]));
}

function fieldsOf(bytes: Uint8Array): Fields {
  const fields = new Map<number, (Uint8Array | number)[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const values = fields.get(number) ?? [];
    fields.set(number, values);
    if (type === WireType.LengthDelimited) values.push(reader.bytes());
    else if (type === WireType.Varint) values.push(Number(reader.uint64()));
    else reader.skip(type, number);
  }
  return fields;
}

function messagesOf(fields: Fields, number: number): Fields[] {
  return (fields.get(number) ?? []).map((value) => fieldsOf(bytesOf(value)));
}

function attributesOf(fields: Fields, number: number): ReadonlyMap<string, string> {
  return new Map(
    messagesOf(fields, number).map((attribute) => {
      const [value = new Map() as Fields] = messagesOf(attribute, 2);
      const [kind = 0, [only = 0] = []] = [...value][0] ?? [];
      // AnyValue: 1 text, 2 bool, 3 number
      return [textOf(attribute, 1), kind === 1 ? textOf(value, 1) : kind === 2 ? String(only === 1) : String(only)];
    }),
  );
}

function textOf(fields: Fields, number: number): string {
  return Buffer.from(bytesOf(fields.get(number)?.[0])).toString('utf8');
}

function hexOf(fields: Fields, number: number): string {
  return Buffer.from(bytesOf(fields.get(number)?.[0])).toString('hex');
}

function bytesOf(value: Uint8Array | number | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array();
}

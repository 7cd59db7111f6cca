import assert from 'node:assert/strict';

interface Operation {
  readonly responses: Readonly<Record<string, Reference & { readonly headers?: Readonly<Record<string, Reference>> }>>;
}
interface Reference {
  readonly $ref?: string;
}
interface ProblemAnswer {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: {
    readonly 'application/problem+json': {
      readonly schema: {
        readonly allOf: readonly { readonly properties?: { readonly code: { readonly enum: string[] } } }[];
      };
    };
  };
}
/** What is read of an OpenAPI document. */
export interface ReadDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, ProblemAnswer>> };
}

/** What of an answer the document speaks of. */
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Asserts that the document states an answer of one of its operations: its status, the code of a problem, and exactly
 * those of its headers that come with some answers only.
 */
export function assertDocumented(document: ReadDocument, method: string, address: string, answer: Answered): void {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  const operation = operationOf(document, pathname, method.toLowerCase());
  if (operation === undefined) return;
  const name = `${method} ${address}: ${String(answer.status)}`;
  const stated = operation.responses[String(answer.status)];
  assert.ok(stated !== undefined, `${name} is not in the document: ${answer.text}`);
  const component = (stated.$ref ?? '').replace('#/components/responses/', '');
  const isProblem = component !== '';
  const shared = document.components.responses[component];
  if (isProblem) {
    const { code } = JSON.parse(answer.text) as { readonly code: string };
    const codes = shared?.content['application/problem+json'].schema.allOf.flatMap(
      ({ properties }) => properties?.code.enum ?? [],
    );
    assert.ok(codes?.includes(code) === true, `${name} ${code} is not in the document`);
  }
  const headers = Object.keys((isProblem ? shared?.headers : stated.headers) ?? {});
  const isPlan = searchParams.get('dryRun') === 'true';
  for (const header of ['ETag', 'Location', 'WWW-Authenticate', 'Retry-After', 'X-Request-Id']) {
    const isStated = headers.includes(header);
    if (answer.headers.has(header)) assert.ok(isStated, `${name} has ${header}, which is not in the document`);
    // A commit that was not confirmed and a plan have some of them, or not.
    else assert.ok(!isStated || isPlan || answer.status === 503, `${name} lacks ${header}`);
  }
}

function operationOf({ paths }: ReadDocument, path: string, method: string): Operation | undefined {
  const fitting = Object.keys(paths).filter((template) => {
    const pattern = template.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^${pattern}$`).test(path);
  });
  const nearest =
    fitting.find((template) => !template.includes('{')) ??
    fitting.find((template) => /\}:[a-z]+$/.test(template)) ??
    fitting[0];
  return nearest === undefined ? undefined : paths[nearest]?.[method];
}

import assert from 'node:assert/strict';
import type { ManagementInUse } from './use-management.ts';

/** An operation of the OpenAPI document that the API serves. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** As the document has it: `/v1/consumers/{id}`. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly hasBody: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

type Document = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>> }>;
type DocumentedOperation = Readonly<{
  operationId?: string;
  parameters?: readonly Parameter[];
  requestBody?: unknown;
}>;

/** Every operation below `/v1` of the document that is served. */
export async function readOperations({ ask }: ManagementInUse): Promise<readonly Operation[]> {
  const { body } = await ask('GET', '/openapi.json');
  const found = Object.entries((body as unknown as Document).paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, parameters = [], requestBody }]): Operation => {
      assert.ok(operationId !== undefined, `${method} ${path} has no operationId`);
      return {
        ...{ id: operationId, method: method.toUpperCase(), path, parameters },
        hasBody: requestBody !== undefined,
      };
    }),
  );
  const below = found.filter(({ path }) => path.startsWith('/v1/'));
  assert.ok(below.length > 0, 'the document has no operations');
  return below;
}

/** Whether it changes something: some only take what they look at in their body. */
export function changes({ id, method }: Operation): boolean {
  const explains = ['explainRequest', 'listResources', 'compareSecrets'];
  return !['GET', 'HEAD', 'OPTIONS'].includes(method) && !explains.includes(id);
}

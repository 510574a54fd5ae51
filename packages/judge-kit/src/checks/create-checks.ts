import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { createSchemaChecks, type SchemaChecks } from '../schemas/schema-checks.ts'
import type { FitsSchema } from './check-answer.ts'
import type { ChecksDeps } from './run-checks.ts'
import { createScripts } from './script.ts'

/**
 * What a process needs to judge by checks. The thread of scripts starts with the first one.
 *
 * @param schemas those that the process compiles anyway
 */
export function createChecks(onStop: OnStop, schemas: SchemaChecks = createSchemaChecks()): ChecksDeps {
  return { fitsSchema: createFitsSchema(schemas), runScript: createScripts(onStop), slicedWork: createSlicedWork() }
}

/** Whether a value fits a schema that was checked before. */
export function createFitsSchema({ checkOf }: Pick<SchemaChecks, 'checkOf'> = createSchemaChecks()): FitsSchema {
  return (schema, value) => checkOf(schema)(value) === null
}

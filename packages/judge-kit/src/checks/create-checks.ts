import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { createSchemaChecks } from '../schemas/schema-checks.ts'
import type { FitsSchema } from './check-answer.ts'
import type { ChecksDeps } from './run-checks.ts'
import { createScripts } from './script.ts'

/** What a process needs to judge by checks. The thread of scripts starts with the first one. */
export function createChecks(onStop: OnStop): ChecksDeps {
  return { fitsSchema: createFitsSchema(), runScript: createScripts(onStop) }
}

/** Whether a value fits a schema that was checked before. */
export function createFitsSchema(): FitsSchema {
  const { checkOf } = createSchemaChecks()
  return (schema, value) => checkOf(schema)(value) === null
}

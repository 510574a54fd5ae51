import type { z } from 'zod'
import { describeIssue, innermostIssue } from './describe-issue.ts'
import { ServiceError } from './service-error.ts'

/**
 * Parses a caller's input. In messages of schemas that begin with `This`, the word is replaced by the field's name.
 * `path` is where the value is in the caller's body.
 *
 * @throws ServiceError 400 that names the wrong field
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: readonly PropertyKey[] = [],
): z.output<S> {
  // Express creates params and query without a prototype, and zod rejects such objects.
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
  const result = schema.safeParse(isPlain ? { ...value } : value, { error: describeIssue })
  if (result.success) return result.data
  throw invalidInput(result.error, path)
}

/** The first issue of a zod error as a message for the caller, with the field's name. */
function invalidInput({ issues: [first] }: z.ZodError, above: readonly PropertyKey[]): ServiceError {
  if (first === undefined) return new ServiceError('invalid_request', 'The request is not valid.')
  const issue = innermostIssue({ ...first, path: [...above, ...first.path] })
  if (issue.code === 'unrecognized_keys') {
    const param = [...issue.path, issue.keys[0]].join('.')
    return new ServiceError('unknown_parameter', `Unknown parameter: ${param}.`, { param })
  }
  const param = issue.path.join('.')
  const subject = param === '' ? 'The body ' : `\`${param}\` `
  return new ServiceError('invalid_request', issue.message.replace(/^This /, subject), param === '' ? {} : { param })
}

import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import type { Request, Response, Router } from 'express'
import type { z } from 'zod'
import { describeIssue, innermostIssue } from './describe-issue.ts'
import { identityOf } from './require-identity.ts'
import { ServiceError } from './service-error.ts'

export interface Input<E extends Endpoint> {
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: z.output<E['body']>
  readonly identity: Identity
  readonly request: Request
}

/** Mounts one endpoint: parse the input, run the handler, check the reply. Express 5 forwards rejections. */
export function mount<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handler: (input: Input<E>) => Promise<z.input<E['reply']>> | z.input<E['reply']>,
): void {
  router[endpoint.method](endpoint.path, async (request, response) => {
    request.routeName = endpoint.path
    const input: Input<E> = {
      ...readInput(endpoint, request),
      body: parseInput<E['body']>(endpoint.body, request.body ?? {}),
    }
    response.status(endpoint.status).json(endpoint.reply.parse(await handler(input)))
  })
}

/** The same for a route that reads the body or writes the answer itself: it gets the rest of the input, and the response. */
export function mountRaw<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handler: (input: Omit<Input<E>, 'body'>, response: Response) => Promise<unknown>,
): void {
  router[endpoint.method](endpoint.path, async (request, response) => {
    request.routeName = endpoint.path
    await handler(readInput(endpoint, request), response)
  })
}

function readInput<E extends Endpoint>(endpoint: E, request: Request): Omit<Input<E>, 'body'> {
  return {
    params: parseInput<E['params']>(endpoint.params, request.params),
    query: parseInput<E['query']>(endpoint.query, request.query),
    identity: identityOf(request),
    request,
  }
}

/**
 * Reads what a caller sent. Messages of schemas that speak of `This` are answered with the name of the field instead.
 *
 * @throws ServiceError 400 that names the field at fault
 */
export function parseInput<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  // Express makes params and query without a prototype, which zod takes for foreign objects.
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
  const result = schema.safeParse(isPlain ? { ...value } : value, { error: describeIssue })
  if (result.success) return result.data
  throw invalidInput(result.error)
}

/** The first problem of a zod error as the caller should see it, with the field's name. */
function invalidInput({ issues: [first] }: z.ZodError): ServiceError {
  if (first === undefined) return new ServiceError('invalid_request', 'The request is not valid.')
  const issue = innermostIssue(first)
  if (issue.code === 'unrecognized_keys') {
    const param = [...issue.path, issue.keys[0]].join('.')
    return new ServiceError('unknown_parameter', `Unknown parameter: ${param}.`, { param })
  }
  const param = issue.path.join('.')
  const subject = param === '' ? 'The body ' : `\`${param}\` `
  return new ServiceError('invalid_request', issue.message.replace(/^This /, subject), param === '' ? {} : { param })
}

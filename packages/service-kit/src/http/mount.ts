import { recordedActionOf } from '@ratchet/contracts/changes'
import type { MountedEndpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import type { Request, Response, Router } from 'express'
import type { z } from 'zod'
import { admitCaller, identityOf } from '../identity/require-identity.ts'
import { parseInput } from './parse-input.ts'
import { recordChange } from './record-change.ts'

export interface Input<E extends MountedEndpoint> {
  readonly params: z.output<E['params']>
  readonly query: z.output<E['query']>
  readonly body: z.output<E['body']>
  readonly identity: Identity
  readonly request: Request
}

/** Mounts one endpoint: parse the input, run the handler, check the reply. Express 5 forwards rejections. */
export function mount<E extends MountedEndpoint>(
  router: Router,
  endpoint: E,
  handler: (input: Input<E>) => Promise<z.input<E['reply']>> | z.input<E['reply']>,
): void {
  mountRaw(router, endpoint, async (read, response) => {
    const input: Input<E> = { ...read, body: parseInput<E['body']>(endpoint.body, read.request.body ?? {}) }
    response.status(endpoint.status).json(endpoint.reply.parse(await handler(input)))
  })
}

/** The same for a route that reads the body or writes the answer itself. It receives the other input and the response. */
export function mountRaw<E extends MountedEndpoint>(
  router: Router,
  endpoint: E,
  handler: (input: Omit<Input<E>, 'body'>, response: Response) => Promise<unknown>,
): void {
  const action = recordedActionOf(endpoint)
  router[endpoint.method](endpoint.path, async (request, response) => {
    request.routeName = endpoint.path
    const input = readInput(endpoint, request)
    if (action === null) await handler(input, response)
    else await recordChange({ action, ...input, response }, () => handler(input, response))
  })
}

function readInput<E extends MountedEndpoint>(endpoint: E, request: Request): Omit<Input<E>, 'body'> {
  admitCaller(request, endpoint)
  return {
    params: parseInput<E['params']>(endpoint.params, request.params),
    query: parseInput<E['query']>(endpoint.query, request.query),
    identity: identityOf(request),
    request,
  }
}

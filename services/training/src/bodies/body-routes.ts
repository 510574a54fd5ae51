import type { Endpoint } from '@ratchet/contracts/endpoint'
import type { Identity } from '@ratchet/contracts/identity'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { createWaiters } from '@ratchet/service-kit/http/prefer-wait'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Request, Response } from 'express'
import type { z } from 'zod'
import { answeringFlatly } from './flat-routes.ts'
import type { SpelledBody } from './spelled-body.ts'

interface Incoming {
  readonly identity: Identity
  readonly request: Request
  readonly response: Response
}

/**
 * Reads bodies that are costly to check, because each reads some megabytes of data: eight at a time, two of a workspace.
 *
 * @param busy what those are told that find no place
 */
export function bodyReader<S extends z.ZodType>(read: (sent: unknown) => SpelledBody<S>, busy: string) {
  const readers = createWaiters({ stopping: new AbortController().signal, maxWaiting: 8, maxOfOwner: 2 })
  return async (
    { maxJsonBytes }: Pick<Endpoint, 'maxJsonBytes'>,
    { identity, request, response }: Incoming,
    handle: (request: z.output<S>) => Promise<void>,
  ): Promise<void> => {
    const leave = readers.enter(identity.workspaceId)
    if (leave === null) throw new ServiceError('rate_limit_exceeded', busy, { retryAfterSeconds: 1 })
    try {
      await answeringFlatly(response, async () => {
        const { request: body, asSpelled } = read(await readJson(request, response, maxJsonBytes))
        await handle(body).catch((error: unknown) => {
          throw asSpelled(error)
        })
      })
    } finally {
      leave()
    }
  }
}

import { cancelResponse, deleteResponse, getResponse, listInputItems } from '@ratchet/contracts/responses'
import type { BodyBudget, HeldBody } from '@ratchet/service-kit/http/body-budget'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Response, Router } from 'express'
import { requestIdOf } from '../wire/responses/response-id.ts'
import type { FoundResponse, FoundTexts, ResponseStore } from './stored-response.ts'

export interface StoredResponseDeps {
  readonly responses: ResponseStore
  /** Memory for answers. */
  readonly answers: BodyBudget
  readonly now: () => Date
}

/** All endpoints of stored responses except creating them. */
export function responseRoutes(router: Router, deps: StoredResponseDeps): void {
  mountRaw(router, getResponse, async ({ params, query, identity }, response) => {
    const { stream, starting_after, include_obfuscation } = query
    if (stream === 'true') throw notStreamed('stream')
    if (starting_after !== undefined) throw notStreamed('starting_after')
    if (include_obfuscation !== undefined) throw notStreamed('include_obfuscation')
    const { reply } = await requireResponse(deps, { ...identity, responseId: params.id })
    await whileHeld(deps.answers.enter(identity.workspaceId), response, async (held) => {
      response.type('application/json').send(await textOf(reply, held))
    })
  })

  mount(router, deleteResponse, async ({ params, identity: { workspaceId } }) => {
    const id = requestIdOf(params.id)
    if (id === null || !(await deps.responses.delete({ workspaceId, id }, deps.now())))
      throw notFound('stored response')
    return { id: params.id, object: 'response' as const, deleted: true as const }
  })

  mount(router, cancelResponse, async ({ params, identity }) => {
    await requireResponse(deps, { ...identity, responseId: params.id })
    const message = 'Only a background response can be cancelled, and this one was not run in the background.'
    throw new ServiceError('invalid_request', message, { param: 'id' })
  })

  mountRaw(router, listInputItems, async ({ params, query, identity }, response) => {
    const { inputItems } = await requireResponse(deps, { ...identity, responseId: params.id })
    await whileHeld(deps.answers.enter(identity.workspaceId), response, async (held) => {
      // They got their ids before they were stored.
      response.json(pageOf(JSON.parse(await textOf(inputItems, held)), query))
    })
  })
}

/** Answers with a text that is held until its client has taken the answer. */
async function whileHeld(held: HeldBody, response: Response, answer: (held: HeldBody) => Promise<void>): Promise<void> {
  try {
    await answer(held)
  } finally {
    if (response.destroyed) held.leave()
    else response.once('close', held.leave)
  }
}

/** @throws ServiceError `service_unavailable` when the workspace has no room for it, 404 when it was deleted meanwhile */
async function textOf({ bytes, read }: FoundTexts<string | null>, held: HeldBody): Promise<string> {
  held.add(bytes)
  const text = await read()
  if (text === null) throw notFound('stored response')
  return text
}

interface Named {
  readonly workspaceId: string
  readonly responseId: string
}

async function requireResponse(deps: StoredResponseDeps, { workspaceId, responseId }: Named): Promise<FoundResponse> {
  const id = requestIdOf(responseId)
  const found = id === null ? null : await deps.responses.find({ workspaceId, id }, deps.now())
  if (found === null) throw notFound('stored response')
  return found
}

interface Item {
  [member: string]: unknown
  id: string
  type: string
}

interface PageQuery {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  readonly after?: string | undefined
}

function pageOf(items: readonly Item[], { limit, order, after }: PageQuery) {
  const ordered = order === 'asc' ? items : items.toReversed()
  const start = after === undefined ? 0 : ordered.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && start === 0) {
    throw new ServiceError('invalid_request', 'after names no item of this response.', { param: 'after' })
  }
  const data = ordered.slice(start, start + limit)
  return {
    object: 'list' as const,
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  }
}

function notStreamed(param: string): ServiceError {
  return new ServiceError('unsupported_parameter', 'A stored response cannot be streamed again.', { param })
}

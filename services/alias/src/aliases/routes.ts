import {
  deleteAlias,
  getAlias,
  listAliasEvents,
  listAliases,
  putAlias,
  rollbackAlias,
} from '@ratchet/contracts/aliases'
import { mount, mountRaw } from '@ratchet/service-kit/mount'
import { mountJson, readJson } from '@ratchet/service-kit/mount-json'
import { parseInput } from '@ratchet/service-kit/parse-input'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Router } from 'express'
import type { AliasEvents, AliasStore } from './alias.ts'
import { aliasReply, eventReply } from './alias-reply.ts'
import { readPrecondition, requirePrecondition } from './precondition.ts'
import { aliasNotFound, requireAlias } from './require-alias.ts'
import { actorOf, putDesired, rollBack, type SaveAliasDeps } from './save-alias.ts'

export interface AliasRouteDeps extends SaveAliasDeps {
  readonly aliases: AliasStore
  readonly events: AliasEvents
}

const maxBodyBytes = 65_536

/** Names that route to models: making, reading, changing and deleting them, and their audit. */
export function aliasRoutes(router: Router, deps: AliasRouteDeps): void {
  const { aliases } = deps
  mountJson(router, putAlias, {
    maxBodyBytes,
    handle: async ({ body, identity, request }) => {
      const writer = { identity, requestId: request.id, precondition: readPrecondition(request) }
      return { reply: aliasReply(await putDesired(deps, body, writer)) }
    },
  })
  rollbackRoute(router, deps)
  mount(router, listAliases, async ({ query: { limit, offset }, identity: { workspaceId } }) => {
    const { total, aliases: found } = await aliases.list({ workspaceId, limit, offset })
    const data = found.map(aliasReply)
    return { object: 'list' as const, data, total, limit, offset, has_more: offset + data.length < total }
  })
  mount(router, getAlias, async ({ params, identity }) =>
    aliasReply(await requireAlias(aliases, identity, params.name)),
  )
  deleteRoute(router, deps)
  mount(router, listAliasEvents, async ({ params, query: { limit, offset }, identity: { workspaceId } }) => {
    const { name } = params
    if (name.includes('\0')) throw aliasNotFound()
    const { total, events } = await deps.events.list({ workspaceId, name, limit, offset })
    if (total === 0) throw aliasNotFound()
    const data = events.map(eventReply)
    return { object: 'list' as const, data, total, limit, offset, has_more: offset + data.length < total }
  })
}

/** In a hurry one sends no body at all. */
function rollbackRoute(router: Router, deps: AliasRouteDeps): void {
  mountRaw(router, rollbackAlias, async ({ params, identity, request }, response) => {
    const hasBody = request.get('content-type') !== undefined
    const sent = hasBody ? await readJson(request, response, maxBodyBytes) : {}
    const { reason } = parseInput<typeof rollbackAlias.body>(rollbackAlias.body, sent)
    const writer = { identity, requestId: request.id, precondition: readPrecondition(request) }
    response.json(rollbackAlias.reply.parse(aliasReply(await rollBack(deps, { name: params.name, reason }, writer))))
  })
}

/** Times that a deletion is tried which a change overtook. */
const maxTries = 10

function deleteRoute(router: Router, { aliases, now, newId }: AliasRouteDeps): void {
  mount(router, deleteAlias, async ({ params: { name }, identity, request }) => {
    const precondition = readPrecondition(request)
    for (let attempt = 0; attempt < maxTries; attempt += 1) {
      const alias = await requireAlias(aliases, identity, name)
      requirePrecondition(alias.version, precondition)
      const { id: aliasId, workspaceId, settings } = alias
      const isDeleted = await aliases.delete(alias, {
        id: newId(),
        workspaceId,
        aliasId,
        aliasName: settings.name,
        kind: 'delete' as const,
        actor: actorOf({ identity, requestId: request.id }),
        before: settings,
        after: null,
        evidence: null,
        reason: null,
        createdAt: now(),
      })
      if (isDeleted) return { name, deleted: true as const }
    }
    throw new ServiceError('conflict', 'Others change this alias all the time; try again.', { retryAfterSeconds: 1 })
  })
}

import {
  deleteAlias,
  getAlias,
  listAliasEvents,
  listAliases,
  putAlias,
  rollbackAlias,
} from '@ratchet/contracts/aliases'
import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { listAliasAudit } from '@ratchet/contracts/session-aliases'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { mountJson, readJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import type { Request, Router } from 'express'
import { noArms } from '../gate/arm-counts.ts'
import type { CanaryCounts, CanaryStore } from '../gate/pg-canary.ts'
import { planBefore } from '../gate/plan-reply.ts'
import { aliasReply, type Epoch, eventReply, isGated, type StoredAlias } from './alias.ts'
import type { AliasEvents } from './pg-alias-events.ts'
import { readPrecondition } from './precondition.ts'
import {
  aliasNotFound,
  removeAlias,
  replaceAlias,
  requireAlias,
  rollBackAlias,
  type SaveAliasDeps,
  type Writer,
} from './save-alias.ts'

export interface AliasRouteDeps extends SaveAliasDeps {
  readonly events: AliasEvents
  readonly canary: Pick<CanaryStore, 'planCounts'>
}

export function aliasRoutes(router: Router, deps: AliasRouteDeps): void {
  const { aliases } = deps
  mountJson(router, putAlias, async ({ body, identity, request }) => {
    // A new split deletes the counts of the one before it, and these are the pace of the plan. Nothing else needs them.
    const before = isGated(body) ? await countsBefore(deps, identity, body.name) : null
    const alias = await replaceAlias(deps, body, writerOf(identity, request))
    const reply = aliasReply(alias)
    if (!isGated(alias.settings)) return { reply }
    if (before === 'unavailable') return { reply: { ...reply, gate_plan_missing: 'counts_unavailable' as const } }
    return { reply: { ...reply, gate_plan: planFrom(deps, alias, before) } }
  })
  rollbackRoute(router, deps)
  mount(router, deleteAlias, async ({ params: { name }, identity, request }) => ({
    name,
    deleted: await removeAlias(deps, name, writerOf(identity, request)),
  }))
  mount(router, listAliases, async ({ query: { limit, offset }, identity: { workspaceId } }) => {
    const { total, aliases: page } = await aliases.list({ workspaceId, limit, offset })
    const data = page.map(aliasReply)
    return pageReply(data, total, { limit, offset })
  })
  mount(router, getAlias, async ({ params, identity }) =>
    aliasReply(await requireAlias(aliases, identity, params.name)),
  )
  mount(router, listAliasEvents, async ({ params, query: { limit, offset }, identity: { workspaceId } }) => {
    const { name } = params
    if (name.includes('\0')) throw aliasNotFound()
    const { total, events, names } = await deps.events.list({ workspaceId, name, limit, offset })
    if (total === 0) throw aliasNotFound()
    const data = events.map((event) => eventReply(event, names))
    return pageReply(data, total, { limit, offset })
  })
  mount(router, listAliasAudit, async ({ query, identity: { workspaceId } }) => {
    const { total, events, names } = await deps.events.list({ workspaceId, ...query })
    const data = events.map((event) => eventReply(event, names))
    return pageReply(data, total, query)
  })
}

interface CountsBefore extends Pick<CanaryCounts, 'arms' | 'shadow'> {
  readonly epoch: Epoch
}

/** The traffic of an alias before a change; null for a new one. The change does not depend on it. */
async function countsBefore(
  { aliases, canary, now }: AliasRouteDeps,
  { workspaceId }: Identity,
  name: string,
): Promise<CountsBefore | null | 'unavailable'> {
  const alias = await aliases.get({ workspaceId, name })
  if (alias === null) return null
  try {
    return { ...(await canary.planCounts(alias, now())), epoch: alias.epoch }
  } catch {
    return 'unavailable'
  }
}

function planFrom({ now }: AliasRouteDeps, { settings, gate, epoch }: StoredAlias, before: CountsBefore | null) {
  const { epoch: counted, ...counts } = before ?? { arms: noArms(settings), shadow: null, epoch }
  return planBefore({ settings, judge: gate.judge, ...counts, epoch: counted, at: now(), failRate: null })
}

/** The body is optional, so that a rollback in an emergency is one short command. */
function rollbackRoute(router: Router, deps: AliasRouteDeps): void {
  mountRaw(router, rollbackAlias, async ({ params, identity, request }, response) => {
    const hasBody = request.get('content-type') !== undefined
    const sent = hasBody ? await readJson(request, response, rollbackAlias.maxJsonBytes) : {}
    const { reason } = parseInput<typeof rollbackAlias.body>(rollbackAlias.body, sent)
    const alias = await rollBackAlias(deps, { name: params.name, reason }, writerOf(identity, request))
    response.json(rollbackAlias.reply.parse(aliasReply(alias)))
  })
}

function writerOf(identity: Identity, request: Request): Writer {
  return { identity, requestId: request.id, precondition: readPrecondition(request) }
}

import { isDeepStrictEqual } from 'node:util'
import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import {
  type AgentCanary,
  deleteAgentCanary,
  getAgentCanary,
  type PutAgentCanary,
  putAgentCanary,
} from '@ratchet/contracts/voice/canaries'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import type { StoredAgent } from '../agents/agent.ts'
import type { AgentStore } from '../agents/agent-store.ts'
import { requireAgent } from '../agents/require-agent.ts'
import type { RequireCallJudge } from '../judgements/require-call-judge.ts'
import type { CanaryStore } from './canary.ts'
import { canaryReply } from './canary-reply.ts'

export interface CanaryRouteDeps {
  readonly agents: AgentStore
  readonly canaries: CanaryStore
  readonly requireCallJudge: RequireCallJudge
  readonly newId: () => string
  readonly now: () => Date
}

export function canaryRoutes(router: Router, deps: CanaryRouteDeps): void {
  const { agents, canaries, newId, now } = deps
  mountJson(router, putAgentCanary, async ({ params, body, identity }) => {
    const agent = await requireAgent(agents, identity, params.id)
    const settings = await checked(deps, { agent, body, identity })
    const before = await canaries.get(agent)
    const isSame = before?.decidedAt === null && isDeepStrictEqual(before.settings, settings)
    if (!isSame) {
      const change = { eventId: newId(), userId: identity.userId, at: now() }
      const targetVersion = publishedOf(agent)
      if (!(await canaries.begin(agent, { ...change, settings, targetVersion }))) throw notFound('version', 'version')
    }
    return { reply: await read(deps, agent) }
  })
  mount(router, getAgentCanary, async ({ params, identity }) =>
    read(deps, await requireAgent(agents, identity, params.id)),
  )
  mount(router, deleteAgentCanary, async ({ params: { id }, identity }) => {
    const agent = await requireAgent(agents, identity, id)
    const isEnded = await canaries.end(agent, { eventId: newId(), userId: identity.userId, at: now() })
    if (!isEnded) throw notFound('canary')
    return { object: 'agent.canary' as const, agent_id: id, deleted: true as const }
  })
}

interface Requested {
  readonly agent: StoredAgent
  readonly body: PutAgentCanary
  readonly identity: Identity
}

/** @returns the settings with the UUID of the judge @throws ServiceError that names what is wrong */
async function checked({ agents, requireCallJudge }: CanaryRouteDeps, { agent, body, identity }: Requested) {
  const id = uuidOf('criterion', body.gate_criterion_id)
  if (id === null) throw notFound('criterion', 'gate_criterion_id')
  if ((await agents.version(agent, body.version)) === null) throw notFound('version', 'version')
  if (body.version === publishedOf(agent)) {
    throw new ServiceError('conflict', 'The version is the published one: there is nothing to compare.')
  }
  const place = { param: 'gate_criterion_id', mustAct: body.gate_mode === 'auto' && body.percent > 0 }
  await requireCallJudge(identity, body.gate_criterion_id, place)
  return { ...body, gate_criterion_id: id }
}

function publishedOf({ publishedVersion }: StoredAgent): number {
  if (publishedVersion === null) throw new ServiceError('conflict', 'The agent has no published version.')
  return publishedVersion
}

async function read({ canaries }: CanaryRouteDeps, agent: StoredAgent): Promise<AgentCanary> {
  const canary = await canaries.get(agent)
  if (canary === null) throw notFound('canary')
  return canaryReply(canary, await canaries.counts(canary))
}

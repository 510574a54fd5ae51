import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import {
  AgentSpec,
  createAgent,
  deleteAgent,
  getAgent,
  getAgentVersion,
  listAgents,
  listAgentVersions,
  publishAgentVersion,
  updateAgent,
} from '@ratchet/contracts/voice/agents'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { parseInput } from '@ratchet/service-kit/http/parse-input'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Router } from 'express'
import { requiredVersion, requireVersion } from '../if-match.ts'
import type { RequireCallJudge } from '../judgements/require-call-judge.ts'
import { scopeOf } from '../scope.ts'
import type { VoiceList } from '../voices/voice-list.ts'
import { maxAgents } from './agent.ts'
import { agentReply, versionReply } from './agent-reply.ts'
import type { AgentStore, NewAgentVersion } from './agent-store.ts'
import { checkSpeech, checkVariables } from './check-spec.ts'
import { checkSupport } from './check-support.ts'
import { requireAgent } from './require-agent.ts'
import { specHash } from './spec-hash.ts'

export interface AgentRouteDeps extends OnceDeps {
  readonly agents: AgentStore
  readonly voiceList: VoiceList
  /** Ids of recognizers. */
  readonly recognizers: ReadonlySet<string>
  readonly requireCallJudge: RequireCallJudge
  readonly newId: () => string
}

export function agentRoutes(router: Router, deps: AgentRouteDeps): void {
  const { agents } = deps
  mount(router, listAgents, async ({ query, identity }) => {
    const { total, agents: page } = await agents.list(identity, { ...query, userId: scopeOf(identity) })
    return pageReply(page.map(agentReply), total, query)
  })
  mount(router, getAgent, async ({ params, identity }) => agentReply(await requireAgent(agents, identity, params.id)))
  mount(router, deleteAgent, async ({ params: { id }, identity }) => {
    const agent = await requireAgent(agents, identity, id)
    const deleted = await agents.delete(agent, change(deps, identity))
    if (deleted === 'absent') throw notFound('agent')
    if (deleted === 'busy') {
      throw new ServiceError('conflict', 'Calls of the agent wait or are under way. Stop them first.')
    }
    return { object: 'agent' as const, id, deleted: true as const }
  })
  createRoute(router, deps)
  updateRoute(router, deps)
  versionRoutes(router, deps)
}

function createRoute(router: Router, deps: AgentRouteDeps): void {
  const { agents } = deps
  mountJson(router, createAgent, async ({ body, identity, request }) => {
    const spec = await checkedSpec(deps, identity, body)
    const order = { request, identity, endpoint: createAgent.path, body }
    const { answer, headers } = await answerJsonOnce(deps, order, async () => {
      const key = { workspaceId: identity.workspaceId, id: deps.newId() }
      const created = await agents.create({ ...key, ...newVersion(deps, identity, spec) })
      if (created === 'no_tool') throw notFound('tool', 'tool_ids')
      if (created === 'full') {
        throw new ServiceError('conflict', `A workspace may have ${maxAgents} agents; delete one first.`)
      }
      return { id: key.id }
    })
    const agent = await agents.get({ workspaceId: identity.workspaceId, id: answer.id })
    if (agent === null) throw notFound('agent')
    return { headers, reply: agentReply(agent) }
  })
}

function updateRoute(router: Router, deps: AgentRouteDeps): void {
  const { agents } = deps
  mountJson(router, updateAgent, async ({ body: { publish, ...changes }, params, identity, request }) => {
    const agent = await requireAgent(agents, identity, params.id)
    requireVersion(agent.version, requiredVersion(request))
    const spec = await checkedSpec(deps, identity, { ...agent.spec, ...changes })
    const next = { ...newVersion(deps, identity, spec), after: agent.version, publish }
    const added = await agents.addVersion(agent, next)
    if (added === 'no_tool') throw notFound('tool', 'tool_ids')
    if (added === 'changed') throw new ServiceError('conflict', 'The agent was changed at the same time. Retry.')
    return { reply: agentReply(await requireAgent(agents, identity, params.id)) }
  })
}

function versionRoutes(router: Router, deps: AgentRouteDeps): void {
  const { agents } = deps
  mount(router, listAgentVersions, async ({ params, query, identity }) => {
    const agent = await requireAgent(agents, identity, params.id)
    const { total, versions } = await agents.versions(agent, query)
    const shown = versions.map((version) => versionReply(version, agent.publishedVersion))
    return pageReply(shown, total, query)
  })
  mount(router, getAgentVersion, async ({ params, identity }) => {
    const agent = await requireAgent(agents, identity, params.id)
    const version = await agents.version(agent, params.version)
    if (version === null) throw notFound('version', 'version')
    return versionReply(version, agent.publishedVersion)
  })
  mount(router, publishAgentVersion, async ({ params: { id, version }, identity }) => {
    const agent = await requireAgent(agents, identity, id)
    const isPublished = await agents.publish(agent, { ...change(deps, identity), version })
    if (!isPublished) throw notFound('version', 'version')
    return agentReply(await requireAgent(agents, identity, id))
  })
}

/** @throws ServiceError that names what is wrong */
async function checkedSpec(
  { voiceList, recognizers, requireCallJudge }: AgentRouteDeps,
  identity: Identity,
  body: unknown,
): Promise<AgentSpec> {
  const spec = parseInput(AgentSpec, body)
  const language = checkSpeech(spec, voiceList)
  checkVariables(spec)
  checkSupport(spec, { recognizers })
  for (const id of spec.criterion_ids) {
    await requireCallJudge(identity, id, { param: 'criterion_ids', mustAct: false })
  }
  return { ...spec, language }
}

function newVersion(deps: AgentRouteDeps, identity: Identity, spec: AgentSpec): NewAgentVersion {
  const owned = { versionId: deps.newId(), toolOwner: scopeOf(identity) }
  return { ...change(deps, identity), ...owned, spec, sha256: specHash(spec) }
}

function change({ newId, now }: AgentRouteDeps, { userId }: Identity) {
  return { eventId: newId(), userId, at: now() }
}

import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { chatWithAgent, replayCall } from '@ratchet/contracts/voice/trials'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { createFairPlaces } from '@ratchet/service-kit/timing/fair-places'
import type { Router } from 'express'
import type { AgentStore } from '../agents/agent-store.ts'
import { requireAgent } from '../agents/require-agent.ts'
import { isOver } from '../calls/call.ts'
import { planCall } from '../calls/call-plan.ts'
import type { CallStore } from '../calls/call-store.ts'
import { callVariables, checkFilledTexts } from '../calls/call-variables.ts'
import type { CallWriters } from '../calls/call-writers.ts'
import { requireCall } from '../calls/require-call.ts'
import type { AnswerWriter, ToolCaller } from '../engine/ports.ts'
import type { VoiceToolStore } from '../tools/tool-store.ts'
import type { StoredTool } from '../tools/voice-tool.ts'
import { chat, turnOf } from './chat.ts'
import { placesOf, replay } from './replay.ts'

export interface TrialRouteDeps {
  readonly agents: AgentStore
  readonly calls: CallStore
  readonly tools: Pick<VoiceToolStore, 'get'>
  /** Models, as requests of the workspace that belong to no call. */
  readonly writers: CallWriters
  readonly openTools: (trial: { readonly callId: string; readonly tools: readonly StoredTool[] }) => ToolCaller
  readonly newId: () => string
}

/** A trial has up to eight requests to models at a time, and takes up to minutes, so a workspace has two of the places. */
const trialPlaces = { places: 8, maxOfOwner: 2, maxWaitMs: 20_000, maxWaiting: { ofOwner: 20, ofAll: 200 } }

export function trialRoutes(router: Router, deps: TrialRouteDeps): void {
  const { agents, calls, newId, openTools } = deps
  const places = createFairPlaces(trialPlaces)
  mountJson(router, chatWithAgent, async ({ params, body, identity }) => {
    const agent = await requireAgent(agents, identity, params.id)
    const version = body.agent_version ?? agent.publishedVersion
    if (version === null) throw new ServiceError('conflict', 'The agent has no published version. Publish one first.')
    const trial = { id: newId(), agentId: agent.id, version, given: body.variables, isRecorded: false }
    const answer = await places.run(identity.workspaceId, async () => {
      const { writer, tools } = await open(deps, identity, trial)
      const turns = body.messages.map(({ role, text }) => turnOf(role, text))
      return chat({ writer, tools: openTools({ callId: trial.id, tools }) }, turns)
    })
    if (answer === null) throw new ServiceError('upstream_error', 'The model of the agent did not answer.')
    return {
      reply: {
        object: 'agent.chat' as const,
        agent_id: params.id,
        agent_version: version,
        trace_id: traceOf(trial.id),
        text: answer.text,
        tool_calls: [...answer.uses],
        ends_call: answer.endsCall,
      },
    }
  })
  mountJson(router, replayCall, async ({ params, body, identity }) => {
    const call = await requireCall(calls, identity, params.id)
    if (!isOver(call)) throw new ServiceError('conflict', 'The call is not over yet.')
    const trial = {
      id: newId(),
      agentId: call.agentId,
      version: body.agent_version,
      given: call.variables,
      isRecorded: true,
    }
    const steps = await places.run(identity.workspaceId, async () => {
      const { writer } = await open(deps, identity, trial)
      return replay(writer, placesOf(await calls.turns(call)))
    })
    return {
      reply: {
        object: 'call.replay' as const,
        call_id: params.id,
        agent_version: body.agent_version,
        trace_id: traceOf(trial.id),
        steps: [...steps],
        same: steps.filter(({ same }) => same).length,
        failed: steps.filter(({ replayed }) => replayed === null).length,
      },
    }
  })
}

interface Trial {
  readonly id: string
  readonly agentId: string
  readonly version: number
  readonly given: Readonly<Record<string, string>>
  /** Of a call, whose variables may be others than those of the version. */
  readonly isRecorded: boolean
}

const traceOf = (id: string) => `trial_${id.replaceAll('-', '')}`

/** @throws ServiceError `not_found` for a version that does not exist, `invalid_request` when a text would be too long */
async function open(
  { agents, tools, writers }: TrialRouteDeps,
  { workspaceId, userId, voice }: Identity,
  { id, agentId, version, given, isRecorded }: Trial,
): Promise<{ readonly writer: AnswerWriter; readonly tools: readonly StoredTool[] }> {
  const found = await agents.version({ workspaceId, id: agentId }, version)
  if (found === null) throw notFound('version', 'agent_version')
  const { spec } = found
  const own = (await Promise.all(toolIds(spec).map((each) => tools.get({ workspaceId, id: each })))).filter(
    (tool) => tool !== null,
  )
  const variables = callVariables(spec, isRecorded ? declared(spec, given) : given)
  checkFilledTexts(spec, {}, variables)
  const { writer: settings } = planCall({
    spec,
    tools: own,
    overrides: {},
    variables: { ...variables.open, ...variables.secret },
    isResumed: false,
    isTelephone: false,
    isDialed: false,
  })
  const order = { workspaceId, userId, callId: id, agentId, env: voice?.env ?? 'live', settings }
  return { writer: writers.open({ ...order, trial: traceOf(id) }), tools: own }
}

function declared({ variables }: AgentSpec, given: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(variables.flatMap(({ name }) => (given[name] === undefined ? [] : [[name, given[name]]])))
}

function toolIds({ tool_ids }: AgentSpec): readonly string[] {
  return tool_ids.flatMap((each) => uuidOf('voiceTool', each) ?? [])
}

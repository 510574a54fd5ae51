import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import {
  createVoiceTool,
  deleteVoiceTool,
  getVoiceTool,
  listVoiceTools,
  testVoiceTool,
  updateVoiceTool,
  type VoiceTool,
} from '@ratchet/contracts/voice/tools'
import { voiceToolPlace } from '@ratchet/contracts/voice/voice-tool-place'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mount } from '@ratchet/service-kit/http/mount'
import { mountJson } from '@ratchet/service-kit/http/mount-json'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { type SecretBox, SecretUnreadable } from '@ratchet/service-kit/identity/secret-box'
import type { Router } from 'express'
import { requiredVersion, requireVersion } from '../if-match.ts'
import { scopeOf, sees } from '../scope.ts'
import { callTool } from './call-tool.ts'
import { changedTool, checkToolName, checkToolSettings, type ToolRules } from './check-tool.ts'
import type { VoiceToolStore } from './tool-store.ts'
import { maxTools, type StoredTool, type ToolKey, type ToolSecrets } from './voice-tool.ts'

export interface VoiceToolRouteDeps extends OnceDeps, ToolRules {
  readonly tools: VoiceToolStore
  readonly secrets: SecretBox
  readonly randomBytes: (count: number) => Uint8Array
  readonly newId: () => string
}

const signingBytes = 32

export function voiceToolRoutes(router: Router, deps: VoiceToolRouteDeps): void {
  const { tools } = deps
  mount(router, listVoiceTools, async ({ query, identity }) => {
    const scope = { workspaceId: identity.workspaceId, userId: scopeOf(identity) }
    const { total, tools: page } = await tools.list({ ...scope, ...query })
    return pageReply(page.map(toolReply), total, query)
  })
  mount(router, getVoiceTool, async ({ params, identity }) => toolReply(await requireTool(tools, identity, params.id)))
  mount(router, deleteVoiceTool, async ({ params: { id }, identity }) => {
    const deleted = await tools.delete(await requireTool(tools, identity, id))
    if (deleted === 'absent') throw notFound('tool')
    if (deleted !== 'deleted') {
      throw new ServiceError('tool_in_use', `These agents use the tool: ${deleted.join(', ')}. Change them first.`)
    }
    return { object: 'tool' as const, id, deleted: true as const }
  })
  createRoute(router, deps)
  updateRoute(router, deps)
  testRoute(router, deps)
}

function createRoute(router: Router, deps: VoiceToolRouteDeps): void {
  const { tools, newId, now, randomBytes } = deps
  mountJson(router, createVoiceTool, async ({ body, identity, request }) => {
    const { name, http, ...others } = body
    const { secret_headers: headers, ...openHttp } = http
    const settings = { ...others, http: { ...openHttp, secret_header_names: Object.keys(headers) } }
    checkToolName(name)
    checkToolSettings(settings, deps)
    const order = { request, identity, endpoint: createVoiceTool.path, body }
    const { answer, headers: replyHeaders } = await answerJsonOnce(deps, order, async () => {
      const key = { workspaceId: identity.workspaceId, id: newId() }
      const signing = `whsec_${Buffer.from(randomBytes(signingBytes)).toString('base64')}`
      const secrets = seal(deps, key, { headers, signing })
      const created = await tools.create({ ...key, name, settings, secrets, userId: identity.userId, at: now() })
      if (created === 'name') throw nameTaken(name)
      if (created === 'full') {
        throw new ServiceError('conflict', `A workspace may have ${maxTools} tools; delete one first.`)
      }
      return { id: key.id }
    })
    const tool = await tools.get({ workspaceId: identity.workspaceId, id: answer.id })
    if (tool === null) throw notFound('tool')
    const reply = { ...toolReply(tool), signing_secret: open(deps, tool).signing }
    return { headers: replyHeaders, reply }
  })
}

function updateRoute(router: Router, deps: VoiceToolRouteDeps): void {
  const { tools, now } = deps
  mountJson(router, updateVoiceTool, async ({ body, params, identity, request }) => {
    const tool = await requireTool(tools, identity, params.id)
    requireVersion(tool.version, requiredVersion(request))
    const { name, settings, secrets } = changedTool(tool, open(deps, tool), body)
    checkToolName(name)
    checkToolSettings(settings, deps)
    const next = { name, settings, secrets: seal(deps, tool, secrets), at: now() }
    const updated = await tools.update(tool, next)
    if (updated === 'name') throw nameTaken(name)
    if (updated === 'changed') throw new ServiceError('conflict', 'The tool was changed at the same time. Retry.')
    return { reply: toolReply(await requireTool(tools, identity, params.id)) }
  })
}

function testRoute(router: Router, deps: VoiceToolRouteDeps): void {
  mountJson(router, testVoiceTool, async ({ body, params, identity }) => {
    const tool = await requireTool(deps.tools, identity, params.id)
    const startedMs = performance.now()
    const { name, settings } = tool
    const ids = { callId: null, toolCallId: deps.newId() }
    const called = await callTool(deps, {
      name,
      settings,
      secrets: open(deps, tool),
      ...ids,
      arguments: body.arguments,
    })
    const durationMs = Math.round(performance.now() - startedMs)
    return { reply: { object: 'tool.test' as const, ...called, duration_ms: durationMs } }
  })
}

function nameTaken(name: string): ServiceError {
  return new ServiceError('conflict', `Another tool is named ${name}.`, { param: 'name' })
}

function seal({ secrets: box }: VoiceToolRouteDeps, key: ToolKey, secrets: ToolSecrets) {
  return box.seal(JSON.stringify(secrets), voiceToolPlace(key))
}

/** @throws ServiceError `service_unavailable`: an operator can configure the key again */
function open({ secrets: box }: VoiceToolRouteDeps, tool: StoredTool): ToolSecrets {
  try {
    return JSON.parse(box.open(tool.secrets, voiceToolPlace(tool))) as ToolSecrets
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error
    const message = 'The secrets of this tool cannot be read. Ask the operator, or create the tool again.'
    throw new ServiceError('service_unavailable', message, { retryAfterSeconds: 30, cause: error })
  }
}

function toolReply({ id, name, version, settings, createdAt, updatedAt }: StoredTool): VoiceTool {
  const { http, ...others } = settings
  return {
    object: 'tool',
    id: publicId('voiceTool', id),
    name,
    ...others,
    http: { ...http, headers: { ...http.headers }, secret_header_names: [...http.secret_header_names] },
    version,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }
}

/** @throws ServiceError `not_found`, also for a tool of another workspace, or that the key does not see */
async function requireTool(
  tools: Pick<VoiceToolStore, 'get'>,
  identity: Identity,
  publicToolId: string,
): Promise<StoredTool> {
  const id = uuidOf('voiceTool', publicToolId)
  const tool = id === null ? null : await tools.get({ workspaceId: identity.workspaceId, id })
  if (tool === null || !sees(identity, tool)) throw notFound('tool')
  return tool
}

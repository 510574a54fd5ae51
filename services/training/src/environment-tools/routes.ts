import type { Endpoint } from '@ratchet/contracts/endpoint'
import { environmentToolPlace } from '@ratchet/contracts/environment-tool-place'
import {
  createEnvironmentTool,
  deleteEnvironmentTool,
  getEnvironmentTool,
  listEnvironmentTools,
  recordEnvironmentTool,
  testEnvironmentTool,
  updateEnvironmentTool,
} from '@ratchet/contracts/environment-tools'
import type { Identity } from '@ratchet/contracts/identity'
import { pageReply } from '@ratchet/contracts/page'
import { uuidOf } from '@ratchet/contracts/public-id'
import { answerJsonOnce, type OnceDeps } from '@ratchet/service-kit/http/answer-once'
import { mount, mountRaw } from '@ratchet/service-kit/http/mount'
import { readJson } from '@ratchet/service-kit/http/mount-json'
import { createWaiters } from '@ratchet/service-kit/http/prefer-wait'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import type { Request, Response, Router } from 'express'
import { answeringFlatly } from '../bodies/flat-routes.ts'
import { type AnswerDeps, answerCall } from './answer-call.ts'
import { changedHeaders, requireOwnSecrets, requireWhole } from './change-tool.ts'
import { unreadableAsUnavailable } from './create-tool-calls.ts'
import { maxTools, type ShownTool, type StoredTool, type ToolSecrets } from './environment-tool.ts'
import {
  type BodyDeps,
  readCreateBody,
  readTestBody,
  readTracesBody,
  readUpdateBody,
  requireSchema,
} from './read-tool-body.ts'
import { recordedReply, recordTool } from './record-tool.ts'
import { toolReply } from './tool-reply.ts'
import { changedSettings, newSettings } from './tool-settings.ts'
import type { NewTool, ToolStore } from './tool-store.ts'
import type { TraceReader } from './trace-reader.ts'

export interface ToolRouteDeps extends BodyDeps, OnceDeps {
  readonly tools: ToolStore
  readonly answers: AnswerDeps
  readonly traces: TraceReader
  readonly secrets: SecretBox
  readonly randomBytes: (count: number) => Uint8Array
  readonly newId: () => string
}

export function environmentToolRoutes(router: Router, deps: ToolRouteDeps): void {
  const { tools } = deps
  createRoutes(router, deps)
  mount(router, listEnvironmentTools, async ({ query: { kind, limit, offset }, identity: { workspaceId } }) => {
    const { total, tools: page } = await tools.list({ workspaceId, kind, limit, offset })
    return pageReply(page.map(toolReply), total, { limit, offset })
  })
  mount(router, getEnvironmentTool, async ({ params, identity }) =>
    toolReply(await requireTool(tools, identity, params.id)),
  )
  mount(router, deleteEnvironmentTool, async ({ params: { id }, identity }) => {
    const { workspaceId, toolId } = await requireTool(tools, identity, id)
    const deleted = await tools.delete({ workspaceId, id: toolId })
    if (deleted === 'absent') throw notFound('environment tool')
    if (deleted === 'in_use') {
      throw new ServiceError('tool_in_use', 'A training run that has not ended uses the tool.')
    }
    return { id, object: 'environment_tool' as const, deleted: true as const }
  })
  updateRoute(router, deps)
  testRoute(router, deps)
}

interface SpelledInput {
  /** The body, parsed. */
  readonly sent: unknown
  readonly identity: Identity
  /** Public id in the path. */
  readonly id: string
  readonly request: Request
  readonly response: Response
}

/** Mounts an endpoint whose body has two spellings, and answers the few refusals that are not in the envelope. */
function mountSpelled<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handle: (input: SpelledInput) => Promise<object>,
): void {
  mountRaw(
    router,
    endpoint,
    async ({ identity, request }: { identity: Identity; request: Request }, response: Response) => {
      await answeringFlatly(response, async () => {
        const sent = await readJson(request, response, endpoint.maxJsonBytes)
        const reply = await handle({ sent, identity, id: String(request.params.id ?? ''), request, response })
        response.status(endpoint.status).json(endpoint.reply.parse(reply))
      })
    },
  )
}

function createRoutes(router: Router, deps: ToolRouteDeps): void {
  const { newId } = deps
  // Each reads thousands of exchanges.
  const readers = createWaiters({ stopping: new AbortController().signal, maxWaiting: 3, maxOfOwner: 1 })
  mountSpelled(router, createEnvironmentTool, async (input) => {
    const { request: body } = readCreateBody(deps, input.sent)
    const { id } = await once(deps, { ...input, endpoint: createEnvironmentTool.path }, async () => {
      const ids = { id: newId(), versionId: newId() }
      const secrets = newSecrets(deps, body.http?.secretHeaders)
      await create(deps, { ...ids, identity: input.identity, settings: newSettings(body), secrets, recordings: [] })
      return { id: ids.id }
    })
    return createdReply(deps, input.identity, id)
  })
  mountSpelled(router, recordEnvironmentTool, async (input) => {
    const { identity } = input
    const { request: body, asSpelled } = readTracesBody(deps, input.sent)
    const record = async () => {
      const leave = readers.enter(identity.workspaceId)
      if (leave === null) {
        const message = 'Too many traces are being read at this moment. Retry.'
        throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: 1 })
      }
      try {
        return await recordOf(deps, identity, body)
      } catch (error) {
        throw asSpelled(error)
      } finally {
        leave()
      }
    }
    const order = { ...input, endpoint: recordEnvironmentTool.path }
    const { id, facts } = body.dryRun ? await record() : await once(deps, order, record)
    return id === null ? facts : { ...facts, tool: await createdReply(deps, identity, id) }
  })
}

/** What is stored for a repetition has no secrets. */
async function once<T>(
  deps: ToolRouteDeps,
  { sent, identity, request, response, endpoint }: SpelledInput & { readonly endpoint: string },
  make: () => Promise<T>,
): Promise<T> {
  const { answer, headers } = await answerJsonOnce(deps, { request, identity, endpoint, body: sent }, make)
  response.set(headers)
  return answer
}

async function createdReply(deps: ToolRouteDeps, { workspaceId }: Identity, id: string) {
  const tool = await requireStored(deps.tools, { workspaceId, id })
  return { ...toolReply(tool), signing_secret: tool.secrets === null ? null : openSecrets(deps, tool).signing }
}

type TracesBody = ReturnType<typeof readTracesBody>['request']

/** Creates a tool from traces, unless it is a dry run; then its id is null. */
async function recordOf(deps: ToolRouteDeps, identity: Identity, body: TracesBody) {
  const { traces, newId } = deps
  const read = await traces.read(identity, body.toolName, body.filters)
  const recorded = await createSlicedWork().run(recordTool(body, read))
  const { settings, recordings } = recorded
  requireSchema(deps, settings.parameters, 'parameters')
  const facts = recordedReply(recorded, null)
  if (body.dryRun) return { id: null, facts }
  const id = newId()
  const secrets = newSecrets(deps, body.http?.secretHeaders)
  await create(deps, { id, versionId: newId(), identity, settings, secrets, recordings })
  return { id, facts }
}

async function create(
  { secrets: box, tools, now }: ToolRouteDeps,
  tool: Omit<NewTool, 'workspaceId' | 'createdBy' | 'at' | 'secrets'> & {
    readonly identity: Identity
    readonly secrets: ToolSecrets
  },
): Promise<void> {
  const { identity, secrets, ...others } = tool
  const { workspaceId, userId: createdBy } = identity
  const place = environmentToolPlace({ workspaceId, id: tool.versionId })
  const sealed = tool.settings.http === null ? null : box.seal(JSON.stringify(secrets), place)
  const created = await tools.create({ ...others, workspaceId, createdBy, secrets: sealed, at: now() })
  if (created === 'name') throw nameTaken(tool.settings.name)
  if (created === 'full') {
    throw new ServiceError('quota_exceeded', `A workspace may have ${maxTools} environment tools; delete one first.`)
  }
}

function nameTaken(name: string): ServiceError {
  return new ServiceError('conflict', `Another environment tool is named ${name}.`, { param: 'name' })
}

const signingBytes = 32

function newSecrets({ randomBytes }: ToolRouteDeps, headers: Readonly<Record<string, string>> = {}): ToolSecrets {
  return { headers, signing: `whsec_${Buffer.from(randomBytes(signingBytes)).toString('base64')}` }
}

function updateRoute(router: Router, deps: ToolRouteDeps): void {
  const { tools, secrets: box, newId, now } = deps
  mountSpelled(router, updateEnvironmentTool, async ({ sent, identity, id }) => {
    const { request: changes, asSpelled } = readUpdateBody(deps, sent)
    try {
      const tool = await requireTool(tools, identity, id)
      const { workspaceId } = tool
      const present = openSecrets(deps, tool)
      requireOwnSecrets(tool.settings, present, changes.http)
      const secrets = { ...present, headers: changedHeaders(present.headers, changes.http?.secretHeaders) }
      const settings = changedSettings(tool.settings, changes, Object.keys(secrets.headers))
      requireWhole(settings, tool.settings)
      const versionId = newId()
      const place = environmentToolPlace({ workspaceId, id: versionId })
      const sealed = settings.http === null ? null : box.seal(JSON.stringify(secrets), place)
      const updated = await tools.update(tool, { versionId, settings, secrets: sealed, at: now() })
      if (updated === 'name') throw nameTaken(settings.name)
      if (updated === 'changed') throw new ServiceError('conflict', 'The tool was changed at the same time. Retry.')
      return toolReply(await requireStored(tools, { workspaceId, id: tool.toolId }))
    } catch (error) {
      throw asSpelled(unreadableAsUnavailable(error))
    }
  })
}

function openSecrets(deps: ToolRouteDeps, tool: StoredTool): ToolSecrets {
  const { workspaceId, versionId: id, secrets: sealed } = tool
  if (sealed === null) return newSecrets(deps)
  return JSON.parse(deps.secrets.open(sealed, environmentToolPlace({ workspaceId, id }))) as ToolSecrets
}

function testRoute(router: Router, { tools, answers, newId }: ToolRouteDeps): void {
  mountSpelled(router, testEnvironmentTool, async ({ sent, identity, id }) => {
    const { request: body } = readTestBody(sent)
    const tool = await requireTool(tools, identity, id)
    const startedMs = performance.now()
    const context = { callId: newId(), runId: null, rolloutId: null, step: null, seed: null }
    try {
      const answered = await answerCall(answers, tool, JSON.stringify(body.arguments), context)
      return { ...answered, duration_ms: Math.round(performance.now() - startedMs) }
    } catch (error) {
      throw unreadableAsUnavailable(error)
    }
  })
}

/** @throws ServiceError `not_found`, also for a tool of another workspace */
async function requireTool(
  tools: Pick<ToolStore, 'get'>,
  { workspaceId }: Identity,
  publicId: string,
): Promise<ShownTool> {
  const id = uuidOf('environmentTool', publicId)
  if (id === null) throw notFound('environment tool')
  return requireStored(tools, { workspaceId, id })
}

async function requireStored(
  tools: Pick<ToolStore, 'get'>,
  key: { readonly workspaceId: string; readonly id: string },
): Promise<ShownTool> {
  const tool = await tools.get(key)
  if (tool === null) throw notFound('environment tool')
  return tool
}

import { z } from 'zod'
import { mountedEndpoint } from '../endpoint.ts'
import { pageLimit, pageOf, pageOffset } from '../page.ts'
import { wholeNumber } from '../query-values.ts'
import { agentFields as fields } from './agent-fields.ts'

/** A new agent. What is left out has the default of the documentation. */
export const CreateAgent = z.strictObject({
  name: fields.name,
  system_prompt: fields.system_prompt,
  language: fields.language,
  voice: fields.voice,
  model: fields.model,
  first_message: fields.first_message.default(null),
  first_message_mode: fields.first_message_mode.default('agent_speaks'),
  temperature: fields.temperature.default(null),
  max_response_tokens: fields.max_response_tokens.default(300),
  variables: fields.variables.default([]),
  tool_ids: fields.tool_ids.default([]),
  stt: fields.stt.prefault({}),
  speech: fields.speech.prefault({}),
  turn_taking: fields.turn_taking.prefault({}),
  interruption_sensitivity: fields.interruption_sensitivity.default(0.5),
  silence_timeout_seconds: fields.silence_timeout_seconds.default(30),
  reminders: fields.reminders.default([]),
  max_duration_seconds: fields.max_duration_seconds.default(600),
  voicemail: fields.voicemail.prefault({}),
  dtmf: fields.dtmf.prefault({}),
  transfers: fields.transfers.default([]),
  end_call: fields.end_call.default(true),
  recording_enabled: fields.recording_enabled.default(false),
  recording_consent: fields.recording_consent.default('none'),
  consent_text: fields.consent_text.default(null),
  ai_disclosure: fields.ai_disclosure.default(true),
  privacy: fields.privacy.prefault({}),
  webhook_url: fields.webhook_url.default(null),
  criterion_ids: fields.criterion_ids.default([]),
  metadata: fields.metadata.default({}),
})
export type CreateAgent = z.output<typeof CreateAgent>

/** Everything of an agent that makes a version. */
export const AgentSpec = z.object(fields)
export type AgentSpec = z.output<typeof AgentSpec>

/** What changes; a field that is absent stays as it is. Objects are replaced as a whole. */
export const UpdateAgent = z
  .strictObject(fields)
  .partial()
  .extend({
    publish: z.boolean().default(true).describe('False: the new version is a draft, which calls do not use.'),
  })
export type UpdateAgent = z.output<typeof UpdateAgent>

const version = z.int().min(1)

export const Agent = z.object({
  object: z.literal('agent'),
  id: z.string(),
  ...fields,
  version: version.describe('The newest one, which this object shows.'),
  published_version: version.nullable().describe('The one that calls use; null: none yet.'),
  canary_version: version
    .nullable()
    .describe('The one that the last canary has tried, or tries; null without a canary.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type Agent = z.infer<typeof Agent>

export const AgentVersion = z.object({
  object: z.literal('agent.version'),
  id: z.string(),
  agent_id: z.string(),
  version,
  sha256: z.string().describe('Of the settings: equal versions have equal hashes.'),
  is_published: z.boolean(),
  created_by: z.string().describe('Id of the user.'),
  created_at: z.iso.datetime(),
  ...fields,
})
export type AgentVersion = z.infer<typeof AgentVersion>

const id = z.string().max(100)
const ofAgent = z.strictObject({ id })
const ofVersion = z.strictObject({ id, version: wholeNumber({ min: 1, max: 1_000_000 }) })
const page = { limit: pageLimit, offset: pageOffset }

export const createAgent = mountedEndpoint({
  method: 'post',
  path: '/v1/agents',
  summary: 'Create an agent.',
  description: 'Its first version is published at once. `Idempotency-Key` is honoured for 24 hours.',
  permission: 'owner_admin',
  body: CreateAgent,
  reply: Agent,
  status: 201,
  errors: ['invalid_language', 'invalid_voice', 'not_found', 'conflict', 'idempotency_conflict', 'quota_exceeded'],
  requestHeaders: ['Idempotency-Key'],
})

export const listAgents = mountedEndpoint({
  method: 'get',
  path: '/v1/agents',
  summary: 'List agents.',
  description: 'The newest first.',
  permission: 'any',
  query: z.strictObject(page),
  reply: pageOf(Agent),
})

export const getAgent = mountedEndpoint({
  method: 'get',
  path: '/v1/agents/:id',
  summary: 'Get an agent.',
  description: 'With the settings of its newest version.',
  permission: 'any',
  params: ofAgent,
  reply: Agent,
  errors: ['not_found'],
})

export const updateAgent = mountedEndpoint({
  method: 'patch',
  path: '/v1/agents/:id',
  summary: 'Change an agent.',
  description:
    'Makes a new version, which never changes; earlier ones stay. With `If-Match: <version>`, only when that is the newest.',
  permission: 'owner_admin',
  params: ofAgent,
  body: UpdateAgent,
  reply: Agent,
  errors: ['invalid_language', 'invalid_voice', 'not_found', 'conflict', 'version_conflict', 'quota_exceeded'],
  requestHeaders: ['If-Match'],
})

export const deleteAgent = mountedEndpoint({
  method: 'delete',
  path: '/v1/agents/:id',
  summary: 'Delete an agent.',
  description: 'Its versions stay for calls that have ended. Refused while calls wait or are under way.',
  permission: 'owner_admin',
  params: ofAgent,
  reply: z.object({ object: z.literal('agent'), id: z.string(), deleted: z.literal(true) }),
  errors: ['not_found', 'conflict'],
})

export const listAgentVersions = mountedEndpoint({
  method: 'get',
  path: '/v1/agents/:id/versions',
  summary: 'List the versions of an agent.',
  description: 'The newest first.',
  permission: 'any',
  params: ofAgent,
  query: z.strictObject(page),
  reply: pageOf(AgentVersion),
  errors: ['not_found'],
})

export const getAgentVersion = mountedEndpoint({
  method: 'get',
  path: '/v1/agents/:id/versions/:version',
  summary: 'Get a version of an agent.',
  description: 'As it was made.',
  permission: 'any',
  params: ofVersion,
  reply: AgentVersion,
  errors: ['not_found'],
})

export const publishAgentVersion = mountedEndpoint({
  method: 'post',
  path: '/v1/agents/:id/versions/:version/publish',
  summary: 'Let calls use a version.',
  description: 'Also an earlier one. Calls under way keep theirs.',
  permission: 'owner_admin',
  params: ofVersion,
  reply: Agent,
  errors: ['not_found'],
})

import { z } from 'zod'
import { mountedEndpoint } from '../endpoint.ts'
import { listOf, recordOf } from '../list-of.ts'
import { storable } from '../storable.ts'

const version = z.int().min(1).max(1_000_000)
const said = storable(z.string().min(1).max(8_000))

export const AgentChat = z.strictObject({
  messages: listOf(z.strictObject({ role: z.enum(['caller', 'agent']), text: said }))
    .min(1)
    .max(200)
    .describe('What was said so far. The agent answers it.'),
  agent_version: version.optional().describe('Without it: the published one.'),
  variables: recordOf(z.string().max(64), storable(z.string().max(2_000)))
    .default({})
    .describe('Values of the variables that the agent declares.'),
})
export type AgentChat = z.output<typeof AgentChat>

const ToolUse = z.object({
  name: z.string(),
  arguments: z.string().describe('JSON, as the model wrote it.'),
  result: z.string().nullable().describe('Null for a tool that was not called.'),
})
export type ToolUse = z.infer<typeof ToolUse>

export const AgentChatReply = z.object({
  object: z.literal('agent.chat'),
  agent_id: z.string(),
  agent_version: version,
  trace_id: z.string().describe('The trace of its requests to models.'),
  text: z.string().describe('What the agent says; empty when it only ends the call.'),
  tool_calls: z.array(ToolUse),
  ends_call: z.boolean(),
})
export type AgentChatReply = z.infer<typeof AgentChatReply>

export const chatWithAgent = mountedEndpoint({
  method: 'post',
  path: '/v1/agents/:id/chat',
  summary: 'Ask an agent in writing.',
  description:
    'One turn, with the tools of the agent: it is the cheapest way to try a version. Costs what its requests to models cost.',
  permission: 'owner_admin',
  params: z.strictObject({ id: z.string().max(100) }),
  body: AgentChat,
  reply: AgentChatReply,
  errors: ['not_found', 'conflict', 'upstream_error'],
})

export const CallReplay = z.object({
  object: z.literal('call.replay'),
  call_id: z.string(),
  agent_version: version,
  trace_id: z.string().describe('The trace of its requests to models.'),
  steps: z.array(
    z.object({
      index: z.int().min(0).describe('Of the turn of the agent in the transcript.'),
      recorded: z.string().describe('What the caller heard then; empty when the agent only called tools.'),
      recorded_tool_calls: z.array(ToolUse),
      replayed: z.string().nullable().describe('What the version says instead; null when its model failed.'),
      tool_calls: z.array(ToolUse).describe('Which tools it would call. They are not called.'),
      same: z.boolean().describe('Whether it says the same words and calls the same tools.'),
    }),
  ),
  same: z.int().min(0),
  failed: z.int().min(0),
})
export type CallReplay = z.infer<typeof CallReplay>

export const replayCall = mountedEndpoint({
  method: 'post',
  path: '/v1/calls/:id/replay',
  summary: 'Replay a call against another version of its agent.',
  description:
    'At each turn of the agent the version sees what was said and heard until then, and answers. Its answer is compared and never followed: what the caller would have said to it is not known. The call must have ended; its first 40 turns are replayed.',
  permission: 'owner_admin',
  params: z.strictObject({ id: z.string().max(100) }),
  body: z.strictObject({ agent_version: version }),
  reply: CallReplay,
  errors: ['not_found', 'conflict'],
})
